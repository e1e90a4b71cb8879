import { hostname } from 'node:os';
import path from 'node:path';
import { channelNames, channels } from '@belfry/channels';
import {
  type AppRow,
  countNeedsAttention,
  createDatabase,
  createDatabaseCheck,
  createLookUps,
  createReadiness,
  type Database,
  type IntegrationRow,
  type LookUps,
  type OldestWaiting,
  readOldestWaiting,
  readServer,
  removeHeartbeat,
  type UserRow,
  type VersionRow,
  writeHeartbeat,
  writeIntegrationResults,
} from '@belfry/database';
import type { Backoff } from '@belfry/pipeline/deliver';
import {
  createDeadlines,
  createHealthTally,
  createPlan,
  createReadStoredRecipient,
  createRecorder,
  createTally,
  type Deadlines,
  type HealthTally,
  type Plan,
  type Recorder,
  readStorageTotals,
  recordResults,
  type Tally,
  writeDeliveryCounts,
} from '@belfry/pipeline/deliver';
import { type Archive, createArchive, createQueues, type Queues } from '@belfry/pipeline/relay';
import { readWebhookTotals } from '@belfry/pipeline/webhooks';
import {
  createAsyncCache,
  createBatcher,
  createFairQueue,
  createMetrics,
  createRedis,
  createRedisCheck,
  createSecrets,
  createTracing,
  type Env,
  type FairQueue,
  type Logger,
  type Metrics,
  type RedisConnection,
  type Secrets,
  type Shutdown,
  type StartCheck,
  type Tracing,
  version,
  withinTime,
} from '@belfry/runtime';
import { fanOutQueue, getDeliverQueue, type Recipient } from '@belfry/shared';
import { createHeartbeat, type Heartbeat } from './heartbeat';
import { listChannels, type Role } from './roles';

/** The services that the roles of one process share. */
export type Services = {
  /** Undefined if it is off, and without the relay. */
  archive: Archive | undefined;
  /** The oldest due message of a channel. All watchdogs of the process ask at the same time and share a statement. */
  findOldestWaiting(channel: string): Promise<OldestWaiting | undefined>;
  /** The name of this process in attempts and heartbeats. */
  worker: string;
  env: Env<'worker'>;
  log: Logger;
  /** Undefined if traces are off. */
  tracing: Tracing | undefined;
  shutdown: Shutdown;
  database: Database;
  redis: RedisConnection;
  queues: Queues;
  secrets: Secrets;
  lookUps: LookUps;
  findVersion(id: string): Promise<VersionRow | undefined>;
  findApp(id: string): Promise<AppRow | undefined>;
  findIntegration(id: string): Promise<IntegrationRow | undefined>;
  readStoredRecipient(user: UserRow): Recipient;
  plan: Plan;
  recorder: Recorder;
  backoff: Backoff;
  metrics: Metrics;
  /** Counts the deliveries of this process. */
  tally: Tally;
  /** Collects the results of integrations. */
  health: HealthTally;
  ready(): Promise<boolean>;
  storeChecks: StartCheck[];
  heartbeat: Heartbeat;
  /** The deadlines of every attempt of this process. */
  deadlines: Deadlines;
  /** Shares composing time fairly among accounts. */
  composing: FairQueue;
};

const migrationsDir = path.resolve(__dirname, '..', '..', '..', 'prisma', 'migrations');

export type RunningRole = {
  /** Takes no new work, and resolves when the running work is done. */
  close(): Promise<void>;
  /** Whether overdue work waits and none is done. */
  isStalled(): boolean;
};

/** Limit for closing an unavailable store. Leases recover unrecorded results. */
const closeTimeoutMs = 500;
const cachedRows = 1_000;
/** A version never changes, so a long TTL is safe. */
const versionRows = { ttlMs: 60 * 60_000, maxEntries: cachedRows };

export type ServicesDeps = { env: Env<'worker'>; log: Logger; shutdown: Shutdown; roles: Role[] };

