import type { Queryable } from '@belfry/database';
import { joinFirstCalls, millisToFirstCall } from '../deliver/delivery-counts.sql';
import { selectCounted } from '../operate/count-messages.sql';
import { buildBucket } from '../operate/latency-buckets';
import { firstIdAt } from './storage-slices.sql';

/**
 * The counts behind the dashboard's overview. A message belongs to the minute in which its request was accepted, and is
 * counted in its state now, by the same rule as in the log. So a count and the log with the same filter agree, whenever the
 * message changed, and a minute can be counted again at any time: the new counts replace the old ones.
 *
 * A minute is counted again every 15 s in its first 2 minutes. After that it is due 15 s after a receipt or resend; while
 * messages wait, each time it is 5 % older and at least every 5 minutes; and otherwise, for rare changes such as a read inbox
 * item, at four times its age.
 */
export const countEverySeconds = 15;
const youngSeconds = 120;
const agePerRecountWaiting = 20;
const maxWaitSeconds = 300;
const ageGrowthSettled = 3;

const keptDays = 8;
/** Clocks of gateways, which make the ids of receipts, may differ by this much. */
const clockSkewSeconds = 5;
const changesReadSeconds = 60;

/** The clock of PostgreSQL decides. Returns the number of new minutes. */
export async function addMinutes(database: Queryable): Promise<number> {
  const { rowCount } = await database.query(
    `INSERT INTO counted_minute (minute)
     SELECT generate_series(
       greatest(date_trunc('minute', now()) - interval '${keptDays} days', (SELECT max(minute) FROM counted_minute)),
       now(), interval '1 minute')
     ON CONFLICT DO NOTHING`,
  );
  return rowCount ?? 0;
}

/** The minute of a request, from its id, as in the filters of the log. */
const minuteOfRequest = `to_timestamp(('x' || left(replace(m.request_id::text, '-', ''), 12))::bit(48)::bigint / 60000 * 60)`;

/** A minute before the last count: everything since then, also if no relay ran for a while. */
const firstChangeRead = `SELECT ${buildFirstId(`least(now(), max(counted_at)) - interval '${changesReadSeconds} s'`)} FROM counted_minute`;

/**
 * Makes minutes due in which a message got a receipt or was resent since the last count. Reads the newest receipts and
 * messages by their primary keys, which start with the time.
 */
export async function markChangedMinutes(database: Queryable): Promise<void> {
  await database.query(
    `UPDATE counted_minute c SET recount_at = now()
     FROM (
       SELECT minute, max(at) AS at FROM (
         SELECT ${minuteOfRequest} AS minute, r.received_at AS at
         FROM receipt r CROSS JOIN LATERAL (SELECT request_id FROM message WHERE id = r.message_id LIMIT 1) m WHERE r.id >= (${firstChangeRead})
         UNION ALL
         SELECT ${minuteOfRequest}, m.created_at FROM message m WHERE m.id >= (${firstChangeRead}) AND m.resend_of IS NOT NULL
       ) each GROUP BY minute
     ) changed
     WHERE c.minute = changed.minute AND c.recount_at > now()
       AND c.counted_at < changed.at + interval '${clockSkewSeconds} s'`,
  );
}

/**
 * Counts the due minutes without requests, which are most in a quiet installation, in one statement: a lookup by primary key
 * and one by the index on the minute for each.
 */
export async function countEmptyMinutes(database: Queryable): Promise<void> {
  await database.query(
    `UPDATE counted_minute c SET counted_at = now(), recount_at = ${nextCount('false')}
     WHERE recount_at <= now()
       AND NOT EXISTS (SELECT 1 FROM request WHERE id >= ${buildFirstId('c.minute')}
         AND id < ${buildFirstId("c.minute + interval '1 minute'")} OFFSET 0)
       AND NOT EXISTS (SELECT 1 FROM message_minute m WHERE m.minute = c.minute OFFSET 0)`,
  );
}

