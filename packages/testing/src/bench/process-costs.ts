import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks of proc(5) are hundredths of a second on every Linux. */
const ticksPerSecond = 100;

/** Processor time of a process in seconds, with `withChildren` including its children; undefined if the system does not report it. */
export function readCpuSeconds(pid: number, { withChildren = false } = {}): number | undefined {
  const own = readCpuTicks(pid);
  if (own === undefined) return undefined;
  const children = withChildren ? listChildren(pid) : [];
  const ticks = children.reduce((total, child) => total + (readCpuTicks(child) ?? 0), own);
  return ticks / ticksPerSecond;
}

/** Resident memory of a process now, in megabytes. */
export function readMemoryMb(pid: number): number | undefined {
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readProc(`${pid}/status`) ?? '')?.[1];
  return kb === undefined ? undefined : Math.round(Number(kb) / 1024);
}

export type WakeUps = {
  /** How often the event loop slept and was woken. */
  mainThread: number;
  /** The same for all threads: those of V8 and libuv, too. */
  allThreads: number;
};

/** Voluntary context switches of a process since its start. */
export function readWakeUps(pid: number): WakeUps | undefined {
  const threads = listThreads(pid);
  const counts = threads.map((thread) => countSwitches(`${pid}/task/${thread}/status`));
  const mainThread = countSwitches(`${pid}/status`);
  if (mainThread === undefined) return undefined;
  return { mainThread, allThreads: counts.reduce<number>((sum, count) => sum + (count ?? 0), 0) };
}

function listThreads(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function countSwitches(file: string): number | undefined {
  const count = /^voluntary_ctxt_switches:\s+(\d+)$/m.exec(readProc(file) ?? '')?.[1];
  return count === undefined ? undefined : Number(count);
}

function readCpuTicks(pid: number): number | undefined {
  const fields = readStat(pid);
  // utime and stime, the fields 14 and 15 of proc(5), and those of children that have ended.
  return fields && [11, 12, 13, 14].reduce((total, at) => total + Number(fields[at]), 0);
}

function listChildren(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => Number(readStat(each)?.[1]) === pid);
}

/** The fields from the third on. The second is a name in parentheses, which may contain anything. */
function readStat(pid: number): string[] | undefined {
  const stat = readProc(`${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readProc(file: string): string | undefined {
  try {
    return readFileSync(`/proc/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
