import {
  byteaArray,
  jsonColumn,
  plainArray,
  readJsonColumn,
  selectTerms,
  textArray,
} from '@belfry/database';
import { type ItemPlan, notesColumn, planColumns, skipsColumn } from './item-plan';
import type { KeyOutcome, NewIdempotencyKey } from './stored-key';

/** All rows of one accepted request. */
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
    /** See parseTraceparent. */
    traceparent?: string | undefined;
  };
  key: NewIdempotencyKey | undefined;
  items: NewItem[];
};

export type RequestWithKey = NewRequest & { key: NewIdempotencyKey };

export type WriteResult =
  | KeyOutcome
  /** The key was used before, but the stored row could not be read. */
  | { error: unknown };

export type NewItem = {
  /** JSON of the wire's `user`, its Slack token sealed. */
  recipient: string | undefined;
  data: string | undefined;
  override: string | undefined;
  locale: string | undefined;
  /** The text from the request; parsed again when the item is planned. */
  scheduleAt: string | undefined;
  /** JSON. */
  metadata?: string | undefined;
  cancelKey?: string | undefined;
  /** Undefined if fan-out still has to plan the item. */
  plan: ItemPlan | undefined;
};

/**
 * Builds the insert. `callsWithKey` are the requests with a key, in lock order. The statement returns the ids of requests
 * that lost their key.
 */
export function writeStatement(calls: NewRequest[], callsWithKey: RequestWithKey[]) {
  const values = [...keyColumns(callsWithKey), ...requestColumns(calls)];
  const withTerms = calls.some(({ items }) => items.some(hasTerms)) ? 'WithTerms' : '';
  return mayBeBulks(calls)
    ? {
        ...statements[`bulks${withTerms}`],
        values: [...values, ...bulkColumns(calls), traceColumn(calls)],
      }
    : {
        ...statements[`requests${withTerms}`],
        values: [...values, ...itemColumns(calls), ...messageColumns(calls), ...textColumns(calls)],
      };
}

function hasTerms({ metadata, cancelKey }: NewItem): boolean {
  return metadata !== undefined || cancelKey !== undefined;
}

/** The statement compares each item with each request. */
const maxBulksTogether = 8;

function mayBeBulks(calls: NewRequest[]): boolean {
  return (
    calls.length <= maxBulksTogether &&
    calls.every(({ items }) => items.length > 0 && items.every(({ plan }) => !plan))
  );
}

// Usually no key is lost, and then no row is compared.
const isWon = (id: string) =>
  `(SELECT ids IS NULL FROM lost) OR ${id} <> ALL ((SELECT ids FROM lost)::uuid[])`;

/** `traceparents` is a parameter of each statement, with another number. */
const createCallCtes = (traceparents: string) => `
WITH k AS (
  INSERT INTO idempotency_key (account_id, key_hash, fingerprint, ring_key_id, request_id, status)
  SELECT * FROM unnest($1::uuid[], $2::bytea[], $3::bytea[], $4::text[], $5::uuid[], $6::int[])
  ON CONFLICT DO NOTHING
  RETURNING request_id
), lost AS (
  SELECT array_agg(id) AS ids FROM unnest($5::uuid[]) id WHERE id NOT IN (SELECT request_id FROM k)
), r AS (
  INSERT INTO request (id, account_id, app_id, event_id, version_id, kind, items, planned_items, api_key_id, idempotency_key, traceparent)
  SELECT t.id, t.account_id, t.app_id, t.event_id, t.version_id, t.kind, t.items, t.planned_items, t.api_key_id, t.idempotency_key, t.traceparent
  FROM unnest($7::uuid[], $8::uuid[], $9::uuid[], $10::uuid[], $11::uuid[], $12::text[], $13::int[], $14::int[], $15::text[], $16::text[], ${traceparents}::text[])
    t (id, account_id, app_id, event_id, version_id, kind, items, planned_items, api_key_id, idempotency_key, traceparent)
  WHERE ${isWon('t.id')}
`;

/** Parts of the statements for items that have terms. */
type TermParts = { fromRequest: string; fromItem: string; ctes: string };

const noTerms: TermParts = { fromRequest: '', fromItem: '', ctes: '' };
const withTerms: TermParts = {
  fromRequest: 'RETURNING id, app_id',
  fromItem: 'RETURNING request_id, metadata, cancel_key',
  ctes: `, d AS (
  INSERT INTO request_term (app_id, term, request_id)
  SELECT DISTINCT r.app_id, s.term, i.request_id FROM i JOIN r ON r.id = i.request_id CROSS JOIN LATERAL (${selectTerms('i')}) s
)`,
};

