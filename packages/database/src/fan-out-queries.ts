import type pg from 'pg';
import { plainArray, textArray } from './array-parameters';
import { type ItemPlan, notesColumn, skipsColumn } from './write-request';

/** A request whose items fanout plans. */
export type UnplannedRequest = { id: string; appId: string; versionId: string };

export async function findUnplannedRequest(
  pool: pg.Pool,
  requestId: string,
): Promise<UnplannedRequest | undefined> {
  const { rows } = await pool.query<{ id: string; app_id: string; version_id: string }>(
    'SELECT id, app_id, version_id FROM request WHERE id = $1 AND planned_items < items',
    [requestId],
  );
  const [row] = rows;
  return row && { id: row.id, appId: row.app_id, versionId: row.version_id };
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
  /** Only items with a higher number. */
  after: number;
  limit: number;
};

export async function listUnplannedItems(
  pool: pg.Pool,
  { requestId, after, limit }: UnplannedItemsPage,
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
           WHERE request_id = $1 AND item > $2 AND planned_at IS NULL ORDER BY item LIMIT $3`,
    values: [requestId, after, limit],
  });
  return rows.map((row) => ({
    item: row.item,
    recipient: row.recipient ?? undefined,
    override: row.override ?? undefined,
    locale: row.locale ?? undefined,
    scheduleAt: row.schedule_at ?? undefined,
  }));
}

export type PlannedItem = { item: number; plan: ItemPlan };

/**
 * Writes a chunk's messages and marks its items planned, in one statement. Planning the same chunk
 * twice, or at once, writes nothing twice: only items that were unplanned count.
 */
export async function writePlans(
  pool: pg.Pool,
  request: UnplannedRequest,
  planned: PlannedItem[],
): Promise<void> {
  const messages = planned.flatMap(({ item, plan }) =>
    plan.messages.map((message) => ({ item, message })),
  );
  await pool.query({
    name: 'write-plans',
    text: statement,
    values: [
      request.id,
      request.appId,
      plainArray(planned.map(({ item }) => item)),
      textArray(planned.map(({ plan }) => skipsColumn(plan))),
      textArray(planned.map(({ plan }) => plan.locale)),
      plainArray(messages.map(({ message }) => message.id)),
      plainArray(messages.map(({ item }) => item)),
      textArray(messages.map(({ message }) => message.channel)),
      textArray(messages.map(({ message }) => message.target)),
      plainArray(messages.map(({ message }) => message.integrationId)),
      plainArray(messages.map(({ message }) => message.dueAt)),
      plainArray(messages.map(({ message }) => message.timeToLiveMs)),
      textArray(messages.map(({ message }) => notesColumn(message))),
    ],
  });
}

const statement = `
WITH p AS (
  UPDATE request_item i SET skips = t.skips::jsonb, locale = coalesce(t.locale, i.locale), planned_at = now()
  FROM unnest($3::int[], $4::text[], $5::text[]) t (item, skips, locale)
  WHERE i.request_id = $1 AND i.item = ANY (ARRAY[t.item]) AND i.planned_at IS NULL
  RETURNING i.item
), m AS (
  INSERT INTO message (id, request_id, item, app_id, channel, target, integration_id, due_at, expires_at, is_bulk, notes, waits)
  SELECT t.id, $1, t.item, $2, t.channel, t.target, t.integration_id, coalesce(t.due_at, now()),
    coalesce(t.due_at, now()) + t.time_to_live_ms * interval '1 ms', true, t.notes::jsonb,
    CASE WHEN t.due_at IS NOT NULL THEN 'schedule' END
  FROM unnest($6::uuid[], $7::int[], $8::text[], $9::text[], $10::uuid[], $11::timestamptz[], $12::float8[], $13::text[])
    t (id, item, channel, target, integration_id, due_at, time_to_live_ms, notes)
  WHERE (t.item IN (SELECT item FROM p)) IS TRUE
  ON CONFLICT (request_id, item, channel, target, generation) DO NOTHING
)
UPDATE request SET planned_items = planned_items + (SELECT count(*) FROM p) WHERE id = $1`;
