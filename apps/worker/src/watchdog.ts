import type { Logger } from '@belfry/runtime';

export type WatchdogDeps = {
  queue: string;
  hasOverdueWork(): Promise<boolean>;
  /** When a job last started or ended, in the time of `now`. */
  readProgress(): { runningJobs: number; progressAtMs: number };
  longestJobMs: number;
  /** Replaces the consumer with a new one. */
  replace(): void;
  now(): number;
  log: Logger;
};

export type Watchdog = {
  /** Checks once; `start` repeats this every 5 s. */
  check(): Promise<void>;
  /** True from the detection of a stall until a job starts or ends, or no work waits. */
  isStalled(): boolean;
  start(): void;
  stop(): void;
};

/** A consumer is stalled if no job started or ended for this long while work waited as long. */
export const stallMs = 30_000;
const checkEveryMs = 5_000;

/**
 * Detects a consumer that looks alive but takes no jobs. While jobs run, the limit is the longest job's time, because a
 * provider that hangs is not a stalled queue.
 */
export function createWatchdog(deps: WatchdogDeps): Watchdog {
  const { queue, readProgress, longestJobMs, now, log } = deps;
  let stalledAtMs: number | undefined;
  let replacedAtMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  function isQuiet(): boolean {
    const { runningJobs, progressAtMs } = readProgress();
    const limitMs = runningJobs > 0 ? Math.max(stallMs, longestJobMs) : stallMs;
    return now() - Math.max(progressAtMs, replacedAtMs) >= limitMs;
  }

  function isStalled(): boolean {
    if (stalledAtMs !== undefined && readProgress().progressAtMs > stalledAtMs) recover();
    return stalledAtMs !== undefined;
  }

  function recover(): void {
    if (stalledAtMs === undefined) return;
    log.info('consumer.resumed', { queue });
    stalledAtMs = undefined;
  }

  async function check(): Promise<void> {
    if (!isQuiet() && !isStalled()) return;
    // If PostgreSQL is unavailable, the answer is unknown, so do nothing.
    const isOverdue = await deps.hasOverdueWork().catch(() => undefined);
    if (isStopped) return;
    if (isOverdue === false) recover();
    if (isOverdue && isQuiet()) replace();
  }

  function replace(): void {
    log.error('consumer.stalled', { queue });
    stalledAtMs ??= now();
    replacedAtMs = now();
    deps.replace();
  }

  function start(): void {
    timer = setTimeout(() => {
      void check().finally(() => {
        if (!isStopped) start();
      });
    }, checkEveryMs);
    timer.unref();
  }

  return {
    check,
    isStalled,
    start,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
