import pg from 'pg';

/** A pool, or the connection of a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>;

const maxTries = 3;

/** Serialization failure, deadlock. */
const undone: ReadonlySet<string> = new Set(['40001', '40P01']);

/** The statement writes, and the server is a replica. */
const readOnly = '25006';

/** Also a unique violation: for work that reads the conflicting row first, and finds it on the next try. */
export const undoneOrTaken: ReadonlySet<string> = new Set([...undone, '23505']);

/**
 * Runs `work` in a transaction. Retries when PostgreSQL rolled it back because of another transaction. Within a transaction,
 * `work` becomes a part of it that can fail alone.
 */
export async function inTransaction<T>(
  pool: Queryable,
  work: (client: Queryable) => Promise<T>,
  retried = undone,
): Promise<T> {
  if (!(pool instanceof pg.Pool)) return inSavepoint(pool, work);
  for (let tries = 1; ; tries += 1) {
    try {
      return await tryOnce(pool, work);
    } catch (error) {
      if (tries >= maxTries || !retried.has(getSqlState(error) ?? '')) throw error;
    }
  }
}

/** The SQLSTATE of an error; undefined when the error has none. */
export function getSqlState(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

async function tryOnce<T>(pool: pg.Pool, work: (client: Queryable) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let connectionError: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    connectionError = (await rollBack(client)) ?? findDemotion(error);
    throw error;
  } finally {
    // A connection in an unknown state is destroyed.
    client.release(connectionError);
  }
}

/** After a failover the connection leads to a server that cannot write any more. */
function findDemotion(error: unknown): Error | undefined {
  return error instanceof Error && getSqlState(error) === readOnly ? error : undefined;
}

/** The transaction around it retries, because PostgreSQL rolls all of it back. */
async function inSavepoint<T>(
  client: Queryable,
  work: (client: Queryable) => Promise<T>,
): Promise<T> {
  await client.query('SAVEPOINT part');
  try {
    const result = await work(client);
    await client.query('RELEASE SAVEPOINT part');
    return result;
  } catch (error) {
    // Releases it too, or a savepoint around this one would roll back to it. If the connection is lost, `error` says so.
    await client.query('ROLLBACK TO SAVEPOINT part; RELEASE SAVEPOINT part').catch(() => undefined);
    throw error;
  }
}

async function rollBack(client: Queryable): Promise<Error | undefined> {
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
