import type pg from 'pg';
import type { Queryable } from './transaction';

/** Any number will do, as long as nothing else locks it. */
const upkeepLockKey = 72_707_370;

/** Runs `work` while no other process does, on the connection that holds the lock; false where another one has it. */
export async function withUpkeepLock(
  pool: pg.Pool,
  work: (database: Queryable) => Promise<void>,
): Promise<boolean> {
  const client = await pool.connect();
  let isReusable = false;
  try {
    const { rows } = await client.query<{ is_ours: boolean }>(
      'SELECT pg_try_advisory_lock($1) AS is_ours',
      [upkeepLockKey],
    );
    if (!rows[0]?.is_ours) {
      isReusable = true;
      return false;
    }
    await work(client);
    await client.query('SELECT pg_advisory_unlock($1)', [upkeepLockKey]);
    isReusable = true;
    return true;
  } finally {
    // The lock ends with its connection, so one that broke is destroyed.
    client.release(!isReusable);
  }
}
