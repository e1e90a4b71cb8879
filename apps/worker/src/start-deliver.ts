import type { ChannelName } from '@belfry/channels';
import { createDelivery, getLeaseMs } from '@belfry/pipeline/deliver';
import { createConsumerRedis } from '@belfry/runtime';
import { type DeliverJob, getDeliverQueue } from '@belfry/shared';
import type { RunningRole, Services } from './composition';
import { consumeWatched } from './consume';
import { stallMs } from './watchdog';

/** The role `deliver-<channel>`. */
export function startDeliver(services: Services, channel: ChannelName): RunningRole {
  const { env, log, metrics } = services;
  const { deliver, stop, closeSenders } = createDelivery(services, channel);
  const consumer = consumeWatched<DeliverJob>({
    queue: getDeliverQueue(channel),
    prefix: env.REDIS_PREFIX,
    // As many jobs as Redis may hold, so that one fairness key cannot starve another. The slots limit messages in flight.
    concurrency: env.RELAY_CHANNEL_WINDOW,
    connect: () => createConsumerRedis({ url: env.REDIS_URL, log }),
    handle(job, enqueuedAtMs) {
      for (const _ of job.ids) metrics.observeStage('queue', Date.now() - enqueuedAtMs);
      return deliver(job);
    },
    hasOverdueWork: () => hasOverdueMessages(services, channel),
    longestJobMs: getLeaseMs(channel, env),
    log,
  });
  return {
    isStalled: consumer.isStalled,
    async close() {
      stop();
      await consumer.close();
      await closeSenders();
    },
  };
}

/** Due messages that are not in Redis are the relay's work. If Redis is unavailable, they count as overdue. */
async function hasOverdueMessages(
  { findOldestWaiting, queues }: Services,
  channel: string,
): Promise<boolean> {
  const oldest = await findOldestWaiting(channel);
  if (!oldest || oldest.seconds * 1_000 < stallMs) return false;
  const waiting = await queues.countWaiting(channel).catch(() => undefined);
  return waiting !== 0;
}
