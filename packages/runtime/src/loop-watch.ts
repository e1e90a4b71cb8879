import { performance } from 'node:perf_hooks';
import type { Logger } from './log';
import type { Metrics } from './metrics';

export type LoopWatchOptions = { log: Logger; metrics: Pick<Metrics, 'countLoopStall'> };

export type LoopWatch = {
  /** Call it when work arrives, before doing it: at rest the loop is checked once a second only. */
  expectWork(): void;
  stop(): void;
};

// Each check reads the CPU time from the system: 100 checks per second would cost 1 % of a busy gateway.
const checkEveryMs = 50;
const stallMs = 100;
/** Without work a process must not wake 20 times a second. */
const restEveryMs = 1_000;
/** Checks without work until the process is at rest: one second of them. */
const maxQuietChecks = 20;
/** A process that uses more than a tenth of a core is at work, even if no call arrives. */
const workShare = 0.1;

/** Logs and counts when this process blocks its event loop for too long. */
export function watchLoop({ log, metrics }: LoopWatchOptions): LoopWatch {
  let checkedAtMs = performance.now();
  let usedMs = cpuMs();
  let quietChecks = 0;
  let waitMs = checkEveryMs;
  let timer: NodeJS.Timeout;

  function check(): void {
    const [nowMs, nowUsedMs] = [performance.now(), cpuMs()];
    const lateMs = nowMs - checkedAtMs - waitMs;
    const newUsedMs = nowUsedMs - usedMs;
    // A late timer alone is not a stall: on a busy machine the process may not have run. CPU time tells them apart.
    const heldMs = Math.min(lateMs, newUsedMs);
    [checkedAtMs, usedMs] = [nowMs, nowUsedMs];
    quietChecks = newUsedMs > waitMs * workShare ? 0 : quietChecks + 1;
    schedule();
    if (heldMs <= stallMs) return;
    metrics.countLoopStall();
    log.warn('loop.stalled', { duration_ms: Math.round(lateMs), held_ms: Math.round(heldMs) });
  }

  function schedule(): void {
    waitMs = quietChecks < maxQuietChecks ? checkEveryMs : restEveryMs;
    timer = setTimeout(check, waitMs);
    timer.unref();
  }

  schedule();
  return {
    expectWork() {
      quietChecks = 0;
      if (waitMs === checkEveryMs) return;
      clearTimeout(timer);
      [checkedAtMs, usedMs] = [performance.now(), cpuMs()];
      schedule();
    },
    stop: () => clearTimeout(timer),
  };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
