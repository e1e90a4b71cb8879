import path from 'node:path';
import {
  type BulkSend,
  createBulkSend,
  createPlan,
  createQueues,
  createSendEvent,
  createWriteBatcher,
  type Queues,
  type SendEvent,
  storedRecipient,
} from '@belfry/accepting';
import { channelNames, channels } from '@belfry/channels';
import {
  createDatabase,
  createLookUps,
  createReadiness,
  type Database,
  findStoredKeys,
  nameOfKey,
  readOldestWaiting,
  writeRequests,
} from '@belfry/database';
import {
  createMetrics,
  createRedis,
  createSecrets,
  type Env,
  EnvError,
  type Logger,
  type Metrics,
  newId,
  type Shutdown,
} from '@belfry/runtime';
import { createBulkReader, deliverQueue, fanOutQueue } from '@belfry/shared';
import type { ApiDeps } from './app';
import { createGatewayLookUps, type GatewayLookUps, orRefuse } from './look-ups';
import { createLimitRate } from './middleware/rate-limit';
import { parseTrustedProxies } from './trusted-proxies';

const migrationsDir = path.resolve(__dirname, '..', '..', '..', 'prisma', 'migrations');
const cachedRows = 10_000;
const bodyTimeoutMs = 30_000;

/** Builds what the gateway is made of, from the leaves up. */
export function createApiDeps(
  env: Env<'api'>,
  log: Logger,
  shutdown: Shutdown,
): ApiDeps & { metrics: Metrics } {
  const https = httpsRules(env);
  const database = createDatabase({ url: env.DATABASE_URL, poolSize: env.DATABASE_POOL_SIZE, log });
  shutdown.add('database', () => database.close());
  const lookUps = createGatewayLookUps(createLookUps(database.prisma), {
    ttlMs: env.LOOKUP_CACHE_MS,
    maxEntries: cachedRows,
  });
  const redis = createRedis({ url: env.REDIS_URL, log });
  shutdown.add('redis', () => redis.disconnect());
  const queues = createQueues({ redis, prefix: env.REDIS_PREFIX, log });
  shutdown.add('queues', () => queues.close());
  const metrics = createMetrics({
    readQueueJobs: () => queues.countJobs([...channelNames.map(deliverQueue), fanOutQueue]),
    readOldestWaiting: () => readOldestWaiting(database.accepting, channelNames),
  });
  const isStoreReady = createReadiness({
    pool: database.accepting,
    databaseUrl: env.DATABASE_URL,
    migrationsDir,
  });
  return {
    findApiKey: lookUps.findApiKey,
    findApp: lookUps.findApp,
    ...createAccepting({ env, log, shutdown, database, queues, lookUps }),
    limitRate: createLimitRate({
      callsPerSecond: env.RATE_LIMIT_PER_SECOND,
      redis,
      redisPrefix: env.REDIS_PREFIX,
      onBypass: metrics.countRateLimitBypass,
    }),
    maxBatchItems: env.MAX_BATCH_ITEMS,
    ready: async () => !shutdown.hasBegun() && (await isStoreReady()),
    metrics,
    channels,
    https,
    bodies: {
      maxBodyBytes: env.MAX_BODY_BYTES,
      maxBodiesInMemoryBytes: env.MAX_BODIES_IN_MEMORY_BYTES,
      bodyTimeoutMs,
    },
    publicUrl: env.PUBLIC_URL,
    log,
    newId,
    now: () => new Date(),
  };
}

type AcceptingParts = {
  env: Env<'api'>;
  log: Logger;
  shutdown: Shutdown;
  database: Database;
  queues: Queues;
  lookUps: GatewayLookUps;
};

type Accepting = { sendEvent: SendEvent; bulkSend: BulkSend };

function createAccepting(parts: AcceptingParts): Accepting {
  const { env, log, shutdown, database, queues, lookUps } = parts;
  const createWrite = (name: string) => {
    const write = createWriteBatcher({
      writeRequests: (calls) => writeRequests(database.accepting, calls),
      queues,
      newId,
      log,
    });
    shutdown.add(name, () => write.close());
    return write;
  };
  const stored = {
    ...lookUps,
    async findStoredKey(accountId: string, hash: Buffer) {
      const key = { accountId, hash };
      const found = await orRefuse(findStoredKeys(database.accepting, [key]));
      return found.get(nameOfKey(key));
    },
    secrets: createSecrets(env.BELFRY_KEYS),
  };
  const extraFields = Object.values(channels).flatMap(({ recipient }) => Object.keys(recipient));
  return {
    sendEvent: createSendEvent({
      ...stored,
      readStoredRecipient: (user) => storedRecipient(user, extraFields),
      write: createWrite('accepting'),
      plan: createPlan(channels),
      newId,
    }),
    bulkSend: createBulkSend({
      ...stored,
      reader: createBulkReader(channels, {
        maxItems: env.MAX_BATCH_ITEMS,
        maxInheritedBytes: env.MAX_BODY_BYTES,
      }),
      // Of its own: a single send must not wait for the statement of a batch.
      write: createWrite('accepting.bulk'),
      now: () => new Date(),
    }),
  };
}

function httpsRules(env: Env<'api'>): ApiDeps['https'] {
  const isTrustedProxy = parseTrustedProxies(env.TRUSTED_PROXIES);
  if (typeof isTrustedProxy === 'function') {
    return { allowHttp: env.ALLOW_HTTP, isTrustedProxy };
  }
  throw new EnvError([
    { name: 'TRUSTED_PROXIES', problem: isTrustedProxy.problem, example: '10.0.0.0/8' },
  ]);
}
