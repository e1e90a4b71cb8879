import pg from 'pg';

/** No connection came to be: nothing was sent, so nothing was written. */
export class NotConnectedError extends Error {
  /** Of its cause, for the log. */
  readonly code: unknown;

  constructor(cause: unknown) {
    super('PostgreSQL took no connection', { cause });
    this.name = 'NotConnectedError';
    this.code = (cause as { code?: unknown } | undefined)?.code;
  }
}

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  // As the driver has it.
  done: (release?: boolean | Error) => void,
) => void;

/** A pool that tells a statement that found no connection, by NotConnectedError, from one that lost it. */
export class ClassifyingPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    if (!callback) return super.connect().catch(refuse);
    super.connect((error, client, done) =>
      callback(error && new NotConnectedError(error), client, done),
    );
    return undefined;
  }
}

function refuse(error: unknown): never {
  throw new NotConnectedError(error);
}
