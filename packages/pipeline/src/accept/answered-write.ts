import {
  classifyWriteFailure,
  inTransaction,
  type Queryable,
  undoneOrTaken,
} from '@belfry/database';
import type pg from 'pg';
import { findStoredKeys } from './idempotency.sql';
import { type NewIdempotencyKey, type StoredKey, toKeyName } from './stored-key';
import { conflict } from './write-failure';

/** A request whose response is stored with its idempotency key, in the transaction of its work. */
export type AnsweredCall = {
  /** The id of the request. */
  callId: string;
  accountId: string;
  key: NewIdempotencyKey | undefined;
};

export type AnsweredWrite =
  | {
      isWritten: true;
      /** The response body. */
      body: string;
    }
  /** The account used the key before; `winner` is the stored response. */
  | { isWritten: false; winner: StoredKey };

/**
 * Runs `work` and stores its response under the idempotency key in one transaction. `work` returns the response body.
 * If it throws, also for a refusal, the transaction rolls back and the key stays free.
 */
export async function writeAnswered(
  pool: pg.Pool,
  call: AnsweredCall,
  work: (client: Queryable) => Promise<string>,
): Promise<AnsweredWrite> {
  return inTransaction(pool, (client) => writeWithKey(client, call, work), undoneOrTaken);
}

async function writeWithKey(
  client: Queryable,
  call: AnsweredCall,
  work: (client: Queryable) => Promise<string>,
): Promise<AnsweredWrite> {
  const { key } = call;
  if (!key) return { isWritten: true, body: await work(client) };
  // Insert the key first: a second request with the same key waits here and does no work.
  const winner = await takeKey(client, call, key);
  if (winner) return { isWritten: false, winner };
  const body = await work(client);
  await client.query({
    name: 'store-answer',
    text: 'UPDATE idempotency_key SET body = $3 WHERE account_id = $1 AND key_hash = $2',
    values: [call.accountId, key.hash, body],
  });
  return { isWritten: true, body };
}

async function takeKey(
  client: Queryable,
  { callId, accountId }: AnsweredCall,
  key: NewIdempotencyKey,
): Promise<StoredKey | undefined> {
  const values = [accountId, key.hash, key.fingerprint, key.ringKeyId, callId, key.status];
  const { rowCount } = await client
    .query({ name: 'take-key', text: takeKeyStatement, values })
    .catch(refuseBusyKey);
  if (rowCount === 1) return undefined;
  const stored = await findStoredKeys(client, [{ accountId, hash: key.hash }]);
  const winner = stored.get(toKeyName({ accountId, hash: key.hash }));
  if (!winner)
    throw new Error('The idempotency key was inserted by another request and then removed');
  return winner;
}

const takeKeyStatement = `
INSERT INTO idempotency_key (account_id, key_hash, fingerprint, ring_key_id, request_id, status)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (account_id, key_hash) DO NOTHING`;

function refuseBusyKey(error: unknown): never {
  throw classifyWriteFailure(error) === 'locked' ? conflict(error) : error;
}
