import { inTransaction, type Queryable } from '@belfry/database';
import { countsToWire } from '@belfry/shared';
import type pg from 'pg';
import { countMessages } from '../operate/count-messages.sql';
import { queueWebhook } from './queue.sql';

/** Bulks checked in one transaction. */
const checkedAtOnce = 20;
/** A bulk is checked again after this share of its age, and at most this long after. */
const ageShare = 0.1;
const longestWaitSeconds = 600;

/**
 * Queues `request.completed` for bulks whose items are all planned and of which no message waits any more. Returns how many
 * bulks it checked.
 */
export async function completeRequests(pool: pg.Pool): Promise<number> {
  // One statement instead of a transaction of four each second, as almost always none is due.
  const { rows: due } = await pool.query(
    'SELECT FROM webhook_completion WHERE check_at <= now() LIMIT 1',
  );
  if (due.length === 0) return 0;
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<CheckedRow>(checkStatement);
    for (const row of rows) {
      if (row.items !== null && row.isComplete) await queueCompleted(client, row);
    }
    const isOver = (row: CheckedRow) => row.items === null || row.isComplete;
    await client.query('DELETE FROM webhook_completion WHERE request_id = ANY ($1::uuid[])', [
      rows.filter(isOver).map(({ requestId }) => requestId),
    ]);
    return rows.length;
  });
}

type CheckedRow = {
  requestId: string;
  appId: string;
  /** Null if the request was deleted. */
  items: number | null;
  isComplete: boolean;
};

const checkStatement = `
WITH due AS MATERIALIZED (
  SELECT request_id, app_id, created_at FROM webhook_completion WHERE check_at <= now()
  ORDER BY check_at LIMIT ${checkedAtOnce} FOR UPDATE SKIP LOCKED
), later AS (
  UPDATE webhook_completion c SET check_at = now() + interval '1 s' * greatest(1, least(${longestWaitSeconds},
    extract(epoch FROM now() - c.created_at) * ${ageShare}))
  FROM due WHERE c.request_id = due.request_id
)
SELECT d.request_id AS "requestId", d.app_id AS "appId", r.items,
  coalesce(r.planned_items >= r.items AND NOT EXISTS (
    SELECT FROM message m WHERE m.request_id = r.id AND m.state IN ('queued', 'sending')), false) AS "isComplete"
FROM due d LEFT JOIN request r ON r.id = d.request_id AND r.app_id = d.app_id`;

async function queueCompleted(
  client: Queryable,
  { requestId, appId, items }: CheckedRow,
): Promise<void> {
  const groups = await countMessages(client, { appId, requestIds: [requestId] });
  const counts = countsToWire(groups.get(requestId) ?? []);
  const data = { request_id: requestId, items, counts };
  await queueWebhook(client, { appId, type: 'request.completed', data });
}
