import { performance } from 'node:perf_hooks';
import type { RunningRole } from './composition';
import { type ConsumeOptions, type Consumer, consume } from './consume';
import { createWatchdog } from './watchdog';

export type WatchedOptions<Job> = ConsumeOptions<Job> & {
  /** Whether work waits that should have been taken already. Rejects if that is unknown. */
  hasOverdueWork(): Promise<boolean>;
  /** How long one job may run. */
  longestJobMs: number;
};

/** A consumer that is replaced if work waits and it takes none: its connection may have died silently. */
export function consumeWatched<Job>(options: WatchedOptions<Job>): RunningRole {
  const { queue, log, hasOverdueWork, longestJobMs } = options;
  const jobs = trackJobs(options);
  const open = (): Consumer => consume<Job>({ ...options, handle: jobs.handle });
  let consumer = open();
  const watchdog = createWatchdog({
    queue,
    hasOverdueWork,
    readProgress: jobs.readProgress,
    longestJobMs,
    replace() {
      consumer.abandon();
      consumer = open();
    },
    now: () => performance.now(),
    log,
  });
  watchdog.start();

  return {
    isStalled: watchdog.isStalled,
    async close() {
      watchdog.stop();
      consumer.stop();
      await jobs.drain();
      await consumer.leave();
    },
  };
}

/** The running jobs of all consumers, replaced ones included. */
function trackJobs<Job>({ handle }: Pick<WatchedOptions<Job>, 'handle'>) {
  const running = new Set<Promise<void>>();
  let progressAtMs = performance.now();
  let isDraining = false;

  return {
    async handle(job: Job): Promise<void> {
      // The relay enqueues it again.
      if (isDraining) return;
      const working = handle(job);
      running.add(working);
      progressAtMs = performance.now();
      try {
        await working;
      } finally {
        running.delete(working);
        progressAtMs = performance.now();
      }
    },
    readProgress: () => ({ runningJobs: running.size, progressAtMs }),
    async drain(): Promise<void> {
      isDraining = true;
      await Promise.allSettled([...running]);
    },
  };
}
