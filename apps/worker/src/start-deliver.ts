import { createCompose } from '@belfry/accepting';
import { type ChannelName, channels, senderDepsOf } from '@belfry/channels';
import {
  claimClearMessages,
  claimMessages,
  createFindUser,
  dropSettledTexts,
  markActive,
  markNeedsAttention,
  type PutBack,
  putBackMessages,
  readOldestWaiting,
  readWaitingFacts,
  type WaitingFacts,
  writeCaptures,
} from '@belfry/database';
import { createBatcher, createConsumerRedis, createSemaphore, type Env } from '@belfry/runtime';
import { type DeliverJob, deliverQueue } from '@belfry/shared';
import { attemptMessage } from './attempt';
import { createBreaker } from './breaker';
import { createBuckets } from './buckets';
import { createCapture } from './captures';
import { type Carriers, createCarriers } from './carrier';
import { type Claims, createClaims } from './claims';
import { createDeliver, type Deliver, type DeliverDeps } from './deliver';
import { createHostConnections } from './host-connections';
import { deadlineMsOf, getPreparationMs, leaseMsOf } from './lease';
import { createLimits, type Limits } from './limits';
import { createFindOwnToken } from './own-token';
import type { Parts, RunningRole } from './parts';
import { createSlots } from './slots';
import { stallMs } from './watchdog';
import { consumeWatched } from './watched-consumer';

const claimsPerFlush = 200;

