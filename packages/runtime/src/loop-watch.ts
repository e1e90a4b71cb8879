import { performance } from 'node:perf_hooks';
import type { Logger } from './log';
import type { Metrics } from './metrics';

export type LoopWatchOptions = { log: Logger; metrics: Pick<Metrics, 'countLoopStall'> };

// Each check reads the CPU time from the system: 100 checks per second would cost 1 % of a busy gateway.
const lookEveryMs = 50;
const stallMs = 100;

/** Logs and counts when this process blocks its event loop for too long. Returns a function that stops it. */
export function watchLoop({ log, metrics }: LoopWatchOptions): () => void {
  let lookedAtMs = performance.now();
  let usedMs = cpuMs();
  const timer = setInterval(() => {
    const [nowMs, nowUsedMs] = [performance.now(), cpuMs()];
    const lateMs = nowMs - lookedAtMs - lookEveryMs;
    // A late timer alone is not a stall: on a busy machine the process may not have run. CPU time tells them apart.
    const heldMs = Math.min(lateMs, nowUsedMs - usedMs);
    [lookedAtMs, usedMs] = [nowMs, nowUsedMs];
    if (heldMs <= stallMs) return;
    metrics.countLoopStall();
    log.warn('loop.stalled', { duration_ms: Math.round(lateMs), held_ms: Math.round(heldMs) });
  }, lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
