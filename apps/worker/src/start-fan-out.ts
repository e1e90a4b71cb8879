import { createFanOut } from '@belfry/accepting';
import { findUnplannedRequest, listUnplannedItems, writePlans } from '@belfry/database';
import { createBlockingRedis, newId } from '@belfry/runtime';
import { type FanOutJob, fanOutQueue } from '@belfry/shared';
import { consume } from './consume';
import type { CloseRole, Parts } from './parts';

const requestsAtOnce = 2;

/** The role `fanout`: plans the items of bulk requests. */
export function startFanOut(parts: Parts): CloseRole {
  const { database, env, log, shutdown } = parts;
  const pool = database.delivery;
  const fanOut = createFanOut({
    findUnplannedRequest: (requestId) => findUnplannedRequest(pool, requestId),
    listUnplannedItems: (requestId, limit) => listUnplannedItems(pool, { requestId, limit }),
    writePlans: (request, planned) => writePlans(pool, request, planned),
    findVersion: parts.findVersion,
    findApp: parts.findApp,
    findUsers: parts.lookUps.findUsers,
    readStoredRecipient: parts.readStoredRecipient,
    plan: parts.plan,
    newId,
  });
  const redis = createBlockingRedis({ url: env.REDIS_URL, log });
  shutdown.add('fanout.redis', () => redis.disconnect());
  const consumer = consume<FanOutJob>({
    queue: fanOutQueue,
    prefix: env.REDIS_PREFIX,
    concurrency: requestsAtOnce,
    redis,
    log,
    handle: fanOut,
  });
  return () => consumer.close();
}
