import { type ChannelName, channels, createSenderDeps } from '@belfry/channels';
import { createFindUser, readOldestWaiting } from '@belfry/database';
import {
  type Carriers,
  type Claims,
  claimEligibleMessages,
  claimMessages,
  createAttempt,
  createBreaker,
  createBuckets,
  createCapture,
  createCarriers,
  createClaims,
  createCompose,
  createCountMessage,
  createDeliver,
  createFindOwnToken,
  createHostConnections,
  createLimits,
  createMarkIntegration,
  createSlots,
  type Deliver,
  dropSettledTexts,
  getDeadlineMs,
  getLeaseMs,
  getPreparationMs,
  type Limits,
  type RequeuedMessage,
  readWaitingFacts,
  requeueMessages,
  type WaitingFacts,
  writeCaptures,
} from '@belfry/pipeline/deliver';
import { createBatcher, createConsumerRedis, createSemaphore, type Env } from '@belfry/runtime';
import { type DeliverJob, getDeliverQueue } from '@belfry/shared';
import type { RunningRole, Services } from './composition';
import { consumeWatched } from './consume';
import { stallMs } from './watchdog';

const claimsPerFlush = 200;

/** The role `deliver-<channel>`. */
export function startDeliver(services: Services, channel: ChannelName): RunningRole {
  const { env, log } = services;
  const times = {
    preparationMs: getPreparationMs(channel),
    deadlineMs: getDeadlineMs(channel, env),
    leaseMs: getLeaseMs(channel, env),
  };
  const { deliver, stop } = createDeliveries(services, channel, times);
  const consumer = consumeWatched<DeliverJob>({
    queue: getDeliverQueue(channel),
    prefix: env.REDIS_PREFIX,
    // As many jobs as Redis may hold, so that one fairness key cannot starve another. The slots limit messages in flight.
    concurrency: env.RELAY_CHANNEL_WINDOW,
    connect: () => createConsumerRedis({ url: env.REDIS_URL, log }),
    handle: deliver,
    hasOverdueWork: () => hasOverdueMessages(services, channel),
    longestJobMs: times.leaseMs,
    log,
  });
  return {
    isStalled: consumer.isStalled,
    close() {
      stop();
      return consumer.close();
    },
  };
}

type Times = { preparationMs: number; deadlineMs: number; leaseMs: number };

function createDeliveries(services: Services, channel: ChannelName, times: Times): Deliver {
  const { env, log } = services;
  const carriers = createChannelCarriers(services, channel, times.leaseMs);
  const compose = createCompose(channels[channel], services.composing);
  const limits = createChannelLimits(services, channel);
  return createDeliver({
    slots: createSlots(env.MESSAGES_IN_FLIGHT),
    unstored: createSemaphore(env.MESSAGES_IN_FLIGHT),
    breaker: createBreaker({ now: () => performance.now() }),
    limits,
    connections: carriers.connections,
    deadlineMs: times.deadlineMs,
    requeue: createRequeue(services),
    claims: createChannelClaims(services, channel, times.leaseMs),
    attempt: createAttempt({
      findVersion: services.findVersion,
      findApp: services.findApp,
      findCarrier: carriers.find,
      compose,
      pace: limits.pace,
      deadlines: services.deadlines,
      secrets: services.secrets,
      ...times,
      log,
    }),
    recorder: services.recorder,
    onIntegration: createMarkIntegration({
      pool: services.database.delivery,
      findIntegration: services.findIntegration,
      log,
    }),
    dropTexts: createDropTexts(services),
    backoff: services.backoff,
    channelResends: channels[channel].unknownResends,
    countMessage: createCountMessage(services),
    log,
  });
}

