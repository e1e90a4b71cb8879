import { channelNames } from '@belfry/channels';
import {
  assignJobs,
  createUpkeepTasks,
  listDueMessages,
  listExpiredLeases,
  listUnplannedRequests,
  readServerStart,
  withUpkeepLock,
} from '@belfry/database';
import { newId } from '@belfry/runtime';
import { leaseMsOf } from './lease';
import type { Parts, RunningRole } from './parts';
import { createRelay } from './relay';
import { createUpkeep } from './upkeep';

const upkeepEveryMs = 5 * 60_000;

/** The role `relay`: brings what is due from PostgreSQL to the queues. */
export function startRelay(parts: Parts): RunningRole {
  const { env, database, queues, redis } = parts;
  const pool = database.delivery;
  const markerKey = `${env.REDIS_PREFIX}:relay:marker`;
  const relay = createRelay({
    channels: [...channelNames],
    listDue: (options) => listDueMessages(pool, options),
    assignJobs: (jobs) => assignJobs(pool, jobs),
    listExpiredLeases: (limit) => listExpiredLeases(pool, limit),
    listUnplannedRequests: (options) => listUnplannedRequests(pool, options),
    addFanOutJobs: queues.addFanOutJobs,
    readServerStart: () => readServerStart(pool),
    hasMarker: async () => (await redis.set(markerKey, '1', 'GET')) !== null,
    findVersion: parts.findVersion,
    record: parts.recorder.record,
    queues,
    newId,
    backoff: parts.backoff,
    pollMs: env.RELAY_POLL_MS,
    requeueAfterMs: env.RELAY_REQUEUE_AFTER_MS,
    channelWindow: env.RELAY_CHANNEL_WINDOW,
    longestLeaseMs: Math.max(...channelNames.map((name) => leaseMsOf(name, env))),
    log: parts.log,
  });
  const upkeep = createUpkeep({
    withLock: (work) => withUpkeepLock(pool, work),
    createTasks: () => createUpkeepTasks({ retentionDays: env.RETENTION_DAYS }),
    everyMs: upkeepEveryMs,
    log: parts.log,
  });
  relay.start();
  upkeep.start();
  return {
    isStalled: () => false,
    async close() {
      await Promise.all([relay.close(), upkeep.close()]);
    },
  };
}
