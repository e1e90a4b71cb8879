import type { Queryable } from '@belfry/database';
import { type NewRequest, type RequestWithKey, writeStatement } from './write.sql';

export type KeyOutcome =
  | { isWritten: true }
  /** The account used the key before; `winner` is the stored response. */
  | { isWritten: false; winner: StoredKey };

export type RequestWriteResult =
  | KeyOutcome
  /** The key was used before, but the stored row could not be read. */
  | { error: unknown };

export type StoredKey = {
  fingerprint: Buffer;
  ringKeyId: string;
  requestId: string;
  status: number;
  body: string | undefined;
};

/**
 * Writes requests in one statement: key, request, items and messages together, or nothing if the key was used before.
 * Returns one result for each request, in order. Each key may occur once in `calls`.
 */
export async function writeRequests(
  pool: Queryable,
  calls: NewRequest[],
): Promise<RequestWriteResult[]> {
  // Sort by key, so that all gateways lock in the same order and two flushes cannot deadlock.
  const callsWithKey = calls.filter(hasKey).sort(byAccountAndKey);
  const { rows } = await pool.query<{ request_id: string }>(writeStatement(calls, callsWithKey));
  if (rows.length === 0) return calls.map(() => ({ isWritten: true }));
  const lost = new Set(rows.map((row) => row.request_id));
  const losers = callsWithKey.filter((call) => lost.has(call.request.id));
  const readWinner = await readWinners(pool, losers);
  return calls.map((call) =>
    hasKey(call) && lost.has(call.request.id) ? readWinner(call) : { isWritten: true },
  );
}

/** The other requests of the flush are committed, so an error here concerns only the losers. */
async function readWinners(
  pool: Queryable,
  losers: RequestWithKey[],
): Promise<(call: RequestWithKey) => RequestWriteResult> {
  try {
    const winners = await findStoredKeys(pool, losers.map(toKeyOfAccount));
    return (call) => {
      const winner = winners.get(toKeyName(toKeyOfAccount(call)));
      return winner
        ? { isWritten: false, winner }
        : {
            error: new Error(
              'The idempotency key was inserted by another request and then removed',
            ),
          };
    };
  } catch (error) {
    return () => ({ error });
  }
}

export type KeyOfAccount = { accountId: string; hash: Buffer };

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

/** The lookup name of an account's key. */
export function toKeyName({ accountId, hash }: KeyOfAccount): string {
  return `${accountId}:${hash.toString('base64')}`;
}

function hasKey(call: NewRequest): call is RequestWithKey {
  return call.key !== undefined;
}

function toKeyOfAccount(call: RequestWithKey): KeyOfAccount {
  return { accountId: call.request.accountId, hash: call.key.hash };
}

function byAccountAndKey(a: RequestWithKey, b: RequestWithKey): number {
  if (a.request.accountId !== b.request.accountId) {
    return a.request.accountId < b.request.accountId ? -1 : 1;
  }
  return Buffer.compare(a.key.hash, b.key.hash);
}
