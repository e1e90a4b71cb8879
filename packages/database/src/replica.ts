import type { Findings, Logger, StartCheck } from '@belfry/runtime';
import type pg from 'pg';
import type { Database } from './client';
import { getSqlState, type Queryable } from './transaction';

type LogPools = Pick<Database, 'requestLog' | 'requestLogReplica'>;

export type Reading<T> = {
  value: T;
  /** Maximum age of the data; 0 if nothing is missing. */
  lagMs: number;
};

export type ReplicaReads = {
  /** `work` may run twice: on the replica and, if that fails, on the primary. */
  read<T>(work: (database: Queryable) => Promise<T>): Promise<Reading<T>>;
  /** The lag of the last reading. */
  getLagMs(): number;
};

/** Without an answer, the primary is asked. */
const answerTimeoutMs = 1_500;
/** Readers do not wait for an unavailable replica more often than this. */
const retryAfterMs = 10_000;
const statementTimeout = '57014';

/**
 * For reads that may be a little old. They come from the replica while it answers, otherwise from the primary: a log is
 * needed most during an outage, and its statements are limited.
 */
export function createReplicaReads(
  { requestLog: primary, requestLogReplica: replica }: LogPools,
  log: Logger,
): ReplicaReads {
  let avoidedUntilMs = 0;
  let lagMs = 0;

  async function read<T>(work: (database: Queryable) => Promise<T>): Promise<Reading<T>> {
    if (!replica || performance.now() < avoidedUntilMs)
      return { value: await work(primary), lagMs: 0 };
    try {
      return await readReplica({ primary, replica }, work);
    } catch (error) {
      // The primary would need as long.
      if (getSqlState(error) === statementTimeout) throw error;
      avoidedUntilMs = performance.now() + retryAfterMs;
      log.warn('database.replica_not_read', { error });
      return { value: await work(primary), lagMs: 0 };
    }
  }

  return {
    async read(work) {
      const reading = await read(work);
      lagMs = reading.lagMs;
      return reading;
    },
    getLagMs: () => lagMs,
  };
}

/** On one connection, because the URL may lead to several servers: the lag is that of the server that is read. */
async function readReplica<T>(
  { primary, replica }: Record<'primary' | 'replica', pg.Pool>,
  work: (database: Queryable) => Promise<T>,
): Promise<Reading<T>> {
  const client = await replica.connect();
  let failure: Error | undefined;
  try {
    const verdict = await compareServers(primary, client);
    if ('problem' in verdict) throw new Error(verdict.problem);
    return { value: await work(client), lagMs: verdict.lagMs };
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.release(failure);
  }
}

/** Checks DATABASE_REPLICA_URL. Rejects if the server does not answer: the log is read from the primary then. */
export function createReplicaCheck(pools: LogPools): StartCheck {
  return { name: 'replica', read: async () => (await checkReplica(pools)).findings };
}

/** `lagMs` is undefined if the replica must not be read. */
export async function checkReplica({
  requestLog: primary,
  requestLogReplica: replica,
}: LogPools): Promise<{ findings: Findings; lagMs?: number }> {
  if (!replica) return { findings: { refusals: [], warnings: [] } };
  const client = await replica.connect().catch(describeRefusedLogin);
  if (typeof client === 'string') return { findings: { refusals: [client], warnings: [] } };
  try {
    const verdict = await compareServers(primary, client);
    if ('lagMs' in verdict) return { findings: { refusals: [], warnings: [] }, ...verdict };
    const { problem, isLasting } = verdict;
    return {
      findings: { refusals: isLasting ? [problem] : [], warnings: isLasting ? [] : [problem] },
    };
  } finally {
    client.release();
  }
}

/** Password and user, database, and what a pooler refuses. */
const loginRefused = /^(28|3D|08P)/;

function describeRefusedLogin(error: Error): string {
  const { cause } = error;
  if (!(cause instanceof Error) || !loginRefused.test(getSqlState(cause) ?? '')) throw error;
  return (
    `DATABASE_REPLICA_URL: the server refuses the connection (${cause.message}). Use the user, the password and the name ` +
    'of the database as in DATABASE_URL; DATABASE_POOLING is for both.'
  );
}

export type PrimaryFacts = {
  /** The same on a primary and its streaming replicas. */
  identity: string;
  /** Tells servers apart. */
  startedAt: string;
  /** The end of its log, and its time in seconds. */
  lsn: string;
  at: string;
};

export type ReplicaFacts = Pick<PrimaryFacts, 'identity' | 'startedAt'> & {
  isReplica: boolean;
  /** Whether it has replayed the primary's log up to `lsn`. */
  hasAll: boolean;
  /** Time from the last commit that it replayed to `at`; null if it replayed none since its start. */
  lagMs: number | null;
};

/** A lasting problem is one of the settings. */
export type ReplicaVerdict = { lagMs: number } | { problem: string; isLasting: boolean };

async function compareServers(primary: Queryable, replica: Queryable): Promise<ReplicaVerdict> {
  const position = { text: primaryStatement, query_timeout: answerTimeoutMs };
  const [primaryFacts] = (await primary.query<PrimaryFacts>(position)).rows;
  if (!primaryFacts) throw noRow();
  const { lsn, at } = primaryFacts;
  const question = { text: replicaStatement, values: [lsn, at], query_timeout: answerTimeoutMs };
  const [replicaFacts] = (await replica.query<ReplicaFacts>(question)).rows;
  if (!replicaFacts) throw noRow();
  return judgeReplica(primaryFacts, replicaFacts);
}

function noRow(): Error {
  return new Error('PostgreSQL returned no row');
}

/**
 * The replica alone cannot know its lag: when it is disconnected, it has replayed all that it received. So the primary's
 * position is read first. On an idle primary the age of the last commit grows, although nothing is missing.
 */
export function judgeReplica(primary: PrimaryFacts, replica: ReplicaFacts): ReplicaVerdict {
  if (replica.identity !== primary.identity) {
    const problem =
      'DATABASE_REPLICA_URL leads to another server or database, which does not follow that of DATABASE_URL. Name a streaming replica of it.';
    return { problem, isLasting: true };
  }
  if (!replica.isReplica && replica.startedAt !== primary.startedAt) {
    const problem =
      'DATABASE_REPLICA_URL leads to a server that was promoted, so it does not follow that of DATABASE_URL. Name a streaming replica of it.';
    return { problem, isLasting: false };
  }
  if (!replica.isReplica || replica.hasAll) return { lagMs: 0 };
  if (replica.lagMs !== null) return { lagMs: Math.max(0, replica.lagMs) };
  const problem =
    'The replica of DATABASE_REPLICA_URL is behind and has replayed no commit since its start, so nobody knows how far.';
  return { problem, isLasting: false };
}

/** A physical copy has the same identifier, and its databases have the same OIDs. A restored dump has others. */
const identity = `(SELECT system_identifier FROM pg_control_system())
    || '/' || (SELECT oid FROM pg_database WHERE datname = current_database()) AS identity,
  extract(epoch FROM pg_postmaster_start_time())::text AS "startedAt"`;

const primaryStatement = `
SELECT ${identity},
  pg_current_wal_flush_lsn()::text AS lsn, extract(epoch FROM clock_timestamp())::text AS at`;

const replicaStatement = `
SELECT ${identity}, pg_is_in_recovery() AS "isReplica",
  coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) AS "hasAll",
  (($2::numeric - extract(epoch FROM pg_last_xact_replay_timestamp())) * 1000)::float8 AS "lagMs"`;
