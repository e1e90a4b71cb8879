import path from 'node:path';
import { channelNames, channels } from '@belfry/channels';
import {
  createDatabaseCheck,
  createIdLists,
  createLookUps,
  createReadiness,
  type Database,
  fillSlackIntegration,
  findSealedSecrets,
  markSlackRevoked,
  readOldestWaiting,
  writeKeyUses,
  writeMailSignature,
} from '@belfry/database';
import {
  type BulkSend,
  type Capacity,
  createBulkSend,
  createCapacity,
  createCapacityReader,
  createPlan,
  createReadStoredRecipient,
  createSendEvent,
  createWriteBatcher,
  type Queues,
  type SendEvent,
  writeRequests,
} from '@belfry/pipeline/accept';
import {
  createDryRun,
  type DryRun,
  findCaptures,
  readEligibility,
  storeReceipts,
  storeReplies,
} from '@belfry/pipeline/operate';
import {
  createFairQueue,
  createMetrics,
  createRedisCheck,
  createSecrets,
  createTracing,
  type Env,
  EnvError,
  type Logger,
  type Metrics,
  newId,
  parseTrustedProxies,
  type RedisConnection,
  type Secrets,
  type Shutdown,
  type StartCheck,
} from '@belfry/runtime';
import { createBulkReader, fanOutQueue, getDeliverQueue } from '@belfry/shared';
import type { ApiDeps } from './app';
import { createBrowserServices } from './composition-browser';
import { createStreams } from './composition-inbox';
import { createRecords } from './composition-records';
import { openStores } from './composition-stores';
import { createIdempotentRunner } from './idempotent-requests';
import { createGatewayLookUps, type GatewayLookUps, mapStoreErrors } from './look-ups';
import { createKeyUses, createLimitRate } from './middleware/before-body';
import { minBodiesInMemory } from './middleware/body-limits';
import { createReceiptDownloads } from './receipt-downloads';
import { readSlackApp } from './slack/app';
import type { SlackRouterDeps } from './slack/router';

const migrationsDir = path.resolve(__dirname, '..', '..', '..', 'prisma', 'migrations');
const cachedRows = 10_000;
/** 16 KB/s. A slower body holds memory for too long. */
const bodyPace = { timeoutMs: 30_000, windowMs: 5_000, minBytes: 80_000 };

type GatewayServices = ApiDeps & {
  metrics: Metrics;
  storeChecks: StartCheck[];
  startInstallationWatch(): Promise<void>;
  /** Undefined if there is no Slack app. */
  slackDeps: SlackRouterDeps | undefined;
};

/** Creates everything that the gateway depends on. */
export function createApiDeps(env: Env<'api'>, log: Logger, shutdown: Shutdown): GatewayServices {
  const https = httpsRules(env);
  const tracing = createTracing({ env, service: 'belfry-api', log, shutdown });
  const stores = openStores(env, log, shutdown);
  const { database, queues } = stores;
  const lookUps = createGatewayLookUps(createStoredLookUps(database), {
    ttlMs: env.LOOKUP_CACHE_MS,
    maxEntries: cachedRows,
    isTrustedProxy: https.isTrustedProxy,
  });
  const secrets = createSecrets(env.BELFRY_KEYS);
  const base = { env, log, shutdown, ...stores, lookUps, secrets };
  const streams = createStreams(base);
  const metrics = createMetrics({
    readQueueJobs: () => queues.countJobs([...channelNames.map(getDeliverQueue), fanOutQueue]),
    readOldestWaiting: () => readOldestWaiting(database.accepting, channelNames),
    countStreams: streams.inboxStreams.count,
  });
  const migrated = { pool: database.accepting, databaseUrl: env.DATABASE_URL, migrationsDir };
  const isStoreReady = createReadiness(migrated);
  return {
    ...createRecords({ ...base, ...streams }),
    ...createBrowserServices({ ...base, ...https }),
    inboxStreams: streams.inboxStreams,
    ...stores.installation,
    runIdempotentRequest: createIdempotentRunner({ ...base, count: metrics.countIdempotency }),
    findApiKey: lookUps.findApiKey,
    recordKeyUse: createRecordKeyUse(database, shutdown),
    findApp: lookUps.findApp,
    receipts: createReceiptStore(base),
    findCaptures: (filter) => mapStoreErrors(findCaptures(database.lookUps, filter)),
    isClosing: shutdown.isShuttingDown,
    ...createSendServices(base),
    limitRate: createLimitRate({
      callsPerSecond: env.RATE_LIMIT_PER_SECOND,
      redis: stores.redis,
      redisPrefix: env.REDIS_PREFIX,
      onBypass: metrics.countRateLimitBypass,
    }),
    maxBatchItems: env.MAX_BATCH_ITEMS,
    ready: async () => !shutdown.isShuttingDown() && (await isStoreReady()),
    metrics,
    tracing,
    storeChecks: [createDatabaseCheck({ ...migrated, secrets }), createRedisCheck(env)],
    channels,
    https,
    bodies: bodyLimits(env),
    publicUrl: env.PUBLIC_URL,
    slackDeps: createSlackDeps(base),
    log,
    newId,
  };
}

