import { readFileSync, writeFileSync } from 'node:fs';

/** Wall-clock time and the thread's wait for a core, both in ms since a fixed moment. */
export type Moment = { clockMs: number; waitedMs: number };

export function readMoment(): Moment {
  const [, waited] = readFileSync(schedule, 'utf8').split(' ');
  return { clockMs: performance.now(), waitedMs: Number(waited) / 1e6 };
}

/** The kernel counts for each thread how long it ran and how long it was runnable without running. The main thread has the ID of the process. */
const schedule = `/proc/self/task/${process.pid}/schedstat`;

/** How long something blocked a thread: wall-clock time without the wait for a core, which a busy machine adds. */
export type BlockTimes = { blockMs: number; heldMs: number };

export function measureSince(begin: Moment, now = readMoment()): BlockTimes {
  const blockMs = now.clockMs - begin.clockMs;
  return { blockMs, heldMs: blockMs - (now.waitedMs - begin.waitedMs) };
}

export type Memory = { residentMb: number; peakMb: number };

export function readMemory(): Memory {
  const status = readFileSync('/proc/self/status', 'utf8');
  const read = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
  return { residentMb: read('VmRSS'), peakMb: read('VmHWM') };
}

/** Resets the memory peak: "5" sets it to the current resident size. */
export function resetPeak(): void {
  writeFileSync('/proc/self/clear_refs', '5');
}
