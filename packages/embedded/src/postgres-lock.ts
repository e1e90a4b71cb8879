import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { describeProcess, hasEnded, isAlive } from './process-facts';

const adoptTimeoutMs = 30_000;
const pollMs = 100;
const endTimeoutMs = 6_000;
const connectTimeoutMs = 2_000;

type Lock = { pid: number; port: number };

/** The server that already runs on this data folder, after waiting for one that is just starting or stopping. */
export async function findRunning(data: string): Promise<Lock | undefined> {
  const deadline = performance.now() + adoptTimeoutMs;
  while (performance.now() < deadline) {
    const lock = readLock(data);
    if (!lock || !(await isPostgres(lock.pid))) return undefined;
    if (await serves(lock.port, data)) return lock;
    await wait(pollMs);
  }
  throw new Error(
    `A PostgreSQL (process ${readLock(data)?.pid}) holds ${data} but does not answer. End it, then start again.`,
  );
}

/**
 * Removes the lock of a server that is gone when another program of ours has its process number by now:
 * PostgreSQL itself would take that one for the old server and refuse.
 */
export async function forgetDead(data: string): Promise<void> {
  const lock = readLock(data);
  if (lock && isAlive(lock.pid) && !(await isPostgres(lock.pid))) {
    rmSync(path.join(data, 'postmaster.pid'), { force: true });
  }
}

/** Ends the server of a data folder at once, as a crash would; its next start recovers. */
export async function endPostgres(data: string): Promise<void> {
  const lock = readLock(data);
  if (!lock || !(await isPostgres(lock.pid))) return;
  // A paused server acts on a signal only when it runs again.
  for (const signal of ['SIGQUIT', 'SIGCONT', 'SIGKILL'] as const) {
    if (isAlive(lock.pid)) process.kill(lock.pid, signal);
    if (signal !== 'SIGQUIT' && (await hasEnded(lock.pid, endTimeoutMs))) return;
  }
}

function readLock(data: string): Lock | undefined {
  try {
    const lines = readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n');
    const pid = Number(lines[0]);
    return Number.isInteger(pid) && pid > 0 ? { pid, port: Number(lines[3]) || 0 } : undefined;
  } catch {
    return undefined;
  }
}

async function isPostgres(pid: number): Promise<boolean> {
  const facts = await describeProcess(pid);
  return facts !== undefined && /postgres/i.test(facts.command);
}

async function serves(port: number, data: string): Promise<boolean> {
  if (port === 0) return false;
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: 'belfry',
    database: 'postgres',
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: connectTimeoutMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
    return rows[0]?.data_directory === data;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
