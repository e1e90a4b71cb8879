import type { Queryable } from '@belfry/database';
import { plainArray, textArray } from '@belfry/database';
import type pg from 'pg';
import { type ItemPlan, notesColumn, planColumns, skipsColumn } from '../accept/item-plan';

/** A request with items that fan-out still has to plan, and its progress. */
export type UnplannedRequest = {
  id: string;
  appId: string;
  versionId: string;
  items: number;
  plannedItems: number;
  /** Items with a lower number are planned. */
  plannedTo: number;
  traceparent: string | null;
};

export async function findUnplannedRequest(
  pool: pg.Pool,
  requestId: string,
): Promise<UnplannedRequest | undefined> {
  const { rows } = await pool.query<UnplannedRequest>({
    name: 'find-unplanned-request',
    text: `SELECT id, app_id AS "appId", version_id AS "versionId", items, planned_items AS "plannedItems",
             planned_to AS "plannedTo", traceparent
           FROM request WHERE id = $1 AND planned_items < items`,
    values: [requestId],
  });
  return rows[0];
}

export type UnplannedItem = {
  item: number;
  recipient: string | undefined;
  override: string | undefined;
  locale: string | undefined;
  scheduleAt: string | undefined;
};

export type UnplannedItemsPage = {
  requestId: string;
  /** The lowest item number of the page. */
  from: number;
  limit: number;
};

/** In order, without items that are planned already. */
export async function listUnplannedItems(
  pool: pg.Pool,
  { requestId, from, limit }: UnplannedItemsPage,
): Promise<UnplannedItem[]> {
  const { rows } = await pool.query<{
    item: number;
    recipient: string | null;
    override: string | null;
    locale: string | null;
    schedule_at: string | null;
  }>({
    name: 'list-unplanned-items',
    text: `SELECT item, recipient, override, locale, schedule_at FROM request_item
           WHERE request_id = $1 AND item >= $2 AND planned_at IS NULL ORDER BY item LIMIT $3`,
    values: [requestId, from, limit],
  });
  return rows.map((row) => ({
    item: row.item,
    recipient: row.recipient ?? undefined,
    override: row.override ?? undefined,
    locale: row.locale ?? undefined,
    scheduleAt: row.schedule_at ?? undefined,
  }));
}

export type PlannedItem = {
  item: number;
  /** The item's stored locale. */
  locale: string | undefined;
  plan: ItemPlan;
};

/** All unplanned items of a request in a range of item numbers. */
export type PlannedChunk = {
  /** The end of the previous chunk. */
  from: number;
  /** The start of the next chunk. */
  to: number;
  items: PlannedItem[];
};

/**
 * Writes a chunk's messages and advances the request's progress in one statement. Returns false, and writes nothing, if
 * another worker advanced the request since it was read. So no item is planned twice.
 */
export async function writePlans(
  database: Queryable,
  request: UnplannedRequest,
  { from, to, items }: PlannedChunk,
): Promise<boolean> {
  const changed = items.filter(isChanged);
  const messages = items.flatMap(({ item, plan }) =>
    plan.messages.map((message) => ({ item, message })),
  );
  const { rows } = await database.query<{ id: string }>({
    name: 'write-plans',
    text: statement,
    values: [
      request.id,
      request.appId,
      from,
      to,
      request.plannedItems,
      plainArray(changed.map(({ item }) => item)),
      textArray(changed.map(({ plan }) => skipsColumn(plan))),
      textArray(changed.map(({ plan }) => plan.locale)),
      plainArray(messages.map(({ message }) => message.id)),
      plainArray(messages.map(({ item }) => item)),
      ...planColumns(messages),
      textArray(messages.map(({ message }) => notesColumn(message))),
    ],
  });
  return rows.length > 0;
}

/** Whether planning changes the item's row. */
function isChanged({ locale, plan }: PlannedItem): boolean {
  return (
    (plan.locale !== undefined && plan.locale !== locale) || Object.keys(plan.skips).length > 0
  );
}

// Advances the request first, and only from the progress that was read: a second worker waits for the row and then finds it
// changed. `planned_items` is updated only with the last chunk, because a worker of an older version, which counts each item,
// may continue in between and counts all of them.
const statement = `
WITH r AS (
  UPDATE request SET planned_to = $4, planned_items = CASE WHEN $4 < items THEN planned_items ELSE items END
  WHERE id = $1 AND planned_to = $3 AND planned_items = $5
  RETURNING id
), i AS (
  UPDATE request_item i SET skips = t.skips::jsonb, locale = coalesce(t.locale, i.locale)
  FROM unnest($6::int[], $7::text[], $8::text[]) t (item, skips, locale)
  WHERE i.request_id = (SELECT id FROM r) AND i.item = ANY (ARRAY[t.item])
), m AS (
  INSERT INTO message (id, request_id, item, app_id, channel, target, integration_id, due_at, expires_at, is_bulk, notes, waits)
  SELECT t.id, r.id, t.item, $2, t.channel, t.target, t.integration_id, coalesce(t.due_at, now()),
    coalesce(t.due_at, now()) + t.time_to_live_ms * interval '1 ms', true, t.notes::jsonb,
    CASE WHEN t.due_at IS NOT NULL THEN 'schedule' END
  FROM r CROSS JOIN unnest($9::uuid[], $10::int[], $11::text[], $12::text[], $13::uuid[], $14::timestamptz[], $15::float8[], $16::text[])
    t (id, item, channel, target, integration_id, due_at, time_to_live_ms, notes)
)
SELECT id FROM r`;
