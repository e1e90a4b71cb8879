import { type Logger, withinTime } from '@belfry/runtime';
import type pg from 'pg';
import { ClassifyingPool, NotConnectedError } from './connection';
import type { PrismaClient } from './generated/client';

/** Every way to PostgreSQL that a process has. */
export type Database = {
  /** Configuration. Loaded when it is first asked for: it costs memory that a worker has better use for. */
  readonly prisma: PrismaClient;
  /** Questions with one answer, see `createLookUps`. */
  lookUps: pg.Pool;
  /** Accepting: bounded statements, so that a caller never waits long. */
  accepting: pg.Pool;
  /** Rows by their ids, many at once: claims, records, captures, plans. */
  hot: pg.Pool;
  /** What else delivery asks, the relay's part of it. */
  delivery: pg.Pool;
  /** The log of the dashboard, which walks indexes in their order: a plan that gathers and sorts has no bound. */
  requestLog: pg.Pool;
  close(): Promise<void>;
};

export type DatabaseOptions = {
  url: string;
  /** Connections of each pool, at most. */
  poolSize: number;
  log: Logger;
};

/** A caller does not wait longer for a connection. */
const connectTimeoutMs = 1_500;
/** A message that is being delivered has time: what is held up by a busy moment is not a fault. */
const patientConnectTimeoutMs = 5_000;
const closeTimeoutMs = 1_000;

export function createDatabase({ url, poolSize, log }: DatabaseOptions): Database {
  const pool = (statementTimeoutMs: number, settings: string[] = [], waitMs = connectTimeoutMs) =>
    createPool({ url, poolSize, log, statementTimeoutMs, settings, waitMs });
  // A caller's request must have its answer before its idempotency lock ends after 10 s.
  const accepting = pool(4_000, ['lock_timeout=2s', 'idle_in_transaction_session_timeout=10s']);
  // Planned once a connection: their statements are written so that there is one way to do them, whatever the tables hold
  // (docs/decisions/0050-hot-statements-are-planned-once.md). The checks of their foreign keys are planned once, too, which is what each row pays for.
  const hot = pool(
    30_000,
    ['plan_cache_mode=force_generic_plan', 'enable_seqscan=off'],
    patientConnectTimeoutMs,
  );
  // A plan made while a table was empty would be kept for ever.
  // And a table without statistics would be read whole where an index holds the few rows that are asked for.
  const delivery = pool(
    30_000,
    ['plan_cache_mode=force_custom_plan', 'enable_seqscan=off'],
    patientConnectTimeoutMs,
  );
  const lookUps = pool(10_000, ['plan_cache_mode=force_custom_plan']);
  const requestLog = pool(10_000, [
    'plan_cache_mode=force_custom_plan',
    'enable_sort=off',
    'enable_bitmapscan=off',
  ]);
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
    async close() {
      // A statement that a silent PostgreSQL holds would hold its pool for as long.
      const ended = [
        prisma?.$disconnect(),
        accepting.end(),
        hot.end(),
        delivery.end(),
        lookUps.end(),
        requestLog.end(),
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

type PoolOptions = DatabaseOptions & {
  statementTimeoutMs: number;
  settings: string[];
  /** For a free connection. */
  waitMs: number;
};

/** How much longer than PostgreSQL a client waits: only for a connection that went silent. */
const silenceMs = 1_000;

function createPool(options: PoolOptions): pg.Pool {
  const { url, poolSize, log, statementTimeoutMs, settings, waitMs } = options;
  const pool = new ClassifyingPool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: waitMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    query_timeout: statementTimeoutMs + silenceMs,
    options: [`statement_timeout=${statementTimeoutMs}`, ...settings]
      .map((setting) => `-c ${setting}`)
      .join(' '),
  });
  // An idle connection that breaks is replaced by the next query; without a listener it would end the process.
  pool.on('error', (error) => log.warn('database.connection_lost', { error }));
  // The same for one that is in use: the pool listens to idle ones only, and its next query tells of the break.
  pool.on('connect', (client) => client.on('error', ignore));
  return pool;
}

function ignore(): void {}

/**
 * Whether PostgreSQL answered that the statement did not happen. Anything else (a lost connection, a
 * server that goes down) leaves open whether it was committed.
 */
export function isAnsweredError(error: unknown): boolean {
  if (error instanceof NotConnectedError) return false;
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  // EPIPE looks like an SQLSTATE and is one of the system.
  if (syscall !== undefined) return false;
  // Prisma's own codes, P1001 and the like, look like SQLSTATEs and are none.
  if (typeof code !== 'string' || !/^(?!P[1-9])[0-9A-Z]{5}$/.test(code)) return false;
  return !code.startsWith('08') && !code.startsWith('57P');
}

/**
 * Whether PostgreSQL refused the statement for what stands in it (a value, a constraint), and would again. False for
 * what passes by itself: a lock, a timeout, a full disk, a server that only reads, a lost connection.
 */
export function isRefusedContent(error: unknown): boolean {
  return isAnsweredError(error) && /^(2[0-3]|54)/.test((error as { code: string }).code);
}