function createChannelLimits(services: Services, channel: ChannelName): Limits {
  const { database, redis, env, secrets, backoff, log, findIntegration } = services;
  const facts = createBatcher<string, WaitingFacts | undefined>({
    flush: (ids) => readWaitingFacts(database.delivery, ids),
    maxBatch: claimsPerFlush,
    maxWaiting: 100_000,
  });
  return createLimits({
    channel: channels[channel],
    buckets: createBuckets({ redis, prefix: env.REDIS_PREFIX }),
    findIntegration,
    readWaiting: facts.add,
    secrets,
    random: backoff.random,
    log,
  });
}

function createChannelCarriers(
  services: Services,
  channel: ChannelName,
  leaseMs: number,
): Carriers {
  const { env, shutdown, database } = services;
  const carriers = createCarriers({
    channelName: channel,
    channel: channels[channel],
    findIntegration: services.findIntegration,
    findOwnToken: createFindOwnToken({
      channel: channels[channel],
      secrets: services.secrets,
      // Batches the lookups of messages that arrive together. Single lookups would each wait for a connection.
      findUser: createFindUser(services.lookUps),
      readStoredRecipient: services.readStoredRecipient,
    }),
    secrets: services.secrets,
    capture: createCapture((captures) => writeCaptures(database.hot, captures)),
    senderDeps: { ...createSenderDeps(env), ...countHostConnections(services, leaseMs) },
    receiptsAt: findReachableUrl(env),
  });
  shutdown.add(`${channel}.senders`, () => carriers.close());
  return carriers;
}

function countHostConnections({ env, redis, log }: Services, leaseMs: number) {
  const max = env.SMTP_CONNECTIONS_PER_HOST;
  if (max === 0) return {};
  const prefix = env.REDIS_PREFIX;
  // Each mail renews the count of its connection, and a mail ends before the lease of its message.
  return { hostConnections: createHostConnections({ redis, prefix, max, ttlMs: leaseMs, log }) };
}

/** Due messages that are not in Redis are the relay's work. If Redis is unavailable, they count as overdue. */
async function hasOverdueMessages(
  { database, queues }: Services,
  channel: string,
): Promise<boolean> {
  const [oldest] = await readOldestWaiting(database.delivery, [channel]);
  if (!oldest || oldest.seconds * 1_000 < stallMs) return false;
  const waiting = await queues.countWaiting(channel).catch(() => undefined);
  return waiting !== 0;
}

/** Providers reject callback URLs that they cannot reach. A simulator on this machine reaches all of them. */
function findReachableUrl(env: Env<'worker'>): string | undefined {
  const isReachable = env.PUBLIC_URL.startsWith('https://') || hasSimulator(env);
  return isReachable ? env.PUBLIC_URL : undefined;
}

function hasSimulator(env: Env<'worker'>): boolean {
  return Object.values(createSenderDeps(env).baseUrls).some((url) => url !== undefined);
}

function createChannelClaims(
  { database, worker }: Services,
  channel: string,
  leaseMs: number,
): Claims {
  return createClaims({
    claim: claimMessages.bind(null, database.delivery),
    // Each push claim must check the device.
    ...(channel === 'push'
      ? {}
      : { claimEligible: claimEligibleMessages.bind(null, database.hot) }),
    worker,
    leaseMs,
  });
}

function createRequeue({ database }: Services) {
  return createBatcher<RequeuedMessage, undefined>({
    async flush(messages) {
      await requeueMessages(database.delivery, messages);
      return messages.map(() => undefined);
    },
    maxBatch: claimsPerFlush,
    maxWaiting: 100_000,
    getKey: ({ id }) => id,
  });
}

/** Best effort: upkeep drops texts that are missed here. */
function createDropTexts({ database, log }: Services): (messageId: string) => Promise<void> {
  const drops = createBatcher<string, undefined>({
    async flush(ids) {
      await dropSettledTexts(database.delivery, ids);
      return ids.map(() => undefined);
    },
    maxBatch: claimsPerFlush,
    maxWaiting: 100_000,
  });
  return (messageId) =>
    drops.add(messageId).catch((error: unknown) => log.warn('texts.not_dropped', { error }));
}
