import { readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { hasCode } from './has-code';
import { role } from './postgres-role';
import { getPasswordFile } from './private-files';
import { describeProcess, hasEnded, isAlive, isOwnedBy } from './process-facts';
import { StoreError } from './store';

const adoptTimeoutMs = 30_000;
const pollMs = 100;
const endTimeoutMs = 6_000;
const connectTimeoutMs = 2_000;
const invalidPassword = '28P01';

type Lock = { pid: number; port: number };

/** The server that is running on this data folder. Waits for one that is starting or stopping. */
export async function findRunning(data: string, password: string): Promise<Lock | undefined> {
  const deadline = performance.now() + adoptTimeoutMs;
  while (performance.now() < deadline) {
    const lock = readLock(data);
    if (!lock || !(await isOurs(lock.pid, data))) return undefined;
    if (await serves(lock, data, password)) return lock;
    await wait(pollMs);
  }
  throw new Error(
    `A PostgreSQL (process ${readLock(data)?.pid}) uses ${data} but does not answer. Stop it, then start again.`,
  );
}

/**
 * Removes the lock of a dead server if another of our processes now has its process id. PostgreSQL would mistake that
 * process for the old server and refuse to start.
 */
export async function removeStaleLock(data: string): Promise<void> {
  const lock = readLock(data);
  if (lock && isAlive(lock.pid) && !(await isPostgres(lock.pid))) {
    rmSync(path.join(data, 'postmaster.pid'), { force: true });
  }
}

/** Kills the server of a data folder, like a crash; the next start recovers. */
export async function endPostgres(data: string): Promise<void> {
  const lock = readLock(data);
  if (!lock || !(await isOurs(lock.pid, data))) return;
  // A stopped server handles a signal only after SIGCONT.
  for (const signal of ['SIGQUIT', 'SIGCONT', 'SIGKILL'] as const) {
    if (isAlive(lock.pid)) process.kill(lock.pid, signal);
    if (signal !== 'SIGQUIT' && (await hasEnded(lock.pid, endTimeoutMs))) return;
  }
}

function readLock(data: string): Lock | undefined {
  try {
    const lines = readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n');
    const pid = Number(lines[0]);
    // Before it is ready, another program may still have its port and read the password.
    const port = lines[7]?.trim() === 'ready' ? Number(lines[3]) : 0;
    return Number.isInteger(pid) && pid > 0 ? { pid, port } : undefined;
  } catch {
    return undefined;
  }
}

async function isPostgres(pid: number): Promise<boolean> {
  const facts = await describeProcess(pid);
  return facts !== undefined && /postgres/i.test(facts.command);
}

/** Also false for another user's program that now has the process id of a dead server. */
async function isOurs(pid: number, data: string): Promise<boolean> {
  return isOwnedBy(pid, statSync(data).uid) && (await isPostgres(pid));
}

async function serves({ pid, port }: Lock, data: string, password: string): Promise<boolean> {
  // A copied folder has the lock and the password of the server that runs in the original.
  const isOther = !(await describeProcess(pid))?.command.includes(data);
  if (port === 0 || isOther) return false;
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: role,
    password,
    database: 'postgres',
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: connectTimeoutMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch (error) {
    if (!hasCode(error, invalidPassword)) return false;
    const file = getPasswordFile(path.dirname(data));
    throw new StoreError(
      `PostgreSQL refused the password in ${file}. Remove that file and start again to set a new password.`,
    );
  } finally {
    await client.end().catch(() => {});
  }
}
