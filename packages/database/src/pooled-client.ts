import pg from 'pg';

/** Sends one statement, in each form that the driver allows. */
type Send = (statement: Statement, ...rest: unknown[]) => Promise<unknown> | undefined;
type Statement = string | (pg.QueryConfig & { name?: string | undefined });
type Callback = (error: unknown, result?: unknown) => void;

/**
 * A connection to a pooler in transaction mode, such as PgBouncer: each transaction may use another connection of the
 * server. So the settings, such as `lock_timeout=2s`, hold for one transaction, a statement alone gets a transaction of its
 * own, and no statement is prepared under a name. The parts of that transaction are sent at once: one round trip.
 */
export function createPooledClient(settings: string[]): typeof pg.Client {
  const set = settings.map((setting) => `SET LOCAL ${setting.replace('=', " = '")}'`);
  const begin = ['BEGIN', ...set].join('; ');

  return class PooledClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super({ ...config, pipeline: true } as pg.ClientConfig);
      const send = super.query.bind(this) as unknown as Send;
      this.query = createQuery(send, begin) as pg.Client['query'];
    }
  };
}

function createQuery(send: Send, begin: string): Send {
  let isInTransaction = false;
  return function query(statement, ...rest) {
    const text = typeof statement === 'string' ? statement : statement.text;
    if (text === 'BEGIN') {
      isInTransaction = true;
      return send(begin, ...rest);
    }
    const unnamed = typeof statement === 'string' ? statement : { ...statement, name: undefined };
    if (!isInTransaction) return sendAlone(unnamed, rest);
    isInTransaction = text !== 'COMMIT' && text !== 'ROLLBACK';
    return send(unnamed, ...rest);
  };

  function sendAlone(statement: Statement, rest: unknown[]): Promise<unknown> | undefined {
    const values = rest.filter((value) => typeof value !== 'function');
    const callback = rest.find((value): value is Callback => typeof value === 'function');
    const [begun, done, committed] = [send(begin), send(statement, ...values), send('COMMIT')];
    const result = settle(done, { begun, committed });
    if (!callback) return result;
    result.then((value) => callback(null, value), callback);
    return undefined;
  }
}

/** Resolves with the result after all have ended, so that no answer is still to come on the connection. */
async function settle(
  done: Promise<unknown> | undefined,
  { begun, committed }: Record<'begun' | 'committed', Promise<unknown> | undefined>,
): Promise<unknown> {
  // If the pooler refuses the transaction, its reason comes first.
  const settled = await Promise.allSettled([begun, done, committed]);
  const failed = settled.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
  return done;
}
