import type { Queryable } from '@belfry/database';
import type pg from 'pg';

/** Advisory locks for tasks that one relay runs at a time. The numbers are arbitrary but must be unique. */
const lockKeys = {
  upkeep: 72_707_370,
  storage: 72_707_371,
  minutes: 72_707_372,
  alerts: 72_707_373,
};

type Work = (database: Queryable) => Promise<void>;

/** Runs `work` on the connection that holds the lock; returns false if another process holds it. */
export function withUpkeepLock(pool: pg.Pool, work: Work): Promise<boolean> {
  return withLock(pool, lockKeys.upkeep, work);
}

/** Like withUpkeepLock, for counting the accounts' storage. */
export function withStorageLock(pool: pg.Pool, work: Work): Promise<boolean> {
  return withLock(pool, lockKeys.storage, work);
}

/** Like withUpkeepLock, for counting minutes. */
export function withMinutesLock(pool: pg.Pool, work: Work): Promise<boolean> {
  return withLock(pool, lockKeys.minutes, work);
}

/** Like withUpkeepLock, for evaluating alert rules. */
export function withAlertsLock(pool: pg.Pool, work: Work): Promise<boolean> {
  return withLock(pool, lockKeys.alerts, work);
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
    // The lock ends with its connection, so destroy a connection that failed.
    client.release(!isReusable);
  }
}
