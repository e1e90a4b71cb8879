import type { Queryable } from '@belfry/database';
import type { SkipReason } from '@belfry/shared';
import { writeStatement } from './write.sql';

/** Everything that one accepted call writes. */
export type NewRequest = {
  request: {
    id: string;
    accountId: string;
    appId: string;
    eventId: string;
    versionId: string;
    kind: 'single' | 'bulk' | 'test';
    apiKeyId: string | undefined;
    idempotencyKey: string | undefined;
  };
  key: NewIdempotencyKey | undefined;
  items: NewItem[];
};

export type NewIdempotencyKey = {
  hash: Buffer;
  fingerprint: Buffer;
  ringKeyId: string;
  status: number;
};

export type NewItem = {
  /** JSON of the wire's `user`, its Slack token sealed. */
  recipient: string | undefined;
  data: string | undefined;
  override: string | undefined;
  locale: string | undefined;
  /** As given; read again when the item is planned. */
  scheduleAt: string | undefined;
  /** Undefined where fanout has still to plan the item. */
  plan: ItemPlan | undefined;
};

export type ItemPlan = {
  messages: NewMessage[];
  /** By channel. */
  skips: Record<string, Skip>;
  /** The language that the recipient wants, from the call or from the stored user. */
  locale: string | undefined;
};

export type Skip = { reason: SkipReason; detail: string };

export type NewMessage = {
  id: string;
  channel: string;
  target: string;
  integrationId: string | undefined;
  /** Undefined is now, by PostgreSQL's clock. */
  dueAt: Date | undefined;
  timeToLiveMs: number;
  /** The job that will carry it; undefined leaves it to the relay. */
  jobId: string | undefined;
  note: string | undefined;
  /** The device that it is for alone; see claimMessages. */
  deviceId?: string | undefined;
};

export type KeyOutcome =
  | { isWritten: true }
  /** The account used the key before: what was stored then. */
  | { isWritten: false; winner: StoredKey };

export type RequestWriteResult =
  | KeyOutcome
  /** The key was taken, and by what could not be read. */
  | { error: unknown };

export type StoredKey = {
  fingerprint: Buffer;
  ringKeyId: string;
  requestId: string;
  status: number;
  body: string | undefined;
};

/**
 * Writes calls in one statement: key, request, items and messages together, or, where the key was
 * taken, nothing. One result a call, in order. No key may stand twice in `calls`.
 */
export async function writeRequests(
  pool: Queryable,
  calls: NewRequest[],
): Promise<RequestWriteResult[]> {
  // One lock order for every gateway: two flushes that cross would wait for each other.
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

/** The others of the flush are committed by now: what fails here is the losers' alone. */
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
        : { error: new Error('An idempotency key was taken and then removed within one accept') };
    };
  } catch (error) {
    return () => ({ error });
  }
}

export type KeyOfAccount = { accountId: string; hash: Buffer };

/** What was stored for each key that is known, by `nameOfKey`. */
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

/** One text for an account's key, to look it up by. */
export function toKeyName({ accountId, hash }: KeyOfAccount): string {
  return `${accountId}:${hash.toString('base64')}`;
}

export type RequestWithKey = NewRequest & { key: NewIdempotencyKey };

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
