import { performance } from 'node:perf_hooks';
import type { Logger } from './log';
import type { Metrics } from './metrics';

export type LoopWatchOptions = { log: Logger; metrics: Pick<Metrics, 'countLoopStall'> };

// Each look asks the system for the processor time that was used: a hundred a second would be a hundredth of a busy gateway.
const lookEveryMs = 50;
const stallMs = 100;

/** Says when this process worked on one thing for so long that everything else in it had to wait. Returns what ends it. */
export function watchLoop({ log, metrics }: LoopWatchOptions): () => void {
  let lookedAtMs = performance.now();
  let usedMs = cpuMs();
  const timer = setInterval(() => {
    const [nowMs, nowUsedMs] = [performance.now(), cpuMs()];
    const lateMs = nowMs - lookedAtMs - lookEveryMs;
    // On a busy machine it may be late because it was not run: then it did not hold anything up itself.
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
