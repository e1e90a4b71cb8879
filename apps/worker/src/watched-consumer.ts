import { performance } from 'node:perf_hooks';
import { type ConsumeOptions, type Consumer, consume } from './consume';
import type { RunningRole } from './parts';
import { createWatchdog } from './watchdog';

export type WatchedOptions<Job> = ConsumeOptions<Job> & {
  /** Whether work waits that should have been taken long ago; rejects where nobody can tell. */
  hasOverdueWork(): Promise<boolean>;
  /** How long one job may be in hand. */
  longestJobMs: number;
};

/** A consumer that is made anew when work waits and none is taken: its connection may be dead without a word. */
export function consumeWatched<Job>(options: WatchedOptions<Job>): RunningRole {
  const { queue, log, hasOverdueWork, longestJobMs } = options;
  const hands = createHands(options);
  const open = (): Consumer => consume<Job>({ ...options, handle: hands.handle });
  let consumer = open();
  const watchdog = createWatchdog({
    queue,
    hasOverdueWork,
    readProgress: hands.readProgress,
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
      await hands.drain();
      await consumer.leave();
    },
  };
}

/** The jobs in hand, whichever consumer brought them. */
function createHands<Job>({ handle }: Pick<WatchedOptions<Job>, 'handle'>) {
  const inHand = new Set<Promise<void>>();
  let progressAtMs = performance.now();
  let isDraining = false;

  return {
    async handle(job: Job): Promise<void> {
      // Left: the relay brings it again.
      if (isDraining) return;
      const working = handle(job);
      inHand.add(working);
      progressAtMs = performance.now();
      try {
        await working;
      } finally {
        inHand.delete(working);
        progressAtMs = performance.now();
      }
    },
    readProgress: () => ({ jobsInHand: inHand.size, progressAtMs }),
    async drain(): Promise<void> {
      isDraining = true;
      await Promise.allSettled([...inHand]);
    },
  };
}
