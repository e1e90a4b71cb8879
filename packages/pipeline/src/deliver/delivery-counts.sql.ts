import type { Queryable } from '@belfry/database';

/** Messages of an app on a channel that providers accepted since a process last wrote its counts. */
export type DeliveryCount = { appId: string; channel: string; accepted: number };

/** Length of one time slot of the counts. */
export const rateSlotSeconds = 30;
/** How many slots are kept and shown. */
export const rateSlots = 60;

/** Adds to the current slot, by PostgreSQL's clock. */
export async function writeDeliveryCounts(
  database: Queryable,
  counts: DeliveryCount[],
): Promise<void> {
  await database.query({
    name: 'write-delivery-counts',
    // Sorted, so that two processes cannot deadlock.
    text: `INSERT INTO delivery_count (app_id, at, channel, accepted)
           SELECT app_id, date_bin('${rateSlotSeconds} seconds', now(), 'epoch'), channel, accepted
           FROM unnest($1::uuid[], $2::text[], $3::int[]) t (app_id, channel, accepted) ORDER BY app_id, channel
           ON CONFLICT (app_id, at, channel) DO UPDATE SET accepted = delivery_count.accepted + excluded.accepted`,
    values: [
      counts.map(({ appId }) => appId),
      counts.map(({ channel }) => channel),
      counts.map(({ accepted }) => accepted),
    ],
  });
}

export type RateRow = {
  channel: string;
  /** How many slots ago; 0 is the last complete slot. */
  slotsAgo: number;
  accepted: number;
};

/** Reads complete slots only. */
export async function readRates(database: Queryable, appIds: string[]): Promise<RateRow[]> {
  const { rows } = await database.query<RateRow>(
    `SELECT c.channel, s.slots_ago AS "slotsAgo", sum(c.accepted)::int AS accepted
     FROM delivery_count c
     CROSS JOIN LATERAL (SELECT floor(extract(epoch FROM date_bin('${rateSlotSeconds} seconds', now(), 'epoch') - c.at)
       / ${rateSlotSeconds})::int - 1 AS slots_ago) s
     WHERE c.app_id = ANY ($1::uuid[]) AND s.slots_ago BETWEEN 0 AND ${rateSlots - 1}
     GROUP BY c.channel, s.slots_ago`,
    [appIds],
  );
  return rows;
}

export async function removeOldDeliveryCounts(database: Queryable): Promise<number> {
  const { rowCount } = await database.query({
    text: `DELETE FROM delivery_count WHERE at < now() - $1::float8 * interval '1 s'`,
    values: [(rateSlots + 2) * rateSlotSeconds],
  });
  return rowCount ?? 0;
}

/** SQL expression for rows of `joinFirstCalls`: the time from accepting the request to calling the provider. */
export const millisToFirstCall = 'extract(epoch FROM a.opened_at - m.created_at)::float8 * 1000';

/**
 * SQL joins: from requests `r` to the first calls `a` for messages `m` of single sends without a schedule. OFFSET 0 as in
 * count-messages.sql.ts.
 */
export const joinFirstCalls = `CROSS JOIN LATERAL (
         SELECT FROM request_item WHERE request_id = r.id AND item = 0 AND r.kind = 'single'
           AND schedule_at IS NULL AND coalesce(override, '') NOT LIKE '%schedule%' OFFSET 0) i
       CROSS JOIN LATERAL (
         SELECT id, channel, created_at FROM message WHERE request_id = r.id AND generation = 0 OFFSET 0) m
       CROSS JOIN LATERAL (SELECT opened_at FROM attempt WHERE message_id = m.id AND number = 1 LIMIT 1) a`;

export type Latency = { messages: number; p50Ms: number; p99Ms: number };

const maxRequestsRead = 400;
const maxAppsRead = 20;

/**
 * Time from accepting a request to calling its provider, over the newest single sends of the last 30 minutes without a
 * schedule. Undefined if there are none.
 */
export async function readLatency(
  database: Queryable,
  appIds: string[],
): Promise<Latency | undefined> {
  const { rows } = await database.query<Latency>(
    `SELECT count(*)::int AS messages,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY t.ms) AS "p50Ms",
       percentile_cont(0.99) WITHIN GROUP (ORDER BY t.ms) AS "p99Ms"
     FROM (
       SELECT ${millisToFirstCall} AS ms
       FROM unnest($1::uuid[]) app (id)
       CROSS JOIN LATERAL (
         SELECT q.id, q.kind, q.created_at FROM request q WHERE q.app_id = app.id
         ORDER BY q.id DESC LIMIT ${maxRequestsRead}
       ) r
       ${joinFirstCalls}
       WHERE r.created_at > now() - interval '${rateSlots * rateSlotSeconds} s'
     ) t`,
    [appIds.slice(0, maxAppsRead)],
  );
  const [counts] = rows;
  return counts && counts.messages > 0 ? counts : undefined;
}
