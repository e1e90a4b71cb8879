import type { CaptureRecord } from '@belfry/channels';
import { isAnsweredError, type NewCapture } from '@belfry/database';
import { createBatcher } from '@belfry/runtime';

const capturesPerFlush = 200;
const maxCapturesWaiting = 10_000;

type Stored = { error?: unknown };

/** Stores what the sandbox took, many in one statement; one that PostgreSQL refuses fails alone. */
export function createCapture(
  writeCaptures: (captures: NewCapture[]) => Promise<void>,
): (record: CaptureRecord) => Promise<void> {
  const batcher = createBatcher<NewCapture, Stored>({
    flush: store,
    maxBatch: capturesPerFlush,
    maxWaiting: maxCapturesWaiting,
  });

  async function store(captures: NewCapture[]): Promise<Stored[]> {
    try {
      await writeCaptures(captures);
      return captures.map(() => ({}));
    } catch (error) {
      // Whether a lost connection wrote them, nobody knows; an answer was for one of them.
      if (captures.length === 1 || !isAnsweredError(error)) return captures.map(() => ({ error }));
      const stored: Stored[] = [];
      for (const capture of captures) stored.push(...(await store([capture])));
      return stored;
    }
  }

  return async function capture({ content, request, outcome, ...record }) {
    const stored = await batcher.add({
      ...record,
      content: JSON.stringify(content),
      request: JSON.stringify(request),
      outcome: outcome.outcome,
    });
    if (stored.error !== undefined) throw stored.error;
  };
}
