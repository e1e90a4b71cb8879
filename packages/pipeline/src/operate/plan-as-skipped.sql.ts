import type { Queryable } from '@belfry/database';
import { isPlanned } from './is-planned.sql';

export type Items = readonly { requestId: string; item: number }[];

/** The parameters $1 and $2 of `itemsCondition`. */
export function toItemValues(items: Items): unknown[] {
  return [items.map(({ requestId }) => requestId), items.map(({ item }) => item)];
}

/** Matches messages `m` of the items. */
export const itemsCondition =
  '(m.request_id, m.item) IN (SELECT * FROM unnest($1::uuid[], $2::int[])) AND m.request_id = ANY ($1::uuid[])';

/**
 * Marks items that fan-out has not planned as skipped on every channel. The caller holds the lock of their requests: fan-out
 * waits for it, and plans nothing if `planned_items` changed since it read the items.
 */
export async function planAsSkipped(
  client: Queryable,
  items: Items,
  skip: { reason: 'erased' | 'cancelled'; detail?: string },
): Promise<void> {
  await client.query(statement, [...toItemValues(items), JSON.stringify(skip)]);
}

const statement = `
WITH planned AS (
  UPDATE request_item i SET planned_at = now(), skips = (
    SELECT jsonb_object_agg(channel, $3::jsonb)
    FROM request r JOIN event_version v ON v.id = r.version_id
    CROSS JOIN LATERAL jsonb_object_keys(v.definition -> 'channels') channel WHERE r.id = i.request_id)
  FROM request whole WHERE whole.id = i.request_id AND NOT ${isPlanned('i', 'whole')}
    AND (i.request_id, i.item) IN (SELECT * FROM unnest($1::uuid[], $2::int[]))
  RETURNING i.request_id
)
UPDATE request r SET planned_items = r.planned_items + p.items
FROM (SELECT request_id, count(*)::int AS items FROM planned GROUP BY request_id) p WHERE r.id = p.request_id`;
