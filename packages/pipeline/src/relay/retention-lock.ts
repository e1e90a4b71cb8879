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

/** Runs `work` while this process holds the lock; returns false if another process holds it. */
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

/**
 * An open transaction holds the lock, because a pooler in transaction mode keeps no session. It reads nothing, so it does not
 * hold back vacuum. The work has a connection of its own, which is closed when that of the lock breaks.
 */
async function withLock(pool: pg.Pool, key: number, work: Work): Promise<boolean> {
  const holder = await pool.connect();
  let worker: pg.PoolClient | undefined;
  function endWorker(error?: Error): void {
    worker?.release(error);
    worker = undefined;
  }
  holder.on('error', endWorker);
  try {
    const isOurs = await lock(holder, key);
    if (isOurs) {
      worker = await pool.connect();
      await work(worker);
      endWorker();
    }
    await holder.query('COMMIT');
    holder.off('error', endWorker).release();
    return isOurs;
  } catch (cause) {
    // The lock ends with its connection. That of the work may be within a transaction.
    const error = new Error('The work of a lock failed', { cause });
    endWorker(error);
    holder.off('error', endWorker).release(error);
    throw cause;
  }
}

/** Begins a transaction; returns false if another process holds the lock. */
async function lock(client: Queryable, key: number): Promise<boolean> {
  await client.query('BEGIN');
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
  const { rows } = await client.query<{ is_ours: boolean }>(
    'SELECT pg_try_advisory_xact_lock($1) AS is_ours',
    [key],
  );
  return rows[0]?.is_ours === true;
}
