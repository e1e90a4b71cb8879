import type { Queryable } from '@belfry/database';
import type pg from 'pg';
import {
  findStoredKeys,
  type KeyOutcome,
  type NewIdempotencyKey,
  toKeyName,
} from './write-requests';

export type NewStoredKey = {
  accountId: string;
  /** The id of the call. */
  requestId: string;
  key: NewIdempotencyKey;
  body: string;
};

/** Stores an answer under its key, with no work beside it: where the key was taken, nothing. */
export async function writeKeyAlone(pool: pg.Pool, stored: NewStoredKey): Promise<KeyOutcome> {
  const { accountId, requestId, key, body } = stored;
  const { rowCount } = await pool.query({
    name: 'write-key-alone',
    text: `INSERT INTO idempotency_key (account_id, key_hash, fingerprint, ring_key_id, request_id, status, body)
           VALUES ($1, $2, $3, $4, $5, $6, $7)
           ON CONFLICT DO NOTHING`,
    values: [accountId, key.hash, key.fingerprint, key.ringKeyId, requestId, key.status, body],
  });
  if (rowCount === 1) return { isWritten: true };
  const place = { accountId, hash: key.hash };
  const winner = (await findStoredKeys(pool, [place])).get(toKeyName(place));
  if (!winner) throw new Error('An idempotency key was taken and then removed within one call');
  return { isWritten: false, winner };
}

export type PurgeOptions = {
  /** Counted from when the key was first seen; a replay does not extend it. */
  olderThanMs: number;
  /** Rows of one statement, at most. */
  limit: number;
};

/** What callers are promised: a key replays for a day. */
const promisedMs = 24 * 60 * 60_000;

/** Removes the oldest keys of that age, and says how many; a key used again after that is a new one. */
export async function purgeIdempotencyKeys(
  database: Queryable,
  { olderThanMs, limit }: PurgeOptions,
): Promise<number> {
  if (olderThanMs < promisedMs) {
    throw new RangeError(`A key is kept for ${promisedMs} ms, not for ${olderThanMs}`);
  }
  const { rowCount } = await database.query({
    text: `DELETE FROM idempotency_key
           WHERE (account_id, key_hash) IN (
             SELECT account_id, key_hash FROM idempotency_key
             WHERE first_seen <= now() - $1 * interval '1 ms'
             ORDER BY first_seen
             LIMIT $2
             FOR UPDATE SKIP LOCKED)`,
    values: [olderThanMs, limit],
  });
  return rowCount ?? 0;
}
