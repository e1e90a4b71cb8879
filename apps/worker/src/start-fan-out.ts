import { createPlanning, createResendLoop, listUnplannedRequests } from '@belfry/pipeline/relay';
import { createConsumerRedis } from '@belfry/runtime';
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
  const resends = createResendLoop(services);
  resends.start();
  return {
    isStalled: planning.isStalled,
    async close() {
      await Promise.all([planning.close(), resends.close()]);
    },
  };
}

function startPlanning(services: Services): RunningRole {
  const { database, env, log } = services;
  return consumeWatched<FanOutJob>({
    queue: fanOutQueue,
    prefix: env.REDIS_PREFIX,
    concurrency: maxConcurrentRequests,
    connect: () => createConsumerRedis({ url: env.REDIS_URL, log }),
    handle: createPlanning(services),
    async hasOverdueWork() {
      const overdue = await listUnplannedRequests(database.delivery, {
        olderThanMs: stallMs,
        limit: 1,
      });
      return overdue.length > 0;
    },
    longestJobMs: longestPlanningMs,
    log,
  });
}
