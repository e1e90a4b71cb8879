import { type Logger, withinTime } from '@belfry/runtime';
import pg from 'pg';
import { NotConnectedError } from './failures';
import type { PrismaClient } from './generated/client';
import { createPooledClient } from './pooled-client';
import { connectToAny, createServers, createServersClient, type Servers } from './primary';

/** All PostgreSQL connections of a process. */
export type Database = {
  /** Reads of whole records. Loaded on first use, because it costs memory that a worker does not need to spend. */
  readonly prisma: PrismaClient;
  /** Look-ups of single rows; see `createLookUps`. */
  lookUps: pg.Pool;
  /** Accepting requests: short timeouts, because a caller waits. */
  accepting: pg.Pool;
  /** Statements on many rows by id: claims, results, captures, plans. */
  hot: pg.Pool;
  /** All other statements of delivery and the relay. */
  delivery: pg.Pool;
  /** The log of the dashboard. It walks indexes in order, because a plan that sorts has no upper bound. */
  requestLog: pg.Pool;
  /** The same for `createReplicaReads`, on the server of `replicaUrl`. */
  requestLogReplica: pg.Pool | undefined;
  close(): Promise<void>;
};

export type DatabaseOptions = {
  url: string;
  /** Maximum connections per pool. */
  poolSize: number;
  /** A streaming replica. Empty: none. */
  replicaUrl?: string;
  /** `transaction`: the URLs lead to a pooler in transaction mode. */
  pooling?: Pooling;
  log: Logger;
  /** Maximum wait for a connection. By default it is short, because a caller waits. */
  connectTimeoutMs?: number;
};

type Pooling = 'session' | 'transaction';

/** How the settings of a process name its server. */
export function readServer(env: {
  DATABASE_URL: string;
  DATABASE_POOLING: Pooling;
}): Pick<DatabaseOptions, 'url' | 'pooling'> {
  return { url: env.DATABASE_URL, pooling: env.DATABASE_POOLING };
}

const callerConnectTimeoutMs = 1_500;
/** Delivery can wait longer: a short load peak must not fail a message. */
const patientConnectTimeoutMs = 5_000;
const closeTimeoutMs = 1_000;

export function createDatabase(options: DatabaseOptions): Database {
  const { connectTimeoutMs = callerConnectTimeoutMs } = options;
  const pool = (statementTimeoutMs: number, settings: string[] = [], waitMs = connectTimeoutMs) =>
    createPool({ ...options, statementTimeoutMs, settings, waitMs });
  // A caller's request must have its answer before its idempotency lock ends after 10 s.
  const accepting = pool(4_000, ['lock_timeout=2s', 'idle_in_transaction_session_timeout=10s']);
  // Planned once per connection: each of these statements has one good plan, whatever the tables hold
  // (docs/explanation/hot-path.md). Foreign key checks, which run for each row, are planned once too.
  const hot = pool(
    30_000,
    ['plan_cache_mode=force_generic_plan', 'enable_seqscan=off'],
    patientConnectTimeoutMs,
  );
  // Custom plans: a generic plan made while a table was empty would stay. No sequential scans: without statistics,
  // PostgreSQL would read a whole table where an index finds the few rows.
  const delivery = pool(
    30_000,
    ['plan_cache_mode=force_custom_plan', 'enable_seqscan=off'],
    patientConnectTimeoutMs,
  );
  const lookUps = pool(10_000, ['plan_cache_mode=force_custom_plan']);
  const logSettings = [
    'plan_cache_mode=force_custom_plan',
    'enable_sort=off',
    'enable_bitmapscan=off',
  ];
  const requestLog = pool(10_000, logSettings);
  const requestLogReplica = options.replicaUrl
    ? createPool({
        ...options,
        ...{ url: options.replicaUrl, mayBeReplica: true, settings: logSettings },
        ...{ statementTimeoutMs: 10_000, waitMs: connectTimeoutMs },
      })
    : undefined;
  let prisma: PrismaClient | undefined;
  return {
    get prisma() {
      prisma ??= loadPrisma(lookUps);
      return prisma;
    },
    lookUps,
    accepting,
    hot,
    delivery,
    requestLog,
    requestLogReplica,
    async close() {
      // A statement without an answer would keep its pool open.
      const ended = [
        prisma?.$disconnect(),
        accepting.end(),
        hot.end(),
        delivery.end(),
        lookUps.end(),
        requestLog.end(),
        requestLogReplica?.end(),
      ];
      await withinTime(Promise.all(ended), closeTimeoutMs);
    },
  };
}

function loadPrisma(pool: pg.Pool): PrismaClient {
  const { PrismaPg } = require('@prisma/adapter-pg') as typeof import('@prisma/adapter-pg');
  const { PrismaClient: Client } =
    require('./generated/client') as typeof import('./generated/client');
  return new Client({ adapter: new PrismaPg(pool, { disposeExternalPool: false }) });
}

/** Set on each connection, so that the start check notices a pooler that drops settings. */
export const keptSetting = 'belfry.settings_kept';

type PoolOptions = DatabaseOptions & {
  statementTimeoutMs: number;
  settings: string[];
  mayBeReplica?: boolean;
  /** Maximum wait for a free connection. */
  waitMs: number;
};

/** The client waits this much longer than the statement timeout of PostgreSQL, so it only ends silent connections. */
const silenceMs = 1_000;

function createPool(options: PoolOptions): pg.Pool {
  const { url, poolSize, pooling = 'session', log, statementTimeoutMs, waitMs } = options;
  const { mayBeReplica = false } = options;
  const settings = [
    `statement_timeout=${statementTimeoutMs}`,
    ...options.settings,
    `${keptSetting}=on`,
  ];
  const servers = createServers(url);
  const isPooled = pooling === 'transaction';
  const Client = isPooled ? createPooledClient(settings) : pg.Client;
  const pool = new ClassifyingPool(servers, {
    connectionString: servers.getUrl(),
    Client: servers.count > 1 ? createServersClient(Client, servers, { mayBeReplica }) : Client,
    max: poolSize,
    connectionTimeoutMillis: waitMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    query_timeout: statementTimeoutMs + silenceMs,
    // The readers of a replica send several statements at once on one connection.
    ...(mayBeReplica && { pipeline: true }),
    ...(isPooled ? {} : { options: settings.map((each) => `-c ${each}`).join(' ') }),
  });
  // The next query replaces a broken idle connection. Without a listener, the error would end the process.
  pool.on('error', (error) => log.warn('database.connection_lost', { error }));
  // The pool listens to idle connections only. A connection in use reports the error with its next query.
  pool.on('connect', (client) => client.on('error', ignore));
  return pool;
}

function ignore(): void {}

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  // The type of the driver.
  done: (release?: boolean | Error) => void,
) => void;

/** A pool that throws NotConnectedError when it could not connect. Then the statement was certainly not sent. */
class ClassifyingPool extends pg.Pool {
  readonly #servers: Servers;

  constructor(servers: Servers, config: pg.PoolConfig) {
    super(config);
    this.#servers = servers;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    const connected = this.#connectToAny();
    if (!callback) return connected;
    connected.then(
      (client) => callback(undefined, client, client.release),
      (error) => callback(error, undefined, ignore),
    );
    return undefined;
  }

  async #connectToAny(): Promise<pg.PoolClient> {
    try {
      return await connectToAny(this.#servers, () => super.connect());
    } catch (error) {
      throw new NotConnectedError(error);
    }
  }
}
