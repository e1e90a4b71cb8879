import type { Logger } from '@belfry/runtime';
import { createLoop, type Loop } from '@belfry/runtime';
import type { ResendChunkResult } from './resend-by-filter.sql';
import { createRunStep } from './run-step';

export type ResendsDeps = {
  /** One transaction of one run that is due; undefined where none is. */
  carryOut(): Promise<ResendChunkResult | undefined>;
  log: Logger;
};

export type Resends = Loop & {
  /** What `start` repeats. */
  runOnce(): Promise<void>;
};

const idleMs = 1_000;
/** While a run goes on: its own pace is PostgreSQL's to keep. */
const busyMs = 50;
/** Of one turn: shutdown waits for it. */
const maxChunks = 20;

/** Carries out resends by filter, chunk by chunk. Any number of processes may: each chunk is one process's. */
export function createResends({ carryOut, log }: ResendsDeps): Resends {
  const runStep = createRunStep(log);
  let busyUntilMs = Number.NEGATIVE_INFINITY;

  async function runOnce(): Promise<void> {
    for (let chunks = 0; chunks < maxChunks; chunks += 1) {
      const chunk = await runStep('resend', carryOut);
      if (!chunk) return;
      busyUntilMs = performance.now() + longestPauseMs;
      if (chunk.isFinished) log.info('resend.finished', { name: chunk.resendId });
    }
  }

  return {
    runOnce,
    ...createLoop(runOnce, () => (performance.now() < busyUntilMs ? busyMs : idleMs)),
  };
}

/** Between two chunks of the slowest pace, and some more. */
const longestPauseMs = 3_000;
