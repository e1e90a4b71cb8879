import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fetchWithApt, installWithApt } from './apt';
import type { Program } from './identity';
import type { Step } from './progress';
import { run } from './run';

class RedisMissingError extends Error {
  constructor(attempts: string[]) {
    super(
      [
        'No Redis server was found. Do one of these:',
        '  1. Install it, for example: sudo apt-get install redis-server',
        '  2. Set REDIS_URL to a running Redis 7.0.8 or later, or Valkey',
        '  3. On macOS: brew install redis. On Windows: start Belfry in WSL',
        ...(attempts.length > 0 ? ['Tried:', ...attempts.map((line) => `  - ${line}`)] : []),
      ].join('\n'),
    );
    this.name = 'RedisMissingError';
  }
}

const oldestMajor = 7;
const versionTimeoutMs = 10_000;
const installedNames = ['redis-server', 'valkey-server'];

/** In order: installed, cached, downloaded from the system's package sources, installed now. */
export async function findRedis(cacheDir: string, step: Step): Promise<Program> {
  const attempts: string[] = [];
  const cacheFolder = path.join(cacheDir, 'redis');
  return (
    (await findInstalled(attempts)) ??
    (await findCached(cacheFolder)) ??
    (await fetchRedis(cacheFolder, step, attempts)) ??
    (await installRedis(step, attempts)) ??
    throwMissing(attempts)
  );
}

function throwMissing(attempts: string[]): never {
  throw new RedisMissingError(attempts);
}

async function findInstalled(attempts: string[]): Promise<Program | undefined> {
  for (const command of installedNames) {
    const major = await readMajor({ command });
    if (major !== undefined && major >= oldestMajor) return { command };
    if (major !== undefined)
      attempts.push(`${command} is version ${major}; version ${oldestMajor} or later is required`);
  }
  return undefined;
}

async function readMajor({ command, env }: Program): Promise<number | undefined> {
  const { code, stdout } = await run(command, ['--version'], {
    timeoutMs: versionTimeoutMs,
    ...(env ? { env } : {}),
  });
  const major = /\bv=(\d+)/.exec(stdout)?.[1];
  return code === 0 && major ? Number(major) : undefined;
}

/** Looks in this checkout, then in the user's shared cache, and copies from there. */
async function findCached(cacheFolder: string): Promise<Program | undefined> {
  const here = await openCached(cacheFolder);
  if (here) return here;
  const shared = getSharedCache();
  if (!(await openCached(shared))) return undefined;
  copyInto(shared, cacheFolder);
  return openCached(cacheFolder);
}

async function openCached(root: string): Promise<Program | undefined> {
  const command = path.join(root, 'usr', 'bin', 'redis-server');
  if (!existsSync(command)) return undefined;
  const binary = {
    command,
    env: { PATH: '/usr/bin:/bin', LD_LIBRARY_PATH: listLibraryFolders(root).join(':') },
  };
  const major = await readMajor(binary);
  return major !== undefined && major >= oldestMajor ? binary : undefined;
}

function listLibraryFolders(root: string): string[] {
  const machine = {
    x64: 'x86_64-linux-gnu',
    arm64: 'aarch64-linux-gnu',
    arm: 'arm-linux-gnueabihf',
  };
  const names = ['usr/lib', 'lib'].flatMap((folder) => [
    folder,
    ...Object.entries(machine)
      .filter(([arch]) => arch === process.arch)
      .map(([, name]) => `${folder}/${name}`),
  ]);
  return names.map((name) => path.join(root, name));
}

async function fetchRedis(
  cacheFolder: string,
  step: Step,
  attempts: string[],
): Promise<Program | undefined> {
  if (process.platform !== 'linux') return undefined;
  const downloadFolder = `${cacheFolder}.new-${process.pid}`;
  try {
    const problem = await fetchWithApt(downloadFolder, listLibraryFolders(downloadFolder), step);
    const binary = problem === undefined ? await openCached(downloadFolder) : undefined;
    if (!binary) {
      attempts.push(
        `downloading the package without installing it: ${problem ?? 'it cannot run here'}`,
      );
      return undefined;
    }
    moveInto(downloadFolder, cacheFolder);
    shareWithOtherCheckouts(cacheFolder);
    return await openCached(cacheFolder);
  } finally {
    rmSync(downloadFolder, { recursive: true, force: true });
  }
}

async function installRedis(step: Step, attempts: string[]): Promise<Program | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  const problem = await installWithApt(step);
  if (problem === undefined) return findInstalled(attempts);
  attempts.push(`installing the package: ${problem}`);
  return undefined;
}

function getSharedCache(): string {
  return path.join(homedir(), '.cache', 'belfry', `redis-${process.arch}`);
}

/** If the home folder is not writable, the next checkout downloads it again. */
function shareWithOtherCheckouts(cacheFolder: string): void {
  try {
    copyInto(cacheFolder, getSharedCache());
  } catch {}
}

/** Copies atomically, even if two starts do it at the same time. */
function copyInto(from: string, to: string): void {
  const temporaryCopy = `${to}.copy-${process.pid}`;
  try {
    cpSync(from, temporaryCopy, { recursive: true, verbatimSymlinks: true });
    moveInto(temporaryCopy, to);
  } finally {
    rmSync(temporaryCopy, { recursive: true, force: true });
  }
}

function moveInto(from: string, to: string): void {
  mkdirSync(path.dirname(to), { recursive: true });
  rmSync(to, { recursive: true, force: true });
  renameSync(from, to);
}