/** SQL expression: `firstIdAt` of a time. */
function buildFirstId(time: string): string {
  return `(lpad(to_hex((extract(epoch FROM ${time}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;
}

/** SQL expression: when a minute that is counted now is counted again. */
function nextCount(hasWaiting: string): string {
  return `now() + greatest(interval '${countEverySeconds} s', CASE
    WHEN now() - minute < interval '${youngSeconds} s' THEN interval '0'
    WHEN ${hasWaiting} THEN least((now() - minute) / ${agePerRecountWaiting}, interval '${maxWaitSeconds} s')
    ELSE (now() - minute) * ${ageGrowthSettled} END)`;
}

/** Lists due minutes: the newest 3 first, then those due longest. Reads at most 8 days of minutes. */
export async function listDueMinutes(database: Queryable, limit: number): Promise<Date[]> {
  const { rows } = await database.query<{ minute: Date }>(
    `SELECT minute FROM counted_minute
     WHERE recount_at <= now() AND minute > now() - interval '${keptDays} days'
     ORDER BY minute > now() - interval '3 minutes' DESC, recount_at, minute DESC LIMIT $1`,
    [limit],
  );
  return rows.map(({ minute }) => minute);
}

/**
 * Counts the messages of all apps that were accepted in this minute and replaces the former counts, in one statement. It
 * reads the minute's requests by primary key, and their messages, items and first attempts by request and message.
 */
export async function countMinute(database: Queryable, minute: Date): Promise<void> {
  const from = minute.getTime();
  await database.query(countStatement, [firstIdAt(from), firstIdAt(from + 60_000), minute]);
}

const countStatement = `
WITH r AS MATERIALIZED (
  SELECT id, app_id, kind, version_id, items, planned_items, planned_to FROM request WHERE id >= $1::uuid AND id < $2::uuid
), ${selectCounted(() => 'true')}, reasons AS (
  SELECT r.app_id, c.channel, CASE WHEN c.state IN ('queued', 'sending') THEN 'waiting' ELSE c.state END AS state,
    coalesce(c.reason, '') AS reason, sum(c.messages)::int AS messages
  FROM counted c JOIN r ON r.id = c.request_id GROUP BY 1, 2, 3, 4 HAVING sum(c.messages) > 0
), states AS (
  SELECT app_id, channel, ${['waiting', 'sent', 'delivered', 'read', 'failed', 'skipped', 'unknown']
    .map((state) => `coalesce(sum(messages) FILTER (WHERE state = '${state}'), 0)::int AS ${state}`)
    .join(', ')},
    coalesce(jsonb_object_agg(reason, messages) FILTER (WHERE state = 'failed'), '{}') AS failures
  FROM reasons GROUP BY 1, 2
), latencies AS (
  SELECT app_id, channel, jsonb_object_agg(bucket, messages) AS latency FROM (
    SELECT r.app_id, m.channel, ${buildBucket(millisToFirstCall)} AS bucket, count(*)::int AS messages
    FROM r ${joinFirstCalls} GROUP BY 1, 2, 3
  ) bucketed GROUP BY 1, 2
), gone AS (
  DELETE FROM message_minute g WHERE g.minute = $3
    AND NOT EXISTS (SELECT 1 FROM states s WHERE s.app_id = g.app_id AND s.channel = g.channel)
), written AS (
  INSERT INTO message_minute (app_id, minute, channel, waiting, sent, delivered, read, failed, skipped, unknown, failures, latency)
  SELECT app_id, $3, channel, s.waiting, s.sent, s.delivered, s.read, s.failed, s.skipped, s.unknown, s.failures,
    coalesce(l.latency, '{}')
  FROM states s LEFT JOIN latencies l USING (app_id, channel)
  ON CONFLICT (app_id, minute, channel) DO UPDATE SET waiting = excluded.waiting, sent = excluded.sent,
    delivered = excluded.delivered, read = excluded.read, failed = excluded.failed, skipped = excluded.skipped,
    unknown = excluded.unknown, failures = excluded.failures, latency = excluded.latency
)
UPDATE counted_minute SET counted_at = now(), recount_at = ${nextCount('EXISTS (SELECT 1 FROM states WHERE waiting > 0)')}
WHERE minute = $3`;

/** Counts the minute later: it took long, or failed. */
export async function postponeMinute(
  database: Queryable,
  minute: Date,
  seconds: number,
): Promise<void> {
  await database.query(
    `UPDATE counted_minute SET recount_at = greatest(recount_at, now() + $2::float8 * interval '1 s') WHERE minute = $1`,
    [minute, seconds],
  );
}

/** Removes at most this many minutes, and their counts by the index on their minute. */
export const minutesPerChunk = 60;

export async function removeOldMinutes(database: Queryable): Promise<number> {
  const { rows } = await database.query<{ minutes: number; counts: number }>(
    `WITH old AS (
       DELETE FROM counted_minute WHERE minute IN (
         SELECT minute FROM counted_minute WHERE minute < now() - interval '${keptDays} days 10 minutes'
         ORDER BY minute LIMIT ${minutesPerChunk})
       RETURNING minute
     ), removed AS (
       DELETE FROM message_minute WHERE minute IN (SELECT minute FROM old) RETURNING minute
     )
     SELECT (SELECT count(*)::int FROM old) AS minutes, (SELECT count(*)::int FROM removed) AS counts`,
  );
  return rows[0]?.minutes ?? 0;
}
