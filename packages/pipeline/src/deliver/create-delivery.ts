import { type ChannelName, channels, createSenderDeps } from '@belfry/channels';
import { createFindUser, type Database, type LookUps } from '@belfry/database';
import {
  createBatcher,
  createSemaphore,
  type Env,
  type Logger,
  type Metrics,
  type RedisConnection,
} from '@belfry/runtime';
import { dropSettledTexts } from '../accept/sealed-items';
import { createNameReader, createWakeReader } from '../operate/inbox-wakes';
import { type AttemptDeps, createAttempt } from './attempt';
import { createCapture } from './capture';
import { writeCaptures } from './capture.sql';
import {
  type Carriers,
  type CarriersDeps,
  createCarriers,
  createMarkIntegration,
} from './choose-integration';
import { type Claims, createClaims } from './claim';
import { claimEligibleMessages, claimMessages } from './claim.sql';
import { createCompose } from './compose';
import { createDeliver, type Deliver, type DeliverDeps } from './deliver';
import { createCountMessage } from './delivery-counts';
import { createHostConnections } from './host-connections';
import { getDeadlineMs, getLeaseMs, getPreparationMs } from './lease-times';
import { createLinks } from './links';
import { createFindOwnToken, type OwnTokenDeps } from './own-token';
import { createBuckets, createLimits, type Limits } from './rate-limits';
import { type RequeuedMessage, requeueMessages } from './requeue.sql';
import { createBreaker, createSlots } from './slots';
import { readWaitingFacts, type WaitingFacts } from './waiting-message.sql';

/** The services of a worker that delivery uses. */
export type DeliveryServices = Parameters<typeof createCountMessage>[0] & {
  metrics: Pick<Metrics, 'observeStage'>;
} & Pick<AttemptDeps, 'findVersion' | 'findApp' | 'deadlines'> &
  Pick<CarriersDeps, 'findIntegration' | 'secrets'> &
  Pick<DeliverDeps, 'recorder' | 'backoff' | 'health' | 'tracing'> &
  Pick<OwnTokenDeps, 'readStoredRecipient'> & {
    /** The name of this process in attempts. */
    worker: string;
    env: Env<'worker'>;
    log: Logger;
    database: Database;
    redis: RedisConnection;
    lookUps: Pick<LookUps, 'findUsers'>;
    /** Shares composing time fairly among accounts. */
    composing: Parameters<typeof createCompose>[1];
  };

const claimsPerFlush = 200;

/** The delivery of one channel in this process. Attempts use the senders until they end, so close these last. */
export function createDelivery(
  services: DeliveryServices,
  channel: ChannelName,
): Deliver & { closeSenders(): Promise<void> } {
  const { env, log } = services;
  const times = {
    preparationMs: getPreparationMs(channel),
    deadlineMs: getDeadlineMs(channel, env),
    leaseMs: getLeaseMs(channel, env),
  };
  const carriers = createChannelCarriers(services, channel, times.leaseMs);
  const compose = createCompose(
    channels[channel],
    services.composing,
    createLinks({ publicUrl: env.PUBLIC_URL, secrets: services.secrets }),
  );
  const limits = createChannelLimits(services, channel);
  const deliver = createDeliver({
    slots: createSlots(env.MESSAGES_IN_FLIGHT),
    unstored: createSemaphore(env.MESSAGES_IN_FLIGHT),
    breaker: createBreaker({ now: () => performance.now() }),
    health: services.health,
    limits,
    connections: carriers.connections,
    deadlineMs: times.deadlineMs,
    requeue: createRequeue(services),
    claims: createChannelClaims(services, channel, times.leaseMs),
    attempt: createAttempt({
      channel: channels[channel],
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
    wakeReader: createWakeReader({
      redis: services.redis,
      prefix: env.REDIS_PREFIX,
      nameReader: createNameReader(services.secrets),
    }),
    backoff: services.backoff,
    channelResends: channels[channel].unknownResends,
    countMessage: createCountMessage(services),
    observeStage: services.metrics.observeStage,
    tracing: services.tracing,
    log,
  });
  return { ...deliver, closeSenders: carriers.close };
}

function createChannelLimits(services: DeliveryServices, channel: ChannelName): Limits {
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
  services: DeliveryServices,
  channel: ChannelName,
  leaseMs: number,
): Carriers {
  const { env, database } = services;
  return createCarriers({
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
}

function countHostConnections({ env, redis, log }: DeliveryServices, leaseMs: number) {
  const max = env.SMTP_CONNECTIONS_PER_HOST;
  if (max === 0) return {};
  const prefix = env.REDIS_PREFIX;
  // Each mail renews the count of its connection, and a mail ends before the lease of its message.
  return { hostConnections: createHostConnections({ redis, prefix, max, ttlMs: leaseMs, log }) };
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
  { database, worker }: DeliveryServices,
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

function createRequeue({ database }: DeliveryServices) {
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
function createDropTexts({
  database,
  log,
}: DeliveryServices): (messageId: string) => Promise<void> {
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
