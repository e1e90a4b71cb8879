import { readFileSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { hasCode } from './has-code';
import { run } from './run';

/** Distinguishes a process from a later one with the same id. */
export type ProcessFacts = { pid: number; command: string; startedAt: string };

const psTimeoutMs = 5_000;
const pollMs = 20;

/** Also false for a zombie whose parent has not reaped it: in a container that may never happen. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    if (!hasCode(error, 'EPERM')) return false;
  }
  return process.platform !== 'linux' || fromProc(pid) !== undefined;
}

/** Undefined if there is no such process. */
export async function describeProcess(pid: number): Promise<ProcessFacts | undefined> {
  if (!isAlive(pid)) return undefined;
  return process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
}

/** Whether the process runs as that user; true if the system does not report it. */
export function isOwnedBy(pid: number, uid: number): boolean {
  if (process.platform !== 'linux') return true;
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === uid;
}

/** True if the process ended within the time. */
export async function hasEnded(pid: number, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    if (!isAlive(pid)) return true;
    await wait(pollMs);
  }
  return !isAlive(pid);
}

function fromProc(pid: number): ProcessFacts | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the name in brackets, which may contain spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, command, startedAt: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}

async function fromPs(pid: number): Promise<ProcessFacts | undefined> {
  const { code, stdout } = await run('ps', ['-o', 'lstart=,command=', '-p', String(pid)], {
    timeoutMs: psTimeoutMs,
  });
  const startedAtLength = 24;
  if (code !== 0) return undefined;
  return {
    pid,
    startedAt: stdout.slice(0, startedAtLength).trim(),
    command: stdout.slice(startedAtLength).trim(),
  };
}
