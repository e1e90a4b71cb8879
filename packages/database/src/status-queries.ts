import type pg from 'pg';
import { readSchemaVersion } from './migrate';

export type OldestWaiting = { channel: string; seconds: number };

/**
 * The wait of the oldest due message of each channel in seconds; 0 when none waits. It costs one index look-up per channel,
 * class and app with waiting messages, and a read of the messages with a job, whose number is limited.
 */
export async function readOldestWaiting(
  pool: pg.Pool,
  channels: readonly string[],
): Promise<OldestWaiting[]> {
  const { rows } = await pool.query<OldestWaiting>({
    name: 'read-oldest-waiting',
    text: oldestStatement,
    values: [channels],
  });
  return rows;
}

export type NeedsAttention = { channel: string; count: number };

/** The integrations of each channel that need attention, over all apps. It reads the whole table of integrations. */
export async function countNeedsAttention(
  pool: pg.Pool,
  channels: readonly string[],
): Promise<NeedsAttention[]> {
  const { rows } = await pool.query<NeedsAttention>(
    `SELECT c.channel, count(i.id)::int AS count FROM unnest($1::text[]) c (channel)
     LEFT JOIN integration i ON i.channel = c.channel AND i.state = 'needs_attention' AND i.deleted_at IS NULL
     GROUP BY c.channel ORDER BY c.channel`,
    [channels],
  );
  return rows;
}

/** In ms since the epoch, by PostgreSQL's clock. */
export async function readDatabaseTime(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ ms: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
  );
  return rows[0]?.ms ?? 0;
}
const oldestStatement = `
WITH RECURSIVE g AS (
  SELECT n.* FROM unnest($1::text[]) c (channel) CROSS JOIN LATERAL (
    SELECT m.channel, m.is_bulk, m.app_id, m.waiting_at FROM message m
    WHERE m.waiting_at IS NOT NULL AND m.channel = c.channel
    ORDER BY m.is_bulk, m.app_id, m.waiting_at LIMIT 1
  ) n
  UNION ALL
  SELECT n.* FROM g CROSS JOIN LATERAL (
    SELECT m.channel, m.is_bulk, m.app_id, m.waiting_at FROM message m
    WHERE m.waiting_at IS NOT NULL AND m.channel = g.channel
      AND (m.is_bulk, m.app_id) > (g.is_bulk, g.app_id)
    ORDER BY m.is_bulk, m.app_id, m.waiting_at LIMIT 1
  ) n
), oldest AS (
  SELECT channel, waiting_at AS due_at FROM g
  UNION ALL
  SELECT channel, due_at FROM message
  WHERE state = 'queued' AND has_job AND channel = ANY ($1::text[])
)
SELECT c.channel, coalesce(extract(epoch FROM now() - min(o.due_at)), 0)::float8 AS seconds
FROM unnest($1::text[]) WITH ORDINALITY c (channel, place)
LEFT JOIN oldest o ON o.channel = c.channel AND o.due_at <= now()
GROUP BY c.channel, c.place ORDER BY c.place`;

export type ReadinessDeps = {
  pool: pg.Pool;
  databaseUrl: string;
  migrationsDir: string;
};

/** Migrations are never undone, so the schema is read again only in case the database was replaced. */
const schemaCacheMs = 60_000;

/** Whether PostgreSQL answers and has every migration of this code. A newer schema is fine: an upgrade migrates first. */
export function createReadiness(deps: ReadinessDeps): () => Promise<boolean> {
  const { pool, databaseUrl, migrationsDir } = deps;
  let cachedUntilMs = 0;

  return async function isReady() {
    await pool.query('SELECT 1');
    if (performance.now() < cachedUntilMs) return true;
    const { state } = await readSchemaVersion(databaseUrl, migrationsDir);
    if (state === 'behind') return false;
    cachedUntilMs = performance.now() + schemaCacheMs;
    return true;
  };
}
