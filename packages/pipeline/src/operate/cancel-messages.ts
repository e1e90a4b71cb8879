import { setTimeout as sleep } from 'node:timers/promises';
import { inTransaction } from '@belfry/database';
import { AppError } from '@belfry/shared';
import type pg from 'pg';
import {
  type Cancel,
  type CancelledChunk,
  type CancelledRequest,
  cancelChunk,
  listCancelledRequests,
} from './cancel-chunk.sql';

export type CancelResult = {
  cancelled: number;
  tooLate: number;
  /** User ids that match nothing; without user ids 1 if the key matches nothing. */
  unknown: number;
  /** `after` of the next call, if more requests have the key. */
  next: string | undefined;
};

export type CancelDeps = {
  pool: pg.Pool;
  /** Runs one transaction; limits how many run at once. */
  write<T>(work: () => Promise<T>): Promise<T>;
};

/** Limits of one call; a request is never divided. */
const maxRequests = 1_000;
const maxItems = 20_000;
/** Items of one transaction: claims of their messages wait for it. */
const itemsPerChunk = 1_000;
const maxWaitMs = 5_000;
const retryAfterMs = 10;

/**
 * Cancels the messages of a caller in chunks, each a transaction. A call that ends early, or is repeated, changes nothing
 * twice. Undefined if the app has no such request.
 */
export function createCancelMessages({ pool, write }: CancelDeps) {
  return async function cancelMessages(cancel: Cancel): Promise<CancelResult | undefined> {
    const listed = await write(() => listCancelledRequests(pool, cancel, maxRequests + 1));
    if (cancel.requestId !== undefined && listed.length === 0) return undefined;
    const requests = takeUpTo(listed.slice(0, maxRequests), maxItems);
    const endsAt = performance.now() + maxWaitMs;
    const chunks: CancelledChunk[] = [];
    for (let rest = requests; rest.length > 0; ) {
      const chunk = takeUpTo(rest, itemsPerChunk);
      rest = rest.slice(chunk.length);
      const ids = chunk.map(({ id }) => id);
      chunks.push(await cancelDecided(cancel, ids, endsAt));
    }
    const next = listed.length > requests.length ? requests.at(-1)?.id : undefined;
    return { ...addCounts(chunks), unknown: countUnknown(cancel, chunks), next };
  };

  /** Repeats a chunk until no other transaction holds one of its queued messages; a claim takes some milliseconds. */
  async function cancelDecided(
    cancel: Cancel,
    requestIds: string[],
    endsAt: number,
  ): Promise<CancelledChunk> {
    for (;;) {
      const chunk = await write(() =>
        inTransaction(pool, (client) => cancelChunk(client, cancel, requestIds)),
      );
      if (chunk.undecided === 0) return chunk;
      if (performance.now() > endsAt) throw stillLocked();
      await sleep(retryAfterMs);
    }
  }
}

function stillLocked(): AppError {
  const text = 'another transaction holds some of the messages: repeat the call to cancel them';
  return new AppError('unavailable', text);
}

/** The first requests that together have at most `limit` items, but at least one. */
function takeUpTo(requests: CancelledRequest[], limit: number): CancelledRequest[] {
  let items = 0;
  const end = requests.findIndex((request, index) => {
    items += request.items;
    return index > 0 && items > limit;
  });
  return end < 0 ? requests : requests.slice(0, end);
}

function addCounts(chunks: CancelledChunk[]): Pick<CancelResult, 'cancelled' | 'tooLate'> {
  return {
    cancelled: chunks.reduce((sum, chunk) => sum + chunk.cancelled, 0),
    tooLate: chunks.reduce((sum, chunk) => sum + chunk.tooLate, 0),
  };
}

function countUnknown({ userIds, after }: Cancel, chunks: CancelledChunk[]): number {
  if (userIds) {
    const matched = new Set(chunks.flatMap((chunk) => chunk.userIds));
    return new Set(userIds).size - matched.size;
  }
  const matchesNothing = chunks.every(({ items }) => items === 0);
  return matchesNothing && after === undefined ? 1 : 0;
}
