import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Step } from './progress';
import { type Ran, run } from './run';

const updateTimeoutMs = 90_000;
const downloadTimeoutMs = 180_000;
const installTimeoutMs = 300_000;
const unpackTimeoutMs = 60_000;
const queryTimeoutMs = 15_000;
/** The server, then its missing libraries, then theirs. */
const maxRounds = 4;

/**
 * Unpacks the distribution's Redis and missing libraries into `root`. This needs no root rights and does not change the
 * system. Returns the problem if it fails.
 */
export async function fetchWithApt(
  root: string,
  libraries: string[],
  step: Step,
): Promise<string | undefined> {
  mkdirSync(root, { recursive: true });
  const folder = mkdtempSync(path.join(tmpdir(), 'belfry-apt-'));
  try {
    const apt = createApt(folder);
    const updated = await step('reading the package lists', apt.update);
    if (updated.code === undefined) return updated.stderr;
    return await step('downloading the package', () => fetchAll(apt, root, libraries));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Apt = ReturnType<typeof createApt>;

async function fetchAll(apt: Apt, root: string, libraries: string[]): Promise<string | undefined> {
  let names = ['redis-server', 'redis-tools'];
  let missing: string[] = [];
  for (let round = 1; round <= maxRounds; round += 1) {
    const problem = await apt.unpack(names, root);
    if (problem !== undefined) return problem;
    missing = await listMissingLibraries(root, libraries);
    if (missing.length === 0) return undefined;
    names = choosePackages(missing, await apt.librariesNeededBy(names));
    if (names.length === 0) break;
  }
  return `these libraries are missing: ${missing.join(' ')}`;
}

async function listMissingLibraries(root: string, libraries: string[]): Promise<string[]> {
  const { stdout } = await run('ldd', [path.join(root, 'usr', 'bin', 'redis-server')], {
    timeoutMs: queryTimeoutMs,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', LD_LIBRARY_PATH: libraries.join(':') },
  });
  const names = stdout.split('\n').filter((line) => line.includes('not found'));
  return names.map((line) => line.trim().split(' ')[0] ?? '');
}

/** The name of a library's package almost always starts with the library's name. If none does, returns all packages. */
export function choosePackages(missing: string[], packages: string[]): string[] {
  const bases = missing.map((library) => library.replace(/\.so.*$/s, ''));
  const fitting = packages.filter((name) => bases.some((base) => name.startsWith(base)));
  return fitting.length > 0 ? fitting : packages;
}

/** Uses apt with its own lists and cache in `folder`, and the package sources of this system. */
function createApt(folder: string) {
  mkdirSync(path.join(folder, 'lists', 'partial'), { recursive: true });
  mkdirSync(path.join(folder, 'cache', 'archives', 'partial'), { recursive: true });
  const options = [
    `Dir::State::Lists=${folder}/lists`,
    `Dir::Cache=${folder}/cache`,
    'APT::Sandbox::User=root',
    'Debug::NoLocking=1',
    'Acquire::Languages=none',
    ...patience,
  ].flatMap((option) => ['-o', option]);
  let unpacked = 0;

  return {
    update: () =>
      run('apt-get', [...options, 'update'], { cwd: folder, timeoutMs: updateTimeoutMs }),

    async unpack(names: string[], root: string): Promise<string | undefined> {
      unpacked += 1;
      const archives = path.join(folder, `archives-${unpacked}`);
      mkdirSync(archives);
      const download = await run('apt-get', [...options, 'download', ...names], {
        cwd: archives,
        timeoutMs: downloadTimeoutMs,
      });
      if (download.code !== 0) return formatProblem(download);
      for (const archive of readdirSync(archives)) {
        const extraction = await run('dpkg-deb', ['-x', path.join(archives, archive), root], {
          timeoutMs: unpackTimeoutMs,
        });
        if (extraction.code !== 0) return formatProblem(extraction);
      }
      return undefined;
    },

    async librariesNeededBy(names: string[]): Promise<string[]> {
      const output = await run('apt-cache', [...options, 'depends', ...names], {
        timeoutMs: queryTimeoutMs,
      });
      const matches = [...output.stdout.matchAll(/^ *\|?(?:Pre)?Depends: (lib\S+|lua\S+)/gm)];
      // A second C library beside the system's would break every program that loads both.
      return [...new Set(matches.map(([, name = '']) => name))].filter((name) => name !== 'libc6');
    },
  };
}

const patience = ['Acquire::Retries=1', 'Acquire::http::Timeout=15', 'Acquire::https::Timeout=15'];

/** Needs root. Returns the problem if it fails. */
export async function installWithApt(step: Step): Promise<string | undefined> {
  const options = patience.flatMap((option) => ['-o', option]);
  // Run level 1 keeps the package from starting a system-wide server.
  const quietly = ['DEBIAN_FRONTEND=noninteractive', 'RUNLEVEL=1', 'apt-get', ...options];
  return step('installing redis-server with apt-get', async () => {
    const updated = await run('env', [...quietly, 'update'], { timeoutMs: updateTimeoutMs });
    if (updated.code === undefined) return updated.stderr;
    const install = ['install', '-y', '--no-install-recommends', 'redis-server'];
    const installed = await run('env', [...quietly, ...install], { timeoutMs: installTimeoutMs });
    return installed.code === 0 ? undefined : formatProblem(installed);
  });
}

function formatProblem({ stderr }: Ran): string {
  return stderr.split('\n').slice(-3).join(' ').slice(0, 500) || 'no error output';
}
