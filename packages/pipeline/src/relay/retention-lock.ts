import type { Queryable } from '@belfry/database';
import type pg from 'pg';

/** What one relay does at a time. Any numbers will do, as long as nothing else locks them. */
const lockKeys = { upkeep: 72_707_370, storage: 72_707_371 };

type Work = (database: Queryable) => Promise<void>;

/** Runs `work` while no other process does, on the connection that holds the lock; false where another one has it. */
export function withUpkeepLock(pool: pg.Pool, work: Work): Promise<boolean> {
  return withLock(pool, lockKeys.upkeep, work);
}

/** The same, for the count of what accounts store. */
export function withStorageLock(pool: pg.Pool, work: Work): Promise<boolean> {
  return withLock(pool, lockKeys.storage, work);
}

async function withLock(pool: pg.Pool, key: number, work: Work): Promise<boolean> {
  const client = await pool.connect();
  let isReusable = false;
  try {
    const { rows } = await client.query<{ is_ours: boolean }>(
      'SELECT pg_try_advisory_lock($1) AS is_ours',
      [key],
    );
    if (!rows[0]?.is_ours) {
      isReusable = true;
      return false;
    }
    await work(client);
    await client.query('SELECT pg_advisory_unlock($1)', [key]);
    isReusable = true;
    return true;
  } finally {
    // The lock ends with its connection, so one that broke is destroyed.
    client.release(!isReusable);
  }
}
