import type { Logger } from '@belfry/runtime';

export type WatchdogDeps = {
  queue: string;
  hasOverdueWork(): Promise<boolean>;
  /** When a job last began or ended, by `now`. */
  readProgress(): { jobsInHand: number; progressAtMs: number };
  longestJobMs: number;
  /** Makes the consumer anew. */
  replace(): void;
  now(): number;
  log: Logger;
};

export type Watchdog = {
  /** One look; what `start` repeats. */
  check(): Promise<void>;
  /** From when the consumer was found stalled until a job began or ended, or no work waits. */
  isStalled(): boolean;
  start(): void;
  stop(): void;
};

/** Without a job begun or ended for that long, while work waits for as long, a consumer is taken for dead. */
export const stallMs = 30_000;
const checkEveryMs = 5_000;

/**
 * Finds the consumer that looks alive and takes nothing. While jobs are in hand the longest of them may
 * take its time: a provider that hangs is no fault of the queue.
 */
export function createWatchdog(deps: WatchdogDeps): Watchdog {
  const { queue, readProgress, longestJobMs, now, log } = deps;
  let stalledAtMs: number | undefined;
  let replacedAtMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  function isQuiet(): boolean {
    const { jobsInHand, progressAtMs } = readProgress();
    const limitMs = jobsInHand > 0 ? Math.max(stallMs, longestJobMs) : stallMs;
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
    // PostgreSQL may be away: then nobody can tell, and nothing is done.
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