export function createServices({ env, log, shutdown, roles }: ServicesDeps): Services {
  const worker = `${hostname()}:${process.pid}`;
  const database = createDatabase({ ...readServer(env), poolSize: env.DATABASE_POOL_SIZE, log });
  shutdown.add('database', () => database.close());
  const redis = createRedis({ url: env.REDIS_URL, log });
  shutdown.add('redis', () => redis.disconnect());
  const queues = createQueues({ redis, prefix: env.REDIS_PREFIX, log });
  shutdown.add('queues', () => withinTime(queues.close(), closeTimeoutMs));
  const recorder = createRecorder({
    recordResults: recordResults.bind(null, database.hot),
    log,
  });
  shutdown.add('recorder', () => withinTime(recorder.close(), closeTimeoutMs));
  const tally = createTally({
    write: (counts) => writeDeliveryCounts(database.delivery, counts),
    log,
  });
  shutdown.add('tally', () => tally.close());
  const metrics = createWorkerMetrics({ env, roles, database, queues });
  const migrated = { pool: database.accepting, databaseUrl: env.DATABASE_URL, migrationsDir };
  const isStoreReady = createReadiness(migrated);
  const lookUps = createLookUps(database.lookUps);
  const secrets = createSecrets(env.BELFRY_KEYS);
  const rows = { ttlMs: env.LOOKUP_CACHE_MS, maxEntries: cachedRows };
  const heartbeat = createProcessHeartbeat({ worker, roles, database, log, shutdown });
  return {
    archive: createRelayArchive({ env, log, roles }),
    worker,
    findOldestWaiting: createFindOldestWaiting(database),
    heartbeat,
    deadlines: createDeadlines(),
    composing: createFairQueue(),
    env,
    log,
    tracing: createTracing({ env, service: 'belfry-worker', log, shutdown }),
    shutdown,
    database,
    redis,
    queues,
    secrets,
    lookUps,
    findVersion: createAsyncCache(lookUps.findVersion, versionRows),
    findApp: createAsyncCache(lookUps.findApp, rows),
    findIntegration: createAsyncCache(lookUps.findIntegration, rows),
    readStoredRecipient: createReadStoredRecipient(channels),
    plan: createPlan(channels),
    recorder,
    tally,
    health: createWorkerHealth({ database, log, shutdown }),
    metrics,
    ready: async () => !shutdown.isShuttingDown() && (await isStoreReady()),
    storeChecks: [createDatabaseCheck({ ...migrated, secrets }), createRedisCheck(env)],
    backoff: { baseMs: env.RETRY_BASE_MS, capMs: env.RETRY_CAP_MS, random: Math.random },
  };
}

/** Only the relay writes to the archive. */
function createRelayArchive({ env, log, roles }: Pick<ServicesDeps, 'env' | 'log' | 'roles'>) {
  if (!roles.some(({ kind }) => kind === 'relay')) return undefined;
  return createArchive(env, log);
}

const maxWatchdogs = 100;

function createFindOldestWaiting({ delivery }: Database): Services['findOldestWaiting'] {
  const batcher = createBatcher<string, OldestWaiting | undefined>({
    async flush(names) {
      const rows = await readOldestWaiting(delivery, names);
      return names.map((name) => rows.find(({ channel }) => channel === name));
    },
    maxBatch: maxWatchdogs,
    maxWaiting: maxWatchdogs,
  });
  return batcher.add;
}

function createWorkerHealth({
  database,
  log,
  shutdown,
}: Pick<Services, 'database' | 'log' | 'shutdown'>): HealthTally {
  const health = createHealthTally({
    write: (results) => writeIntegrationResults(database.delivery, results),
    now: () => performance.now(),
    log,
  });
  shutdown.add('health', () => health.close());
  return health;
}

function createWorkerMetrics({
  env,
  roles,
  database,
  queues,
}: Pick<Services, 'env' | 'database' | 'queues'> & { roles: Role[] }): Metrics {
  const hasRole = (role: Role['kind']) => roles.some(({ kind }) => kind === role);
  return createMetrics({
    readQueueJobs: () => queues.countJobs([...channelNames.map(getDeliverQueue), fanOutQueue]),
    readOldestWaiting: () => readOldestWaiting(database.accepting, listChannels(roles)),
    ...(hasRole('webhooks') && { readWebhooks: () => readWebhookTotals(database.accepting) }),
    ...(hasRole('relay') && {
      readNeedsAttention: () => countNeedsAttention(database.accepting, channelNames),
      readStorage: () =>
        readStorageTotals(database.accepting, { defaultLimitMb: env.STORAGE_LIMIT_MB_PER_ACCOUNT }),
    }),
  });
}

type HeartbeatServices = Pick<Services, 'worker' | 'database' | 'log' | 'shutdown'> & {
  roles: Role[];
};

function createProcessHeartbeat({
  worker,
  roles,
  database,
  log,
  shutdown,
}: HeartbeatServices): Heartbeat {
  const about = { id: worker, roles: roles.map(({ name }) => name), version };
  const heartbeat = createHeartbeat({
    write: (row) => writeHeartbeat(database.delivery, { ...about, ...row }),
    remove: () => removeHeartbeat(database.delivery, worker),
    log,
  });
  shutdown.add('heartbeat', () => heartbeat.close());
  return heartbeat;
}