function createStoredLookUps({ lookUps }: Database) {
  return {
    ...createLookUps(lookUps),
    ...createIdLists(lookUps),
    findSealedSecrets: findSealedSecrets.bind(null, lookUps),
  };
}

type BaseServices = {
  env: Env<'api'>;
  log: Logger;
  shutdown: Shutdown;
  database: Database;
  redis: RedisConnection;
  queues: Queues;
  lookUps: GatewayLookUps;
  secrets: Secrets;
};

function createReceiptStore({
  env,
  database,
  secrets,
  lookUps,
  shutdown,
}: BaseServices): ApiDeps['receipts'] {
  return {
    downloads: createReceiptDownloads(env.SES_API_URL || undefined, shutdown),
    channels,
    secrets,
    findIntegration: lookUps.findIntegration,
    storeReceipts: (receipts) => mapStoreErrors(storeReceipts(database.accepting, receipts)),
    storeMailSignature: (result) => mapStoreErrors(writeMailSignature(database.accepting, result)),
    storeReplies: (replies) => mapStoreErrors(storeReplies(database.accepting, replies)),
  };
}

function createSlackDeps({
  env,
  database,
  secrets,
  log,
}: Pick<BaseServices, 'env' | 'database' | 'secrets' | 'log'>): SlackRouterDeps | undefined {
  const app = readSlackApp(env);
  return (
    app && {
      app,
      publicUrl: env.PUBLIC_URL,
      stateSecret: secrets.fingerprint('slack_state', '').toString('base64url'),
      secrets,
      fillIntegration: (actor, install) => fillSlackIntegration(database.accepting, actor, install),
      markRevoked: (revocation) => markSlackRevoked(database.accepting, revocation),
      now: () => new Date(),
      log,
    }
  );
}

function startCapacityReader({ env, log, shutdown, redis }: BaseServices): Capacity {
  const capacity = createCapacity();
  const reader = createCapacityReader({
    redis,
    prefix: env.REDIS_PREFIX,
    capacity,
    id: newId(),
    log,
  });
  reader.start();
  shutdown.add('capacity', () => reader.close());
  return {
    ...capacity,
    take(place) {
      reader.noticeUse();
      return capacity.take(place);
    },
  };
}

const keyUsesEveryMs = 10_000;

function createRecordKeyUse(database: Database, shutdown: Shutdown): (id: string) => void {
  const uses = createKeyUses({
    write: (ids) => writeKeyUses(database.lookUps, ids),
    everyMs: keyUsesEveryMs,
    maxKeys: cachedRows,
  });
  shutdown.add('key_uses', () => uses.close());
  return uses.record;
}

type SendServices = { sendEvent: SendEvent; bulkSend: BulkSend; dryRun: DryRun };

function createSendServices(services: BaseServices): SendServices {
  const { env, log, shutdown, database, queues, lookUps, secrets } = services;
  const capacity = startCapacityReader(services);
  const createWrite = (name: string) => {
    const write = createWriteBatcher({
      writeRequests: writeRequests.bind(null, database.accepting),
      queues,
      capacity,
      newId,
      log,
    });
    shutdown.add(name, () => write.close());
    return write;
  };
  const stored = { ...lookUps, secrets };
  const planning = {
    readStoredRecipient: createReadStoredRecipient(channels),
    plan: createPlan(channels),
    newId,
  };
  return {
    sendEvent: createSendEvent({ ...stored, ...planning, write: createWrite('accept_single') }),
    dryRun: createDryRun({
      ...lookUps,
      ...planning,
      channels,
      composing: createFairQueue(),
      publicUrl: env.PUBLIC_URL,
      readEligibility: (appId, candidates) =>
        mapStoreErrors(readEligibility(database.lookUps, appId, candidates)),
      now: () => new Date(),
    }),
    bulkSend: createBulkSend({
      ...stored,
      reader: createBulkReader(channels, {
        maxItems: env.MAX_BATCH_ITEMS,
        maxInheritedBytes: env.MAX_BODY_BYTES,
      }),
      // A separate batcher, so that a single send never waits for the statement of a batch.
      write: createWrite('accept_bulk'),
    }),
  };
}

function bodyLimits(env: Env<'api'>): ApiDeps['bodies'] {
  const maxBodyBytes = env.MAX_BODY_BYTES;
  const maxBodiesInMemoryBytes = env.MAX_BODIES_IN_MEMORY_BYTES;
  if (maxBodiesInMemoryBytes >= minBodiesInMemory * maxBodyBytes) {
    return { maxBodyBytes, maxBodiesInMemoryBytes, pace: bodyPace };
  }
  const problem = `must be at least ${minBodiesInMemory} times MAX_BODY_BYTES`;
  const example = String(minBodiesInMemory * maxBodyBytes);
  throw new EnvError([{ name: 'MAX_BODIES_IN_MEMORY_BYTES', problem, example }]);
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
