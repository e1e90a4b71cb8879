import { listUsableIntegrations } from '@belfry/database';
import {
  carryOutResend,
  createFanOut,
  createResendByFilter,
  createResends,
  findUnplannedRequest,
  listUnplannedItems,
  listUnplannedRequests,
  writePlans,
} from '@belfry/pipeline/relay';
import { createConsumerRedis, newId } from '@belfry/runtime';
import { type FanOutJob, fanOutQueue } from '@belfry/shared';
import type { RunningRole, Services } from './composition';
import { consumeWatched } from './consume';
import { stallMs } from './watchdog';

const maxConcurrentRequests = 2;
/** Enough for the largest request on a busy machine. */
const longestPlanningMs = 120_000;

/** The role `fanout`: plans the items of bulk requests and executes resends by filter. */
export function startFanOut(services: Services): RunningRole {
  const planning = startPlanning(services);
  const resends = createResends({ carryOut: createCarryOut(services), log: services.log });
  resends.start();
  return {
    isStalled: planning.isStalled,
    async close() {
      await Promise.all([planning.close(), resends.close()]);
    },
  };
}

function createCarryOut({ database, findVersion }: Services) {
  return createResendByFilter({
    carryOutResend: (decide) => carryOutResend(database.delivery, decide),
    findVersion,
    listUsableIntegrations: (ids) => listUsableIntegrations(database.lookUps, ids),
    newId,
  });
}

function startPlanning(services: Services): RunningRole {
  const { database, env, log } = services;
  const pool = database.delivery;
  const fanOut = createFanOut({
    findUnplannedRequest: (requestId) => findUnplannedRequest(pool, requestId),
    listUnplannedItems: (page) => listUnplannedItems(pool, page),
    writePlans: (request, chunk) => writePlans(database.hot, request, chunk),
    findVersion: services.findVersion,
    findApp: services.findApp,
    findUsers: services.lookUps.findUsers,
    readStoredRecipient: services.readStoredRecipient,
    plan: services.plan,
    secrets: services.secrets,
    newId,
  });
  return consumeWatched<FanOutJob>({
    queue: fanOutQueue,
    prefix: env.REDIS_PREFIX,
    concurrency: maxConcurrentRequests,
    connect: () => createConsumerRedis({ url: env.REDIS_URL, log }),
    handle: fanOut,
    async hasOverdueWork() {
      const overdue = await listUnplannedRequests(pool, { olderThanMs: stallMs, limit: 1 });
      return overdue.length > 0;
    },
    longestJobMs: longestPlanningMs,
    log,
  });
}
