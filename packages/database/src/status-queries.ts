import type pg from 'pg';
import { readSchemaVersion } from './migrate';

export type OldestWaiting = { channel: string; seconds: number };

/** How long the oldest due message of each channel waits; 0 where none does. One index look-up a channel. */
export async function readOldestWaiting(
  pool: pg.Pool,
  channels: readonly string[],
): Promise<OldestWaiting[]> {
  const { rows } = await pool.query<OldestWaiting>({
    name: 'read-oldest-waiting',
    text: `SELECT c.channel, coalesce(extract(epoch FROM now() - m.due_at), 0)::float8 AS seconds
           FROM unnest($1::text[]) c (channel)
           LEFT JOIN LATERAL (
             SELECT due_at FROM message
             WHERE channel = c.channel AND state = 'queued' AND due_at IS NOT NULL AND due_at <= now()
             ORDER BY due_at LIMIT 1
           ) m ON true`,
    values: [channels],
  });
  return rows;
}

/** In ms since the epoch. */
export async function readDatabaseTime(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ ms: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
  );
  return rows[0]?.ms ?? 0;
}

export type ReadinessDeps = {
  pool: pg.Pool;
  databaseUrl: string;
  migrationsDir: string;
};

/** A migration is never taken back, so what was right is asked again only for a database that was exchanged. */
const schemaKnownForMs = 60_000;

/** Whether PostgreSQL answers and has every migration of this code. One that is ahead is fine: it was migrated before a new version comes. */
export function createReadiness(deps: ReadinessDeps): () => Promise<boolean> {
  const { pool, databaseUrl, migrationsDir } = deps;
  let knownUntilMs = 0;

  return async function isReady() {
    await pool.query('SELECT 1');
    if (performance.now() < knownUntilMs) return true;
    const { state } = await readSchemaVersion(databaseUrl, migrationsDir);
    if (state === 'behind') return false;
    knownUntilMs = performance.now() + schemaKnownForMs;
    return true;
  };
}
