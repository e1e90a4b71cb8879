import type { SkipReason } from '@belfry/shared';
import { byteaArray, plainArray, textArray } from './array-parameters';
import { jsonColumn, jsonColumnOf } from './json-column';
import type { Queryable } from './transaction';

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

export type Written =
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
export async function writeRequests(pool: Queryable, calls: NewRequest[]): Promise<Written[]> {
  // One lock order for every gateway: two flushes that cross would wait for each other.
  const keyed = calls.filter(hasKey).sort(byAccountAndKey);
  const { rows } = await pool.query<{ request_id: string }>({
    name: 'write-requests',
    text: statement,
    values: [
      ...keyColumns(keyed),
      ...requestColumns(calls),
      ...itemColumns(calls),
      ...messageColumns(calls),
    ],
  });
  if (rows.length === 0) return calls.map(() => ({ isWritten: true }));
  const lost = new Set(rows.map((row) => row.request_id));
  const losers = keyed.filter((call) => lost.has(call.request.id));
  const readWinner = await readWinners(pool, losers);
  return calls.map((call) =>
    hasKey(call) && lost.has(call.request.id) ? readWinner(call) : { isWritten: true },
  );
}

/** The others of the flush are committed by now: what fails here is the losers' alone. */
async function readWinners(
  pool: Queryable,
  losers: KeyedRequest[],
): Promise<(call: KeyedRequest) => Written> {
  try {
    const winners = await findStoredKeys(pool, losers.map(keyOf));
    return (call) => {
      const winner = winners.get(nameOfKey(keyOf(call)));
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
      nameOfKey({ accountId: row.account_id, hash: row.key_hash }),
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
export function nameOfKey({ accountId, hash }: KeyOfAccount): string {
  return `${accountId}:${hash.toString('base64')}`;
}

// Nearly always no key is lost: then the rows are compared with nothing.
const isWon = (id: string) =>
  `(SELECT ids IS NULL FROM lost) OR ${id} <> ALL ((SELECT ids FROM lost)::uuid[])`;

const statement = `
WITH k AS (
  INSERT INTO idempotency_key (account_id, key_hash, fingerprint, ring_key_id, request_id, status)
  SELECT * FROM unnest($1::uuid[], $2::bytea[], $3::bytea[], $4::text[], $5::uuid[], $6::int[])
  ON CONFLICT DO NOTHING
  RETURNING request_id
), lost AS (
  SELECT array_agg(id) AS ids FROM unnest($5::uuid[]) id WHERE id NOT IN (SELECT request_id FROM k)
), r AS (
  INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items, api_key_id, idempotency_key)
  SELECT t.id, t.account_id, t.app_id, t.event_id, t.version_id, t.kind, t.items, t.planned_items, t.api_key_id, t.idempotency_key
  FROM unnest($7::uuid[], $8::uuid[], $9::uuid[], $10::uuid[], $11::uuid[], $12::text[], $13::int[], $14::int[], $15::text[], $16::text[])
    t (id, account_id, app_id, event_id, version_id, kind, items, planned_items, api_key_id, idempotency_key)
  WHERE ${isWon('t.id')}
), i AS (
  INSERT INTO request_item (request_id, item, recipient, data, override, locale, schedule_at, skips, planned_at)
  SELECT t.request_id, t.item, t.recipient, t.data, t.override, t.locale, t.schedule_at, t.skips::jsonb, CASE WHEN t.planned THEN now() END
  FROM unnest($17::uuid[], $18::int[], ${jsonColumnOf('$19')}, ${jsonColumnOf('$20')}, ${jsonColumnOf('$21')}, $22::text[], $23::text[], ${jsonColumnOf('$24')}, $25::bool[])
    t (request_id, item, recipient, data, override, locale, schedule_at, skips, planned)
  WHERE ${isWon('t.request_id')}
), m AS (
  INSERT INTO message (id, request_id, item, app_id, channel, target, integration_id, due_at, expires_at, job_id, is_bulk, notes, waits)
  SELECT t.id, t.request_id, t.item, t.app_id, t.channel, t.target, t.integration_id, coalesce(t.due_at, now()),
    coalesce(t.due_at, now()) + t.time_to_live_ms * interval '1 ms', t.job_id, false, t.notes::jsonb,
    CASE WHEN t.due_at IS NOT NULL THEN 'schedule' END
  FROM unnest($26::uuid[], $27::uuid[], $28::int[], $29::uuid[], $30::text[], $31::text[], $32::uuid[], $33::timestamptz[], $34::float8[], $35::uuid[], $36::text[])
    t (id, request_id, item, app_id, channel, target, integration_id, due_at, time_to_live_ms, job_id, notes)
  WHERE ${isWon('t.request_id')}
)
SELECT unnest(ids) AS request_id FROM lost`;

type KeyedRequest = NewRequest & { key: NewIdempotencyKey };

function hasKey(call: NewRequest): call is KeyedRequest {
  return call.key !== undefined;
}

function keyOf(call: KeyedRequest): KeyOfAccount {
  return { accountId: call.request.accountId, hash: call.key.hash };
}

function byAccountAndKey(a: KeyedRequest, b: KeyedRequest): number {
  if (a.request.accountId !== b.request.accountId) {
    return a.request.accountId < b.request.accountId ? -1 : 1;
  }
  return Buffer.compare(a.key.hash, b.key.hash);
}

function keyColumns(calls: KeyedRequest[]): unknown[] {
  return [
    plainArray(calls.map((call) => call.request.accountId)),
    byteaArray(calls.map((call) => call.key.hash)),
    byteaArray(calls.map((call) => call.key.fingerprint)),
    textArray(calls.map((call) => call.key.ringKeyId)),
    plainArray(calls.map((call) => call.request.id)),
    plainArray(calls.map((call) => call.key.status)),
  ];
}

function requestColumns(calls: NewRequest[]): unknown[] {
  return [
    plainArray(calls.map(({ request }) => request.id)),
    plainArray(calls.map(({ request }) => request.accountId)),
    plainArray(calls.map(({ request }) => request.appId)),
    plainArray(calls.map(({ request }) => request.eventId)),
    plainArray(calls.map(({ request }) => request.versionId)),
    textArray(calls.map(({ request }) => request.kind)),
    plainArray(calls.map(({ items }) => items.length)),
    plainArray(calls.map(({ items }) => items.filter((item) => item.plan).length)),
    textArray(calls.map(({ request }) => request.apiKeyId)),
    textArray(calls.map(({ request }) => request.idempotencyKey)),
  ];
}

function itemColumns(calls: NewRequest[]): unknown[] {
  const items = calls.flatMap((call) =>
    call.items.map((item, index) => ({ requestId: call.request.id, index, item })),
  );
  return [
    plainArray(items.map(({ requestId }) => requestId)),
    plainArray(items.map(({ index }) => index)),
    jsonColumn(items.map(({ item }) => item.recipient)),
    jsonColumn(items.map(({ item }) => item.data)),
    jsonColumn(items.map(({ item }) => item.override)),
    textArray(items.map(({ item }) => item.plan?.locale ?? item.locale)),
    textArray(items.map(({ item }) => item.scheduleAt)),
    jsonColumn(items.map(({ item }) => skipsColumn(item.plan))),
    plainArray(items.map(({ item }) => item.plan !== undefined)),
  ];
}

/** The item's skips as JSON; null where there are none. */
export function skipsColumn(plan: ItemPlan | undefined): string | undefined {
  return plan && Object.keys(plan.skips).length > 0 ? JSON.stringify(plan.skips) : undefined;
}

/** A message's notes as JSON; null where there are none. */
export function notesColumn({ note, deviceId }: NewMessage): string | undefined {
  if (note === undefined && deviceId === undefined) return undefined;
  return JSON.stringify({ address: note, device: deviceId });
}

function messageColumns(calls: NewRequest[]): unknown[] {
  const messages = calls.flatMap((call) =>
    call.items.flatMap((item, index) =>
      (item.plan?.messages ?? []).map((message) => ({ request: call.request, index, message })),
    ),
  );
  return [
    plainArray(messages.map(({ message }) => message.id)),
    plainArray(messages.map(({ request }) => request.id)),
    plainArray(messages.map(({ index }) => index)),
    plainArray(messages.map(({ request }) => request.appId)),
    textArray(messages.map(({ message }) => message.channel)),
    textArray(messages.map(({ message }) => message.target)),
    plainArray(messages.map(({ message }) => message.integrationId)),
    plainArray(messages.map(({ message }) => message.dueAt)),
    plainArray(messages.map(({ message }) => message.timeToLiveMs)),
    plainArray(messages.map(({ message }) => message.jobId)),
    textArray(messages.map(({ message }) => notesColumn(message))),
  ];
}
