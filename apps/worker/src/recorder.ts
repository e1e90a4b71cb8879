import { setTimeout as sleep } from 'node:timers/promises';
import type { AttemptResult } from '@belfry/database';
import { type Batcher, createBatcher, type Logger } from '@belfry/runtime';

export type Recorder = {
  /** Resolves when the result is stored; true when it counted. It is kept and tried again until then. */
  record(result: AttemptResult): Promise<boolean>;
  close(): Promise<void>;
};

export type RecorderDeps = {
  recordResults(results: AttemptResult[]): Promise<boolean[]>;
  log: Logger;
};

const maxResultsPerFlush = 250;
const maxResultsWaiting = 10_000;
const firstWaitMs = 50;
const longestWaitMs = 5_000;

/** A provider's answer is worth more than the connection it could not be written to. */
export function createRecorder({ recordResults, log }: RecorderDeps): Recorder {
  let isClosed = false;
  const batcher: Batcher<AttemptResult, boolean> = createBatcher({
    flush: recordResults,
    maxBatch: maxResultsPerFlush,
    maxWaiting: maxResultsWaiting,
    // Two results of one message (its lease ran out, then it answered) must not meet in one statement.
    keyOf: (result) => result.messageId,
  });

  async function record(result: AttemptResult): Promise<boolean> {
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, longestWaitMs)) {
      try {
        return await batcher.add(result);
      } catch (error) {
        if (isClosed) throw error;
        log.warn('attempt.not_recorded', {
          message_id: result.messageId,
          attempt: result.attempt,
          outcome: result.outcome,
          error,
        });
        await sleep(waitMs);
      }
    }
  }

  return {
    record,
    async close() {
      isClosed = true;
      await batcher.close();
    },
  };
}
