import { setTimeout as sleep } from 'node:timers/promises';
import { channelNames, createGuardedHttp, createSenderDeps } from '@belfry/channels';
import type { Database } from '@belfry/database';
import {
  createLoop,
  type Env,
  type Logger,
  type Metrics,
  newId,
  type RedisConnection,
  type Secrets,
} from '@belfry/runtime';
import { startAlerts } from '../alerts/start-alerts';
import type { Archive } from '../archive/archive';
import { recordResults } from '../deliver/record.sql';
import { countStorage } from '../operate/account-storage.sql';
import { createPublishCapacity } from './capacity';
import { createMinuteCount } from './count-minutes';
import { enqueueDue } from './enqueue-due.sql';
import { createLeases, type LeasesDeps } from './expire-leases';
import {
  createOutgoingHeartbeat,
  heartbeatEveryMs,
  type OutgoingHeartbeat,
} from './outgoing-heartbeat';
import type { Queues } from './queues';
import { createRelay, type Relay } from './relay';
import {
  expireWaiting,
  hasOpenWork,
  listDoubtedMessages,
  listExpiredLeases,
  listUnplannedRequests,
  readUptime,
  replaceJobs,
} from './relay.sql';
import { createUpkeep, type Upkeep } from './retention';
import { createUpkeepTasks } from './retention.sql';
import { withMinutesLock, withStorageLock, withUpkeepLock } from './retention-lock';
import { listenToRelayWakes } from './wake-relay';

/** The services of a worker that the relay uses. */
export type RelayServices = Pick<LeasesDeps, 'findVersion' | 'backoff'> & {
  env: Env<'worker'>;
  log: Logger;
  database: Database;
  redis: RedisConnection;
  queues: Queues;
  metrics: Pick<Metrics, 'observeStage' | 'countRelayRun'>;
  secrets: Secrets;
  /** Undefined if it is off. */
  archive: Archive | undefined;
};

const upkeepEveryMs = 5 * 60_000;
/** Together with LOOKUP_CACHE_MS this bounds how far an account can exceed its limit; see docs/how-to/limit-storage.md. */
const storageCountEveryMs = 5_000;

/** Enqueues due messages, expires leases, counts minutes and runs retention until it is closed. */
export function startRelay(services: RelayServices): { close(): Promise<void> } {
  const { env, database } = services;
  const pool = database.delivery;
  const relay = createStoredRelay(services);
  const leases = createLeases({
    readUptime: () => readUptime(pool),
    now: Date.now,
    listExpiredLeases: (options) => listExpiredLeases(pool, options),
    findVersion: services.findVersion,
    recordResults: (results) => recordResults(pool, results),
    backoff: services.backoff,
    log: services.log,
  });
  const upkeep = createStoredUpkeep(services);
  const storageCount = createLoop(
    () => countStorageOnce(services),
    () => storageCountEveryMs,
  );
  const minutes = createMinuteCount({
    withLock: (work) => withMinutesLock(pool, work),
    now: Date.now,
    log: services.log,
  });
  const loops = [relay, leases, upkeep, storageCount, minutes];
  for (const loop of loops) loop.start();
  const alerts = startAlerts(services);
  const heartbeat = startOutgoingHeartbeat(services, relay);
  const listener = listenToRelayWakes(
    { url: env.REDIS_URL, prefix: env.REDIS_PREFIX, log: services.log },
    relay.wake,
  );
  return {
    async close() {
      listener.close();
      await Promise.all([...loops, alerts, heartbeat].map((each) => each.close()));
    },
  };
}

/** Removes old rows of these stores. */
export function createStoredUpkeep({
  env,
  database,
  archive,
  log,
}: Pick<RelayServices, 'database' | 'archive' | 'log'> & {
  env: Pick<Env<'worker'>, 'RETENTION_DAYS'>;
}): Upkeep {
  return createUpkeep({
    withLock: (work) => withUpkeepLock(database.delivery, work),
    createTasks: () => createUpkeepTasks({ retentionDays: env.RETENTION_DAYS, archive }),
    everyMs: upkeepEveryMs,
    now: () => performance.now(),
    sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
    log,
  });
}

/** The relay of these stores. */
function createStoredRelay(services: RelayServices): Relay {
  const { env, database, queues, redis, log } = services;
  const pool = database.delivery;
  const markerKey = `${env.REDIS_PREFIX}:relay:marker`;
  return createRelay({
    channels: [...channelNames],
    enqueueDue: (decisions) => enqueueDue(pool, decisions),
    publishCapacity: createPublishCapacity(
      { redis, prefix: env.REDIS_PREFIX },
      getCapacityTtlMs(env),
    ),
    listDoubted: (options) => listDoubtedMessages(pool, options),
    replaceJobs: (jobs) => replaceJobs(pool, jobs),
    expireWaiting: (limit) => expireWaiting(pool, limit),
    removeJobs: queues.removeJobs,
    listUnplannedRequests: (options) => listUnplannedRequests(pool, options),
    addFanOutJobs: queues.addFanOutJobs,
    hasOpenWork: () => hasOpenWork(pool),
    hasMarker: async () => (await redis.set(markerKey, '1', 'GET')) !== null,
    queues,
    newId,
    pollMs: env.RELAY_POLL_MS,
    requeueAfterMs: env.RELAY_REQUEUE_AFTER_MS,
    windows: { channel: env.RELAY_CHANNEL_WINDOW, app: env.RELAY_APP_WINDOW },
    observeStage: services.metrics.observeStage,
    countRun: services.metrics.countRelayRun,
    log,
  });
}

function startOutgoingHeartbeat(
  { env, log, database, redis }: RelayServices,
  relay: Relay,
): OutgoingHeartbeat {
  const { allowedPrivateHosts } = createSenderDeps(env);
  const heartbeat = createOutgoingHeartbeat({
    url: env.HEARTBEAT_URL,
    http: createGuardedHttp({ allowedPrivateHosts }),
    async isWorking() {
      await Promise.all([readUptime(database.delivery), redis.ping()]);
      return relay.isWorking();
    },
    everyMs: heartbeatEveryMs,
    log,
  });
  heartbeat.start();
  return heartbeat;
}

async function countStorageOnce({ env, database, log }: RelayServices): Promise<void> {
  const limit = { defaultLimitMb: env.STORAGE_LIMIT_MB_PER_ACCOUNT };
  try {
    await withStorageLock(database.delivery, (client) => countStorage(client, limit));
  } catch (error) {
    log.warn('storage.count_failed', { error });
  }
}

/** Long enough that a slow relay still counts; short enough that a dead one soon does not. */
function getCapacityTtlMs({ RELAY_POLL_MS }: Env<'worker'>): number {
  return Math.max(2_000, RELAY_POLL_MS * 4);
}
