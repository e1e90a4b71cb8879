import type { MessageState } from '@belfry/shared';
import type pg from 'pg';
import { selectEntries, selectRequest } from './request-entries.sql';

/** A message of an item, or a channel without one. These are what `countMessages` counts, one by one. */
export type ItemEntry = {
  /** Null if the channel was skipped or the item is not planned yet. */
  messageId: string | null;
  channel: string;
  target: string | null;
  /** 0 for the first message; each resend adds 1. */
  generation: number;
  state: MessageState;
  reason: string | null;
  /** Unix milliseconds. */
  settledAt: number | null;
};

export type RequestItem = {
  item: number;
  /** JSON of the `user`, as stored. */
  recipient: string | null;
  entries: ItemEntry[];
};

/** Items `from` to `to`; `to` is exclusive. */
export type ItemRange = { appId: string; requestId: string; from: number; to: number };

/** The items of a request in this range, without messages that were resent. Empty if the app has no such request. */
export async function readItems(pool: pg.Pool, range: ItemRange): Promise<RequestItem[]> {
  return (await pool.query<RequestItem>(itemStatement(range))).rows;
}

/** The number of items of a request; undefined if the app has no such request. */
export async function countItems(
  pool: pg.Pool,
  { appId, requestId }: Pick<ItemRange, 'appId' | 'requestId'>,
): Promise<number | undefined> {
  const { rows } = await pool.query<{ items: number }>(
    'SELECT items FROM request WHERE id = $1 AND app_id = $2',
    [requestId, appId],
  );
  return rows[0]?.items;
}

export function itemStatement({ appId, requestId, from, to }: ItemRange) {
  return { text: statement, values: [requestId, appId, from, to] };
}

// Reads the range by the primary key of items, and the messages of each item by their unique index. A resend belongs to the
// same item, so the ids that were resent are among its own rows. See also is-resent.sql.ts.
const statement = `
WITH r AS MATERIALIZED (${selectRequest})
SELECT i.item, i.recipient, coalesce(c.entries, '[]') AS entries
FROM request_item i CROSS JOIN r
CROSS JOIN LATERAL (
  SELECT jsonb_agg(jsonb_build_object('messageId', e.id, 'channel', e.channel, 'target', e.target, 'generation', e.generation,
    'state', e.state, 'reason', e.reason, 'settledAt', floor(extract(epoch FROM e.settled_at) * 1000)::bigint)
    ORDER BY e.key COLLATE "C") AS entries
  FROM (
    SELECT e.*, array_agg(e.resend_of) FILTER (WHERE e.resend_of IS NOT NULL) OVER () AS resent
    FROM (${selectEntries}
    ) e
  ) e
  WHERE (e.id = ANY (e.resent)) IS NOT TRUE
) c
WHERE i.request_id = $1 AND i.item >= $3 AND i.item < $4
ORDER BY i.item`;
