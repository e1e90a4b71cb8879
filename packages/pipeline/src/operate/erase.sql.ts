import { type Queryable, selectTerms, wentTo } from '@belfry/database';
import { formatErasedTarget } from '@belfry/shared';
import { leaseExpired } from '../deliver/record.sql';
import { isErased } from './is-erased.sql';
import { type Items, itemsCondition, planAsSkipped, toItemValues } from './plan-as-skipped.sql';

/**
 * The position in a run over a user's rows. Source 0 is the inbox, 1 the items that name the user, and each further source
 * the items sent to one of the user's addresses.
 */
export type ErasePlace = { source: number; after: string };

export const firstPlace: ErasePlace = { source: 0, after: '00000000-0000-0000-0000-000000000000' };

export type ErasedChunk = {
  /** Undefined at the end of the run. */
  next: ErasePlace | undefined;
  /** A message to the user is being sent right now, so another run must check again. */
  isWaiting: boolean;
  messages: number;
};

const itemsAChunk = 200;
const inboxItemsAChunk = 2_000;

/** Erases one chunk in the caller's transaction. Idempotent, also when two processes erase the same chunk. */
export async function eraseChunk(
  client: Queryable,
  erasureId: string,
  place: ErasePlace,
): Promise<ErasedChunk> {
  const { rows } = await client.query<Erasure>(
    `SELECT id, app_id AS "appId", user_id AS "userId", addresses, created_at AS "createdAt"
     FROM erasure WHERE id = $1 AND finished_at IS NULL`,
    [erasureId],
  );
  const [erasure] = rows;
  if (!erasure) return { next: undefined, isWaiting: false, messages: 0 };
  if (place.source === 0) return eraseInbox(client, erasure, place);
  const walked = await walk(client, erasure, place);
  const theirs = walked.filter(({ isTheirs }) => isTheirs);
  const { messages, isWaiting } = await eraseItems(client, theirs);
  if (messages > 0) {
    await client.query('UPDATE erasure SET messages = messages + $2 WHERE id = $1', [
      erasureId,
      messages,
    ]);
  }
  return { next: findNextPlace(erasure, place, walked), isWaiting, messages };
}

type Erasure = {
  id: string;
  appId: string;
  userId: string;
  addresses: string[];
  createdAt: Date;
};

async function eraseInbox(
  client: Queryable,
  { id, appId, userId }: Erasure,
  place: ErasePlace,
): Promise<ErasedChunk> {
  const { rowCount } = await client.query(
    `DELETE FROM inbox_item WHERE id IN (
       SELECT i.id FROM inbox_item i JOIN erasure e ON e.id = $3
       WHERE i.app_id = $1 AND i.user_id = $2 AND i.created_at <= e.created_at
       LIMIT ${inboxItemsAChunk})`,
    [appId, userId, id],
  );
  const mayBeMore = (rowCount ?? 0) === inboxItemsAChunk;
  if (!mayBeMore) {
    await client.query('DELETE FROM inbox_reader WHERE app_id = $1 AND user_id = $2', [
      appId,
      userId,
    ]);
  }
  return { next: mayBeMore ? place : nextSource(place), isWaiting: false, messages: 0 };
}

type WalkedItem = { requestId: string; item: number; isTheirs: boolean };

/**
 * Lists requests accepted before the erasure; later ones belong to a new user. It lists whole requests, because a bulk may
 * have several items for one address and the next chunk starts after it.
 */
async function walk(
  client: Queryable,
  { id, appId, userId, addresses }: Erasure,
  { source, after }: ErasePlace,
): Promise<WalkedItem[]> {
  const address = addresses[source - 2];
  const itemsStatement = source === 1 ? itemsThatName : itemsSentTo;
  const { rows } = await client.query<WalkedItem>(
    `WITH walked AS (${itemsStatement} ORDER BY request_id FETCH FIRST ${itemsAChunk} ROWS WITH TIES)
     SELECT DISTINCT w.request_id AS "requestId", w.item,
       r.app_id = $1 AND r.created_at <= e.created_at
         AND coalesce(i.recipient::jsonb ->> 'user_id', $2) = $2 AS "isTheirs"
     FROM walked w JOIN request r ON r.id = w.request_id
     JOIN request_item i ON i.request_id = w.request_id AND i.item = w.item
     JOIN erasure e ON e.id = $4
     ORDER BY w.request_id, w.item`,
    [appId, userId, after, id, address ?? ''],
  );
  return rows;
}

const itemsThatName = `SELECT request_id, item FROM request_item
  WHERE recipient IS NOT NULL AND recipient::jsonb ->> 'user_id' = $2 AND request_id > $3
    AND $5::text IS NOT NULL`;

const itemsSentTo = `SELECT request_id, item FROM message m
  WHERE app_id = $1 AND ${wentTo('m', '$5')} AND request_id > $3`;

