import pg from 'pg';

/** No connection was made, so no statement was sent. */
export class NotConnectedError extends Error {
  /** The code of the cause, for the log. */
  readonly code: unknown;

  constructor(cause: unknown) {
    super('Could not connect to PostgreSQL', { cause });
    this.name = 'NotConnectedError';
    this.code = (cause as { code?: unknown } | undefined)?.code;
  }
}

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  // The type of the driver.
  done: (release?: boolean | Error) => void,
) => void;

/** A pool that throws NotConnectedError when it could not connect. Then the statement was certainly not sent. */
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
