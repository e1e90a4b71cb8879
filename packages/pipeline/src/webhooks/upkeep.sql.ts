import type { Queryable } from '@belfry/database';

const keptDays = 7;

/** Deliveries that no try reached in time: their endpoint was disabled, its circuit was open, or it was removed. */
export async function endOldDeliveries(database: Queryable, limit: number): Promise<number> {
  const { rowCount } = await database.query({
    text: `UPDATE webhook_delivery SET outcome = 'failed', next_at = NULL WHERE id IN (
             SELECT id FROM webhook_delivery WHERE outcome = 'waiting' AND ends_at <= now() AND next_at <= now() LIMIT $1)`,
    values: [limit],
  });
  return rowCount ?? 0;
}

/** The IDs start with the time of the event, so the primary key finds the oldest. */
export async function removeOldDeliveries(database: Queryable, limit: number): Promise<number> {
  const { rowCount } = await database.query({
    text: `DELETE FROM webhook_delivery WHERE id IN (
             SELECT id FROM (SELECT id, occurred_at, ends_at FROM webhook_delivery ORDER BY id LIMIT $1) oldest
             WHERE occurred_at <= now() - interval '${keptDays} days' AND ends_at <= now())`,
    values: [limit],
  });
  return rowCount ?? 0;
}
