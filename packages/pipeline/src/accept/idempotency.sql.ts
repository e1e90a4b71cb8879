import type { Queryable } from '@belfry/database';
import type pg from 'pg';
import {
  type KeyOfAccount,
  type KeyOutcome,
  type NewIdempotencyKey,
  type StoredKey,
  toKeyName,
} from './stored-key';

/** Returns the stored rows of the keys, by `toKeyName`. */
export async function findStoredKeys(
  pool: Queryable,
  keys: KeyOfAccount[],
): Promise<Map<string, StoredKey>> {
  if (keys.length === 0) return new Map();
  const { rows } = await pool.query<StoredKeyRow>({
    name: 'find-stored-keys',
    text: `SELECT account_id, key_hash, fingerprint, ring_key_id, request_id, status, body
           FROM idempotency_key
           WHERE (account_id, key_hash) IN (SELECT * FROM unnest($1::uuid[], $2::bytea[]))`,
    values: [keys.map((key) => key.accountId), keys.map((key) => key.hash)],
  });
  return new Map(
    rows.map((row) => [
      toKeyName({ accountId: row.account_id, hash: row.key_hash }),
      {
        fingerprint: row.fingerprint,
        ringKeyId: row.ring_key_id,
        requestId: row.request_id,
        status: row.status,
        body: row.body ?? undefined,
      },
    ]),
  );
}

type StoredKeyRow = {
  account_id: string;
  key_hash: Buffer;
  fingerprint: Buffer;
  ring_key_id: string;
  request_id: string;
  status: number;
  body: string | null;
};

export type NewStoredKey = {
  accountId: string;
  /** The id of the request. */
  requestId: string;
  key: NewIdempotencyKey;
  body: string;
};

/** Stores a response under its key, without other work. Writes nothing if the key was used before. */
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
  if (!winner)
    throw new Error('The idempotency key was inserted by another request and then removed');
  return { isWritten: false, winner };
}

export type PurgeOptions = {
  /** Age since the key was first used; a replay does not extend it. */
  olderThanMs: number;
  /** Maximum rows of one statement. */
  limit: number;
};

/** The documented guarantee: a key replays its response for 24 hours. */
const promisedMs = 24 * 60 * 60_000;

/** Removes the oldest keys of that age and returns their number. A removed key counts as new when it is used again. */
export async function purgeIdempotencyKeys(
  database: Queryable,
  { olderThanMs, limit }: PurgeOptions,
): Promise<number> {
  if (olderThanMs < promisedMs) {
    throw new RangeError(`olderThanMs must be at least ${promisedMs} (got ${olderThanMs})`);
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
