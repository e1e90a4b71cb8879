import path from 'node:path';
import {
  createPlan,
  createQueues,
  type Plan,
  type Queues,
  storedRecipient,
} from '@belfry/accepting';
import { channelNames, channels } from '@belfry/channels';
import {
  type AppRow,
  createDatabase,
  createLookUps,
  createReadiness,
  type Database,
  type IntegrationRow,
  type LookUps,
  readOldestWaiting,
  recordResults,
  type UserRow,
  type VersionRow,
} from '@belfry/database';
import {
  createCache,
  createMetrics,
  createRedis,
  createSecrets,
  type Env,
  type Logger,
  type Metrics,
  type Secrets,
  type Shutdown,
} from '@belfry/runtime';
import { deliverQueue, fanOutQueue, type Recipient } from '@belfry/shared';
import type { Redis } from 'ioredis';
import type { Backoff } from './next-state';
import { createRecorder, type Recorder } from './recorder';

/** What the roles of one process share. */
export type Parts = {
  env: Env<'worker'>;
  log: Logger;
  shutdown: Shutdown;
  database: Database;
  redis: Redis;
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
  ready(): Promise<boolean>;
};

const migrationsDir = path.resolve(__dirname, '..', '..', '..', 'prisma', 'migrations');
/** Takes nothing new, and resolves when what the role has in hand is done. */
export type CloseRole = () => Promise<void>;

const cachedRows = 1_000;
/** A version never changes; only memory bounds how long it is kept. */
const versionTtlMs = 60 * 60_000;

export function createParts(env: Env<'worker'>, log: Logger, shutdown: Shutdown): Parts {
  const database = createDatabase({ url: env.DATABASE_URL, poolSize: env.DATABASE_POOL_SIZE, log });
  shutdown.add('database', () => database.close());
  const redis = createRedis({ url: env.REDIS_URL, log });
  shutdown.add('redis', () => redis.disconnect());
  const queues = createQueues({ redis, prefix: env.REDIS_PREFIX, log });
  shutdown.add('queues', () => queues.close());
  const recorder = createRecorder({
    recordResults: (results) => recordResults(database.delivery, results),
    log,
  });
  shutdown.add('recorder', () => recorder.close());
  const metrics = createMetrics({
    readQueueJobs: () => queues.countJobs([...channelNames.map(deliverQueue), fanOutQueue]),
    readOldestWaiting: () => readOldestWaiting(database.accepting, channelNames),
  });
  const isStoreReady = createReadiness({
    pool: database.accepting,
    databaseUrl: env.DATABASE_URL,
    migrationsDir,
  });
  const lookUps = createLookUps(database.lookUps);
  const rows = { ttlMs: env.LOOKUP_CACHE_MS, maxEntries: cachedRows };
  const extraFields = Object.values(channels).flatMap(({ recipient }) => Object.keys(recipient));
  return {
    env,
    log,
    shutdown,
    database,
    redis,
    queues,
    secrets: createSecrets(env.BELFRY_KEYS),
    lookUps,
    findVersion: createCache(lookUps.findVersion, { ttlMs: versionTtlMs, maxEntries: cachedRows }),
    findApp: createCache(lookUps.findApp, rows),
    findIntegration: createCache(lookUps.findIntegration, rows),
    readStoredRecipient: (user) => storedRecipient(user, extraFields),
    plan: createPlan(channels),
    recorder,
    metrics,
    ready: async () => !shutdown.hasBegun() && (await isStoreReady()),
    backoff: { baseMs: env.RETRY_BASE_MS, capMs: env.RETRY_CAP_MS, random: Math.random },
  };
}
