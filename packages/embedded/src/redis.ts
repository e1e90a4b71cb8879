import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Identity, type Program, takeFolder } from './identity';
import { choosePort, readPort } from './ports';
import { createPassword, getPasswordFile, readPassword, writePrivately } from './private-files';
import { describeProcess, hasEnded, isAlive, isOwnedBy } from './process-facts';
import { createSteps, type OnProgress } from './progress';
import { findRedis } from './redis-binary';
import { queryRedis } from './redis-wire';
import { openFolder, type RunningStore, rotateLog, StoreError } from './store';

export type RedisOptions = {
  dataDir: string;
  /** Where a downloaded Redis is kept. Default: `cache` beside the data folder. */
  cacheDir?: string;
  /** Keep data after a restart, with an append-only file. */
  persistence: boolean;
  onProgress?: OnProgress;
};

type Server = {
  folder: string;
  config: string;
  password: string;
  binary: Program;
  as: Identity;
};

const startAttempts = 3;
const startTimeoutMs = 30_000;
const startPollMs = 20;
const readyLine = 'Ready to accept connections';
const stopTimeoutMs = 15_000;
const killTimeoutMs = 5_000;
const logTailLines = 8;

/** The Redis of this folder: uses a running server, else finds a binary and starts one. */
export async function startRedis(options: RedisOptions): Promise<RunningStore> {
  const step = createSteps('redis', options.onProgress);
  const folder = openFolder(options.dataDir);
  const config = path.join(folder, 'redis.conf');
  const running = await findRunning(folder, config);
  if (running) return offer(running, folder);
  // A server without a password is from an earlier version, and open to every user of this machine.
  await endRedis(folder);

  const cacheDir = path.resolve(options.cacheDir ?? path.join(folder, '..', 'cache'));
  const binary = await findRedis(cacheDir, step);
  const as = await takeFolder(folder, binary, ['account', 'namespace', 'capable'], step);
  if (!as) throw new StoreError(`No ordinary user can access ${folder}: move it, or set REDIS_URL`);
  const server: Server = { folder, config, password: findPassword(folder), binary, as };
  return offer(await step('starting', () => start(server, options.persistence)), folder);
}

/** The Redis program that `startRedis` would start, for servers with a configuration of their own. */
export function findRedisProgram(cacheDir: string): Promise<Program> {
  return findRedis(path.resolve(cacheDir), createSteps('redis'));
}

type Running = { pid: number; port: number; url: string };

function buildUrl(port: number, password: string): string {
  return `redis://:${password}@127.0.0.1:${port}`;
}

function findPassword(folder: string): string {
  const storedPassword = readPassword(folder);
  if (storedPassword !== undefined) return storedPassword;
  const password = createPassword();
  writePrivately(getPasswordFile(folder), `${password}\n`);
  return password;
}

function offer({ pid, port, url }: Running, folder: string): RunningStore {
  return { url, port, pid, folder, stop: () => stop(pid) };
}

async function findRunning(folder: string, config: string): Promise<Running | undefined> {
  const [port, password, pid] = [readPort(folder), readPassword(folder), await readPid(folder)];
  // If the process is gone, another program may have the port and would read the password.
  if (port === undefined || password === undefined || pid === undefined) return undefined;
  const url = buildUrl(port, password);
  const info = await queryRedis(url, 'INFO server');
  const isOurs = /^config_file:(.*?)\r?$/m.exec(info ?? '')?.[1] === config;
  return isOurs ? { pid, port, url } : undefined;
}

/** Retries, because another program may take the chosen port. */
async function start(server: Server, persistence: boolean): Promise<Running> {
  const log = rotateLog(server.folder, 'server.log');
  for (let attempt = 1; attempt <= startAttempts; attempt += 1) {
    const port = await choosePort(server.folder);
    writePrivately(server.config, configure(server, port, persistence, log), server.as.owner);
    const before = readText(log).length;
    const pid = launch(server);
    if (pid !== undefined && (await isReadyInTime(pid, () => readText(log).slice(before)))) {
      return { pid, port, url: buildUrl(port, server.password) };
    }
    if (pid !== undefined && isAlive(pid)) process.kill(pid, 'SIGKILL');
  }
  throw new Error(`Redis did not start:\n${tail(log)}`);
}

function configure(
  { folder, password }: Server,
  port: number,
  persistence: boolean,
  log: string,
): string {
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    'protected-mode yes',
    `requirepass ${password}`,
    `dir "${folder}"`,
    `logfile "${log}"`,
    'daemonize no',
    `pidfile "${path.join(folder, 'server.pid')}"`,
    'save ""',
    `appendonly ${persistence ? 'yes' : 'no'}`,
    'appendfsync everysec',
    // Redis must never evict jobs.
    'maxmemory-policy noeviction',
    '',
  ].join('\n');
}

/** In its own session, so that Ctrl-C reaches only the program that stops it in order. */
function launch({ config, binary, as }: Server): number | undefined {
  // Redis has no setting for the permissions of its files.
  const shellArgs = ['-c', 'umask 077; exec "$@"', 'sh'];
  const child = spawn('/bin/sh', [...shellArgs, ...as.prefix, binary.command, config], {
    cwd: '/',
    detached: true,
    stdio: 'ignore',
    ...(binary.env ? { env: binary.env } : {}),
    ...as.ids,
  });
  child.on('error', () => {});
  child.unref();
  return child.pid;
}

/** Reads the log instead of sending PING: until Redis listens, another program may have the port and would read the password. */
async function isReadyInTime(pid: number, readLog: () => string): Promise<boolean> {
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline && isAlive(pid)) {
    if (readLog().includes(readyLine)) return true;
    await wait(startPollMs);
  }
  return false;
}

function tail(log: string): string {
  return readText(log).trimEnd().split('\n').slice(-logTailLines).join('\n');
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Kills the server of a folder. */
export async function endRedis(folder: string): Promise<void> {
  const pid = await readPid(folder);
  if (pid === undefined) return;
  process.kill(pid, 'SIGKILL');
  await hasEnded(pid, killTimeoutMs);
}

/** A stopped server does not answer on its port, so this checks its process. */
async function readPid(folder: string): Promise<number | undefined> {
  const pid = Number(readText(path.join(folder, 'server.pid')));
  const facts = pid > 0 ? await describeProcess(pid) : undefined;
  const isOurs = facts && /redis|valkey/.test(facts.command);
  return isOurs && isOwnedBy(pid, statSync(folder).uid) ? pid : undefined;
}

/** SIGTERM ends it in order: appended data is on disk before it exits. */
async function stop(pid: number): Promise<void> {
  if (isAlive(pid)) process.kill(pid, 'SIGTERM');
  if (await hasEnded(pid, stopTimeoutMs)) return;
  process.kill(pid, 'SIGKILL');
  if (!(await hasEnded(pid, killTimeoutMs))) throw new Error(`Redis (process ${pid}) did not stop`);
}
