import type { Queryable } from '@belfry/database';
import type pg from 'pg';

/** Equal steps of whole minutes from `from` on. At most 8 days are counted. */
export type OverviewRange = { appId: string; from: Date; stepMs: number; points: number };

/** `waiting` is queued or sending. */
type MinuteCounts = {
  waiting: number;
  sent: number;
  delivered: number;
  read: number;
  failed: number;
  skipped: number;
  unknown: number;
};

/** Counts of one channel in one step. */
export type OverviewRow = MinuteCounts & { channel: string; point: number };
export type LatencyCount = { channel: string; point: number; bucket: number; messages: number };
export type FailureCount = { channel: string; reason: string; messages: number };
export type CountProgress = { countedAt: Date | null; uncounted: number };

const inRange = `app_id = $1 AND minute >= $2 AND minute < $2 + $3::float8 * $4::int * interval '1 ms'`;
// date_part, because extract calculates with numeric, which is slower.
const point = `floor(date_part('epoch', minute - $2) * 1000 / $3::float8)::int`;
const failuresListed = 10;

function toValues({ appId, from, stepMs, points }: OverviewRange): unknown[] {
  return [appId, from, stepMs, points];
}

/** Reads of the counts for the overview. See count-minutes.sql.ts. */
export function createOverview(pool: pg.Pool) {
  return {
    readPoints: (range: OverviewRange) => readPoints(pool, range),
    readLatencies: (range: OverviewRange) => readLatencies(pool, range),
    readFailures: (range: OverviewRange) => readFailures(pool, range),
    readProgress: (from: Date) => readProgress(pool, from),
  };
}

export type Overview = ReturnType<typeof createOverview>;

/** Reads by primary key, at most 7 days of minutes of the app's channels. */
async function readPoints(database: Queryable, range: OverviewRange): Promise<OverviewRow[]> {
  const { rows } = await database.query<OverviewRow>(
    `SELECT channel, ${point} AS point, sum(waiting)::int AS waiting, sum(sent)::int AS sent,
       sum(delivered)::int AS delivered, sum(read)::int AS read, sum(failed)::int AS failed,
       sum(skipped)::int AS skipped, sum(unknown)::int AS unknown
     FROM message_minute WHERE ${inRange} GROUP BY 1, 2`,
    toValues(range),
  );
  return rows;
}

/** Times from acceptance to the provider's call, of single sends without a schedule. Reads by primary key. */
async function readLatencies(database: Queryable, range: OverviewRange): Promise<LatencyCount[]> {
  const { rows } = await database.query<LatencyCount>(
    `SELECT channel, point, l.key::int AS bucket, sum(l.value::int)::int AS messages
     FROM (SELECT channel, latency, ${point} AS point FROM message_minute WHERE ${inRange} OFFSET 0) m
     CROSS JOIN LATERAL jsonb_each_text(latency) l GROUP BY channel, point, l.key`,
    toValues(range),
  );
  return rows;
}

/** The most frequent reasons of failed messages. Reads by primary key. */
async function readFailures(database: Queryable, range: OverviewRange): Promise<FailureCount[]> {
  const { rows } = await database.query<FailureCount>(
    `SELECT channel, f.key AS reason, sum(f.value::int)::int AS messages
     FROM message_minute CROSS JOIN LATERAL jsonb_each_text(failures) f WHERE ${inRange}
     GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT ${failuresListed}`,
    toValues(range),
  );
  return rows;
}

/** When the newest minute was counted, and how many minutes since `from` were never counted. Reads by primary key. */
async function readProgress(database: Queryable, from: Date): Promise<CountProgress> {
  const { rows } = await database.query<CountProgress>(
    `SELECT (SELECT counted_at FROM counted_minute WHERE counted_at IS NOT NULL ORDER BY minute DESC LIMIT 1) AS "countedAt",
       (SELECT count(*)::int FROM counted_minute WHERE minute >= $1 AND counted_at IS NULL) AS uncounted`,
    [from],
  );
  return rows[0] ?? { countedAt: null, uncounted: 0 };
}
