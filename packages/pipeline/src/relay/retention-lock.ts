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
 * hold back vacuum. The work has a connection of its own and ends when that of the lock breaks.
 */
async function withLock(pool: pg.Pool, key: number, work: Work): Promise<boolean> {
  const holder = await pool.connect();
  let lost: Error | undefined;
  const onLost = (error: Error) => {
    lost = error;
  };
  holder.on('error', onLost);
  try {
    await holder.query('BEGIN');
    await holder.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    const { rows } = await holder.query<{ is_ours: boolean }>(
      'SELECT pg_try_advisory_xact_lock($1) AS is_ours',
      [key],
    );
    const isOurs = rows[0]?.is_ours === true;
    if (isOurs) await withConnection(pool, (client) => work(untilLost(client, () => lost)));
    await holder.query('COMMIT');
    return isOurs;
  } catch (error) {
    lost ??= error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    holder.off('error', onLost);
    // The lock ends with its connection.
    holder.release(lost);
  }
}

/** A connection that failed is destroyed, as it may be within a transaction. */
async function withConnection(pool: pg.Pool, work: (client: Queryable) => Promise<void>) {
  const client = await pool.connect();
  let isReusable = false;
  try {
    await work(client);
    isReusable = true;
  } finally {
    client.release(!isReusable);
  }
}

function untilLost(client: Queryable, readLost: () => Error | undefined): Queryable {
  const query = (...args: Parameters<Queryable['query']>) => {
    const lost = readLost();
    if (lost) throw new Error('The lock was lost with its connection', { cause: lost });
    return client.query(...args);
  };
  return { query: query as Queryable['query'] };
}
