import type { Logger } from '@belfry/runtime';
import { createLoop, type Loop } from '@belfry/runtime';
import type { ResendChunkResult } from './resend-by-filter.sql';
import { createRunStep } from './run-step';

export type ResendsDeps = {
  /** Runs one transaction of a run that is due; undefined if none is. */
  carryOut(): Promise<ResendChunkResult | undefined>;
  /** See Queues. */
  wakeRelay(): void;
  log: Logger;
};

export type Resends = Loop & {
  /** One run; `start` repeats it. */
  runOnce(): Promise<void>;
};

const idleMs = 1_000;
/** Poll interval while a run is active; PostgreSQL keeps the run's own rate. */
const busyMs = 50;
/** Chunks of one run; shutdown waits for them. */
const maxChunks = 20;

/** Resends by filter, chunk by chunk. Any number of processes may run it, because one process takes each chunk. */
export function createResends({ carryOut, wakeRelay, log }: ResendsDeps): Resends {
  const runStep = createRunStep(log);
  let busyUntilMs = Number.NEGATIVE_INFINITY;

  async function runOnce(): Promise<void> {
    for (let chunks = 0; chunks < maxChunks; chunks += 1) {
      const chunk = await runStep('resend', carryOut);
      if (!chunk) return;
      wakeRelay();
      busyUntilMs = performance.now() + longestPauseMs;
      if (chunk.isFinished) log.info('resend.finished', { name: chunk.resendId });
    }
  }

  return {
    runOnce,
    ...createLoop(runOnce, () => (performance.now() < busyUntilMs ? busyMs : idleMs)),
  };
}

/** Longer than the delay between two chunks at the lowest rate. */
const longestPauseMs = 3_000;