const createStatement = ({
  fromRequest,
  fromItem,
  ctes,
}: TermParts) => `${createCallCtes('$39')}${fromRequest}), i AS (
  INSERT INTO request_item (request_id, item, recipient, data, override, locale, schedule_at, skips, planned_at, metadata, cancel_key)
  SELECT t.request_id, t.item, t.recipient, t.data, t.override, t.locale, t.schedule_at, t.skips::jsonb, CASE WHEN t.planned THEN now() END,
    t.metadata, t.cancel_key
  FROM unnest($17::uuid[], $18::int[], ${readJsonColumn('$19')}, ${readJsonColumn('$20')}, ${readJsonColumn('$21')}, $22::text[], $23::text[], ${readJsonColumn('$24')}, $25::bool[], $37::text[], $38::text[])
    t (request_id, item, recipient, data, override, locale, schedule_at, skips, planned, metadata, cancel_key)
  WHERE ${isWon('t.request_id')} ${fromItem}
), m AS (
  INSERT INTO message (id, request_id, item, app_id, channel, target, integration_id, due_at, expires_at, job_id, is_bulk, notes, waits)
  SELECT t.id, t.request_id, t.item, t.app_id, t.channel, t.target, t.integration_id, coalesce(t.due_at, now()),
    coalesce(t.due_at, now()) + t.time_to_live_ms * interval '1 ms', t.job_id, false, t.notes::jsonb,
    CASE WHEN t.due_at IS NOT NULL THEN 'schedule' END
  FROM unnest($26::uuid[], $27::uuid[], $28::int[], $29::uuid[], $30::text[], $31::text[], $32::uuid[], $33::timestamptz[], $34::float8[], $35::uuid[], $36::text[])
    t (id, request_id, item, app_id, channel, target, integration_id, due_at, time_to_live_ms, job_id, notes)
  WHERE ${isWon('t.request_id')}
)${ctes}
SELECT unnest(ids) AS request_id FROM lost`;

// A bulk item carries only its own fields: its request and number follow from its position.
const createBulkStatement = ({
  fromRequest,
  fromItem,
  ctes,
}: TermParts) => `${createCallCtes('$25')}${fromRequest}), i AS (
  INSERT INTO request_item (request_id, item, recipient, data, override, locale, schedule_at, metadata, cancel_key)
  SELECT b.id, t.number - b.items_before - 1, t.recipient, t.data, t.override, t.locale, t.schedule_at, t.metadata, t.cancel_key
  FROM unnest($7::uuid[], $17::int[], $13::int[]) b (id, items_before, items)
  JOIN unnest($18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::text[], $24::text[]) WITH ORDINALITY
    t (recipient, data, override, locale, schedule_at, metadata, cancel_key, number)
    ON t.number > b.items_before AND t.number <= b.items_before + b.items
  WHERE ${isWon('b.id')} ${fromItem}
)${ctes}
SELECT unnest(ids) AS request_id FROM lost`;

const statements = {
  requests: { name: 'write-requests', text: createStatement(noTerms) },
  requestsWithTerms: { name: 'write-requests-with-terms', text: createStatement(withTerms) },
  bulks: { name: 'write-bulks', text: createBulkStatement(noTerms) },
  bulksWithTerms: { name: 'write-bulks-with-terms', text: createBulkStatement(withTerms) },
};

function bulkColumns(calls: NewRequest[]): unknown[] {
  let before = 0;
  const itemsBefore = calls.map(({ items }) => {
    before += items.length;
    return before - items.length;
  });
  const items = calls.flatMap((call) => call.items);
  return [
    plainArray(itemsBefore),
    textArray(items.map(({ recipient }) => recipient)),
    ...optionalTexts.map((getText) => sparseArray(items.map(getText))),
  ];
}

const optionalTexts: ((item: NewItem) => string | undefined)[] = [
  ({ data }) => data,
  ({ override }) => override,
  ({ locale }) => locale,
  ({ scheduleAt }) => scheduleAt,
  ({ metadata }) => metadata,
  ({ cancelKey }) => cancelKey,
];

/** Sends an empty array if no item has the field: unnest pads shorter arrays with nulls. */
function sparseArray(values: readonly (string | undefined)[]): Buffer | string {
  return values.every((value) => value === undefined) ? '{}' : textArray(values);
}

function traceColumn(calls: NewRequest[]): Buffer | string {
  return sparseArray(calls.map(({ request }) => request.traceparent));
}

function keyColumns(calls: RequestWithKey[]): unknown[] {
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
    ...planColumns(messages),
    plainArray(messages.map(({ message }) => message.jobId)),
    textArray(messages.map(({ message }) => notesColumn(message))),
  ];
}

/** Columns that few calls have; last, so that a new one renumbers no other parameter. */
function textColumns(calls: NewRequest[]): unknown[] {
  const items = calls.flatMap((call) => call.items);
  return [
    sparseArray(items.map(({ metadata }) => metadata)),
    sparseArray(items.map(({ cancelKey }) => cancelKey)),
    traceColumn(calls),
  ];
}