function findNextPlace(
  { addresses }: Erasure,
  place: ErasePlace,
  walked: readonly WalkedItem[],
): ErasePlace | undefined {
  const last = walked.at(-1);
  // Several messages of one item give one row, so a full page may have few rows.
  if (last) return { source: place.source, after: last.requestId };
  return place.source - 1 < addresses.length ? nextSource(place) : undefined;
}

function nextSource({ source }: ErasePlace): ErasePlace {
  return { source: source + 1, after: firstPlace.after };
}

/**
 * Skips queued messages. A message that is being sent cannot be stopped: it is not retried, and its item is left until its
 * result is recorded. Otherwise a worker would write the address again.
 */
async function eraseItems(
  client: Queryable,
  items: Items,
): Promise<{ messages: number; isWaiting: boolean }> {
  if (items.length === 0) return { messages: 0, isWaiting: false };
  await lockRequests(client, items);
  await lockMessages(client, items);
  await client.query(skipWaiting, toItemValues(items));
  const { rows } = await client.query<{ requestId: string; item: number }>(
    endSending,
    toItemValues(items),
  );
  const busy = new Set(rows.map(({ requestId, item }) => `${requestId} ${item}`));
  const settled = items.filter(({ requestId, item }) => !busy.has(`${requestId} ${item}`));
  const messages = await redact(client, settled);
  return { messages, isWaiting: busy.size > 0 };
}

/** Fan-out waits for this lock and then finds its chunk changed. If fan-out was first, the next statements see its rows. */
async function lockRequests(client: Queryable, items: Items): Promise<void> {
  await client.query(
    'SELECT FROM request WHERE id = ANY ($1::uuid[]) ORDER BY id FOR NO KEY UPDATE',
    [items.map(({ requestId }) => requestId)],
  );
}

/** A resend locks the message that it copies, so the next statements see its new message. */
async function lockMessages(client: Queryable, items: Items): Promise<void> {
  await client.query(
    `SELECT FROM message m WHERE ${itemsCondition} ORDER BY m.id FOR NO KEY UPDATE`,
    toItemValues(items),
  );
}

const skipWaiting = `
UPDATE message m SET state = 'skipped', reason = 'erased', due_at = NULL, job_id = NULL, waits = NULL, settled_at = now()
WHERE ${itemsCondition} AND m.state = 'queued'`;

const endSending = `
UPDATE message m SET expires_at = least(m.expires_at, now())
WHERE ${itemsCondition} AND m.state = 'sending'
RETURNING m.request_id AS "requestId", m.item`;

async function redact(client: Queryable, items: Items): Promise<number> {
  if (items.length === 0) return 0;
  const values = toItemValues(items);
  await planAsSkipped(client, items, { reason: 'erased' });
  for (const statement of redactions) await client.query(statement, values);
  const { rowCount } = await client.query(replaceAddress, values);
  return rowCount ?? 0;
}

const messageIds = `SELECT m.id FROM message m WHERE ${itemsCondition}`;

const redactions = [
  // Details may quote an invalid address.
  `UPDATE request_item i SET recipient = NULL, data = NULL, override = NULL, metadata = NULL, cancel_key = NULL,
     skips = (SELECT jsonb_object_agg(channel, skip - 'detail') FROM jsonb_each(i.skips) s (channel, skip))
   WHERE (i.request_id, i.item) IN (SELECT * FROM unnest($1::uuid[], $2::int[]))`,
  // A term stays while another item of the request has it.
  `DELETE FROM request_term t WHERE t.request_id IN (SELECT id FROM unnest($1::uuid[], $2::int[]) u (id, item))
     AND NOT EXISTS (
       SELECT 1 FROM request_item i CROSS JOIN LATERAL (${selectTerms('i')}) s
       WHERE i.request_id = t.request_id AND i.request_id = ANY ($1::uuid[]) AND s.term = t.term)`,
  // A result that arrives after its lease expired is stored if the reason is lease_expired. It has the address, so change the reason.
  `UPDATE attempt a SET request = NULL, response = NULL, detail = NULL, provider_message_id = NULL,
     closed_at = coalesce(a.closed_at, now()), reason = CASE WHEN a.reason = '${leaseExpired}' THEN 'erased' ELSE a.reason END
   WHERE a.message_id IN (${messageIds})`,
  `UPDATE receipt SET body = '{}', detail = NULL, provider_message_id = NULL WHERE message_id IN (${messageIds})`,
  `DELETE FROM capture WHERE message_id IN (${messageIds})`,
  `DELETE FROM inbox_item WHERE message_id IN (${messageIds})`,
];

const replaceAddress = `
UPDATE message m SET target = '${formatErasedTarget('')}' || m.id, notes = NULL
WHERE ${itemsCondition} AND NOT ${isErased('m')}`;
