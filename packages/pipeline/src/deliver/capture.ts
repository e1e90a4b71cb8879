import type { CaptureRecord } from '@belfry/channels';
import { isAnsweredError } from '@belfry/database';
import { createBatcher } from '@belfry/runtime';
import { type StoredCapture, toStoredCapture } from './capture.sql';

const capturesPerFlush = 200;
const maxCapturesWaiting = 10_000;

type Stored = { error?: unknown };

/** Stores captures in batches; a capture that PostgreSQL refuses fails alone. */
export function createCapture(
  writeCaptures: (captures: StoredCapture[]) => Promise<void>,
): (record: CaptureRecord) => Promise<void> {
  const batcher = createBatcher<StoredCapture, Stored>({
    flush: store,
    maxBatch: capturesPerFlush,
    maxWaiting: maxCapturesWaiting,
  });

  async function store(captures: StoredCapture[]): Promise<Stored[]> {
    try {
      await writeCaptures(captures);
      return captures.map(() => ({}));
    } catch (error) {
      // After a lost connection it is unknown whether they were written. A PostgreSQL error is about one capture: find it.
      if (captures.length === 1 || !isAnsweredError(error)) return captures.map(() => ({ error }));
      const stored: Stored[] = [];
      for (const capture of captures) stored.push(...(await store([capture])));
      return stored;
    }
  }

  return async function capture({ outcome, ...record }) {
    // A value that is not JSON throws here, before it reaches a batch.
    const row = toStoredCapture({ ...record, outcome: outcome.outcome });
    const stored = await batcher.add(row);
    if (stored.error !== undefined) throw stored.error;
  };
}