/** The role `deliver-<channel>`. */
export function startDeliver(parts: Parts, channel: ChannelName): RunningRole {
  const { env, log } = parts;
  const times = {
    preparationMs: getPreparationMs(channel),
    deadlineMs: deadlineMsOf(channel, env),
    leaseMs: leaseMsOf(channel, env),
  };
  const { deliver, stop } = createDeliveries(parts, channel, times);
  const consumer = consumeWatched<DeliverJob>({
    queue: deliverQueue(channel),
    prefix: env.REDIS_PREFIX,
    // All that Redis may hold: one lane's jobs must not hide another's. The slots bound what is in flight.
    concurrency: env.RELAY_CHANNEL_WINDOW,
    connect: () => createConsumerRedis({ url: env.REDIS_URL, log }),
    handle: deliver,
    hasOverdueWork: () => hasOverdueMessages(parts, channel),
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

function createDeliveries(parts: Parts, channel: ChannelName, times: Times): Deliver {
  const { env, log } = parts;
  const carriers = createChannelCarriers(parts, channel, times.leaseMs);
  const compose = createCompose(channels[channel], parts.composing);
  const limits = createChannelLimits(parts, channel);
  return createDeliver({
    slots: createSlots(env.MESSAGES_IN_FLIGHT),
    unstored: createSemaphore(env.MESSAGES_IN_FLIGHT),
    breaker: createBreaker({ now: () => performance.now() }),
    limits,
    connections: carriers.connections,
    deadlineMs: times.deadlineMs,
    putBack: createPutBack(parts),
    claims: createChannelClaims(parts, channel, times.leaseMs),
    attempt: (claimed) =>
      attemptMessage(
        {
          findVersion: parts.findVersion,
          findApp: parts.findApp,
          findCarrier: carriers.find,
          compose,
          pace: limits.pace,
          deadlines: parts.deadlines,
          secrets: parts.secrets,
          ...times,
          log,
        },
        claimed,
      ),
    recorder: parts.recorder,
    onIntegration: (seen) => tellIntegration(parts, seen),
    dropTexts: createDropTexts(parts),
    backoff: parts.backoff,
    channelResends: channels[channel].unknownResends,
    countMessage: createCountMessage(parts),
    log,
  });
}

function createCountMessage({ metrics, tally }: Parts): DeliverDeps['countMessage'] {
  return function countMessage({ appId, ...message }) {
    metrics.countMessage(message);
    if (message.outcome === 'accepted') tally.note({ appId, channel: message.channel });
  };
}

function createChannelLimits(parts: Parts, channel: ChannelName): Limits {
  const { database, redis, env, secrets, backoff, log, findIntegration } = parts;
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

function createChannelCarriers(parts: Parts, channel: ChannelName, leaseMs: number): Carriers {
  const { env, shutdown, database } = parts;
  const carriers = createCarriers({
    channelName: channel,
    channel: channels[channel],
    findIntegration: parts.findIntegration,
    findOwnToken: createFindOwnToken({
      channel: channels[channel],
      secrets: parts.secrets,
      // Of messages that come together they are looked up together: they would wait for a connection each.
      findUser: createFindUser(parts.lookUps),
      readStoredRecipient: parts.readStoredRecipient,
    }),
    secrets: parts.secrets,
    capture: createCapture((captures) => writeCaptures(database.hot, captures)),
    senderDeps: { ...senderDepsOf(env), ...countHostConnections(parts, leaseMs) },
    receiptsAt: whereProvidersReach(env),
  });
  shutdown.add(`${channel}.senders`, () => carriers.close());
  return carriers;
}

function countHostConnections({ env, redis, log }: Parts, leaseMs: number) {
  const max = env.SMTP_CONNECTIONS_PER_HOST;
  if (max === 0) return {};
  const prefix = env.REDIS_PREFIX;
  // A connection is counted again with each mail, which ends before the lease of its message.
  return { hostConnections: createHostConnections({ redis, prefix, max, ttlMs: leaseMs, log }) };
}

/** What is due and not in Redis is the relay's to bring; without Redis nobody can bring it. */
async function hasOverdueMessages({ database, queues }: Parts, channel: string): Promise<boolean> {
  const [oldest] = await readOldestWaiting(database.delivery, [channel]);
  if (!oldest || oldest.seconds * 1_000 < stallMs) return false;
  const waiting = await queues.countWaiting(channel).catch(() => undefined);
  return waiting !== 0;
}

/** Providers refuse addresses that they cannot reach; a simulator on this machine reaches every one. */
function whereProvidersReach(env: Env<'worker'>): string | undefined {
  const isReachable = env.PUBLIC_URL.startsWith('https://') || hasSimulator(env);
  return isReachable ? env.PUBLIC_URL : undefined;
}

function hasSimulator(env: Env<'worker'>): boolean {
  return Object.values(senderDepsOf(env).baseUrls).some((url) => url !== undefined);
}

function createChannelClaims(
  { database, worker }: Parts,
  channel: string,
  leaseMs: number,
): Claims {
  return createClaims({
    claim: (ids) => claimMessages(database.delivery, { ids, worker, leaseMs }),
    // A push asks for its device each time.
    ...(channel === 'push'
      ? {}
      : {
          claimClear: (ids: string[]) => claimClearMessages(database.hot, { ids, worker, leaseMs }),
        }),
  });
}

function createPutBack({ database }: Parts) {
  return createBatcher<PutBack, undefined>({
    async flush(messages) {
      await putBackMessages(database.delivery, messages);
      return messages.map(() => undefined);
    },
    maxBatch: claimsPerFlush,
    maxWaiting: 100_000,
    keyOf: ({ id }) => id,
  });
}

/** What is missed here, upkeep drops. */
function createDropTexts({ database, log }: Parts): (messageId: string) => Promise<void> {
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

/** Best effort: what is missed here is seen again with the next message. */
async function tellIntegration(
  { database, findIntegration, log }: Parts,
  { integrationId, refusal }: { integrationId: string; refusal: string | undefined },
): Promise<void> {
  async function tell(): Promise<void> {
    if (refusal !== undefined) {
      log.warn('integration.needs_attention', { integration_id: integrationId });
      await markNeedsAttention(database.delivery, { integrationId, reason: refusal });
      return;
    }
    const integration = await findIntegration(integrationId);
    if (integration?.state === 'needs_attention')
      await markActive(database.delivery, integrationId);
  }
  await tell().catch((error: unknown) => log.warn('integration.not_marked', { error }));
}
