import { setTimeout as sleep } from 'node:timers/promises';
import { isAnsweredError, isRefusedContent } from '@belfry/database';
import { type Batcher, createBatcher, type Logger } from '@belfry/runtime';
import type { AttemptResult } from './record.sql';

export type Recorder = {
  /** Retries until the result is stored. Resolves with true if it counted. */
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
/** `createGrace` depends on this value. */
const longestWaitMs = 1_000;

type Stored = { isRecorded: boolean } | { error: unknown };

/** Records results and retries, because a provider's response must not be lost when a connection fails. */
export function createRecorder({ recordResults, log }: RecorderDeps): Recorder {
  let isClosed = false;
  const batcher: Batcher<AttemptResult, Stored> = createBatcher({
    flush: store,
    maxBatch: maxResultsPerFlush,
    maxWaiting: maxResultsWaiting,
    // Two results of one message (from its expired lease, then from its worker) must not share a statement.
    getKey: (result) => result.messageId,
  });

  async function store(results: AttemptResult[]): Promise<Stored[]> {
    try {
      return (await recordResults(results)).map((isRecorded) => ({ isRecorded }));
    } catch (error) {
      // A result that PostgreSQL refuses must not block the other results.
      if (results.length === 1 || !isAnsweredError(error)) return results.map(() => ({ error }));
      const stored: Stored[] = [];
      for (const result of results) stored.push(...(await store([result])));
      return stored;
    }
  }

  async function record(attemptResult: AttemptResult): Promise<boolean> {
    let result = attemptResult;
    let stored = await tryOnce(result);
    // Log an outage once, not on every retry.
    if ('error' in stored) logFailure(result, stored.error);
    for (let waitMs = firstWaitMs; 'error' in stored; waitMs = getLongerWaitMs(waitMs)) {
      if (isClosed) throw stored.error;
      if (isRefusedContent(stored.error)) result = withoutTexts(result);
      await sleep(waitMs);
      stored = await tryOnce(result);
    }
    return stored.isRecorded;
  }

  function tryOnce(result: AttemptResult): Promise<Stored> {
    return batcher.add(result).catch((error: unknown) => ({ error }));
  }

  function logFailure({ messageId, attempt, outcome }: AttemptResult, error: unknown): void {
    log.warn('attempt.not_recorded', { message_id: messageId, attempt, outcome, error });
  }

  return {
    record,
    async close() {
      isClosed = true;
      await batcher.close();
    },
  };
}

function getLongerWaitMs(waitMs: number): number {
  return Math.min(waitMs * 2, longestWaitMs);
}

/** Drops the provider's texts, because the state of the message matters more. */
function withoutTexts(result: AttemptResult): AttemptResult {
  return {
    ...result,
    detail: 'The response of the provider could not be stored.',
    providerMessageId: undefined,
    request: undefined,
    response: undefined,
    notes: {},
  };
}
