import type { Queryable } from '@belfry/database';
import { cancelTerm } from '@belfry/database';
import type pg from 'pg';
import { dropSettledTexts } from '../accept/sealed-items';
import { callerNote, cancelledByCaller } from './cancel-note';
import { isPlanned } from './is-planned.sql';
import { setCancelled } from './message-changes.sql';
import { itemsCondition, planAsSkipped, toItemValues } from './plan-as-skipped.sql';

/** The messages that a caller cancels: by the key of their items, or by their request. */
export type Cancel = {
  appId: string;
  /** Undefined if `requestId` is given. */
  cancelKey: string | undefined;
  requestId: string | undefined;
  /** Only items whose `user` had one of these ids; undefined for all. */
  userIds: readonly string[] | undefined;
  /** Only requests after this one, for the next call of a key that many requests share. */
  after: string | undefined;
};

export type CancelledRequest = { id: string; items: number };

/** The requests with the key, oldest first; or the request, if the app has it. */
export async function listCancelledRequests(
  pool: pg.Pool,
  { appId, cancelKey, requestId, after }: Cancel,
  limit: number,
): Promise<CancelledRequest[]> {
  const statement =
    requestId === undefined
      ? { text: byKeyStatement, values: [appId, cancelKey, after, limit] }
      : { text: byIdStatement, values: [appId, requestId] };
  return (await pool.query<CancelledRequest>(statement)).rows;
}

const byKeyStatement = `
SELECT r.id, r.items FROM request_term t JOIN request r ON r.id = t.request_id AND r.app_id = t.app_id
WHERE t.app_id = $1 AND t.term = ${cancelTerm('$2::text')} AND ($3::uuid IS NULL OR t.request_id > $3)
ORDER BY t.request_id LIMIT $4`;

const byIdStatement = 'SELECT id, items FROM request WHERE app_id = $1 AND id = $2';

export type CancelledChunk = {
  /** Messages that are cancelled by now, and channels of items that were cancelled before they were planned. */
  cancelled: number;
  tooLate: number;
  /** Messages that another transaction, such as a claim, is changing: the next try decides them. */
  undecided: number;
  /** The number of items that match. */
  items: number;
  /** The ids of `userIds` that match. */
  userIds: string[];
};

/**
 * Cancels the matching messages of these requests in the caller's transaction, as far as they are still queued. A claim
 * changes a message only in the same state, so a message is either cancelled or sent. Idempotent.
 */
export async function cancelChunk(
  client: Queryable,
  cancel: Cancel,
  requestIds: readonly string[],
): Promise<CancelledChunk> {
  await client.query(lockUnplanned, [requestIds, cancel.appId]);
  const items = await listItems(client, cancel, requestIds);
  if (items.some(({ isUnplanned }) => isUnplanned)) {
    await planAsSkipped(client, items, { reason: 'cancelled', detail: cancelledByCaller });
  }
  const values = [...toItemValues(items), cancel.appId];
  const { rows } = await client.query<{ id: string }>(cancelQueued, values);
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await dropSettledTexts(client, ids);
  const counted = await client.query<MessageCounts>(countStatement, values);
  const { messages = 0, cancelled = 0, undecided = 0, skipped = 0 } = counted.rows[0] ?? {};
  return {
    cancelled: cancelled + skipped,
    tooLate: messages - cancelled - undecided,
    undecided,
    items: items.length,
    userIds: items.flatMap(({ userId }) => userId ?? []),
  };
}

/** Fan-out waits for this lock and then finds its chunk changed. If fan-out was first, the next statements see its rows. */
const lockUnplanned = `
SELECT FROM request WHERE id = ANY ($1::uuid[]) AND app_id = $2 AND planned_items < items ORDER BY id FOR NO KEY UPDATE`;

type CancelledItem = {
  requestId: string;
  item: number;
  userId: string | null;
  isUnplanned: boolean;
};

async function listItems(
  client: Queryable,
  { appId, cancelKey, userIds }: Cancel,
  requestIds: readonly string[],
): Promise<CancelledItem[]> {
  const { rows } = await client.query<CancelledItem>(itemStatement, [
    requestIds,
    appId,
    cancelKey,
    userIds,
  ]);
  return rows;
}

const itemStatement = `
SELECT i.request_id AS "requestId", i.item, CASE WHEN $4::text[] IS NOT NULL THEN i.recipient::jsonb ->> 'user_id' END AS "userId",
  r.planned_items < r.items AND NOT ${isPlanned('i', 'r')} AS "isUnplanned"
FROM request r JOIN request_item i ON i.request_id = r.id
WHERE r.id = ANY ($1::uuid[]) AND r.app_id = $2 AND ($3::text IS NULL OR i.cancel_key = $3)
  AND ($4::text[] IS NULL OR i.recipient::jsonb ->> 'user_id' = ANY ($4))
ORDER BY i.request_id, i.item`;

/** Resends are messages that an operator ordered. */
const isOwn = `${itemsCondition} AND m.app_id = $3 AND m.generation = 0`;

// Skips locked rows: waiting for a claim of many messages, while it waits for one of these, would be a deadlock.
const cancelQueued = `
WITH t AS MATERIALIZED (
  SELECT m.id FROM message m WHERE ${isOwn} AND m.state = 'queued' FOR NO KEY UPDATE SKIP LOCKED
)
${setCancelled(`coalesce(m.notes, '{}') || '${JSON.stringify(callerNote)}'`)}
FROM t WHERE m.id = t.id AND m.state = 'queued' RETURNING m.id`;

type MessageCounts = { messages: number; cancelled: number; undecided: number; skipped: number };

const countStatement = `
SELECT count(*)::int AS messages,
  (count(*) FILTER (WHERE m.state = 'skipped' AND m.reason = 'cancelled'))::int AS cancelled,
  (count(*) FILTER (WHERE m.state = 'queued'))::int AS undecided,
  (SELECT count(*)::int FROM request_item i JOIN request r ON r.id = i.request_id AND r.app_id = $3
   CROSS JOIN LATERAL jsonb_each(i.skips) s (channel, skip)
   WHERE (i.request_id, i.item) IN (SELECT * FROM unnest($1::uuid[], $2::int[])) AND s.skip ->> 'reason' = 'cancelled') AS skipped
FROM message m WHERE ${isOwn}`;
