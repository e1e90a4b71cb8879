import { hostname } from 'node:os';
import { type ChannelName, channels, type SenderDeps } from '@belfry/channels';
import {
  claimMessages,
  markActive,
  markNeedsAttention,
  type PutBack,
  putBackMessages,
  writeCapture,
} from '@belfry/database';
import { createBatcher, createBlockingRedis, type Env } from '@belfry/runtime';
import { type DeliverJob, deliverQueue } from '@belfry/shared';
import { attemptMessage } from './attempt';
import { createBreaker } from './breaker';
import { createCarriers } from './carrier';
import { createCompose } from './compose';
import { consume } from './consume';
import { createDeliver, type TimedClaim } from './deliver';
import { deadlineMsOf, leaseMsOf } from './lease';
import { createFindOwnToken } from './own-token';
import type { CloseRole, Parts } from './parts';
import { createSlots } from './slots';

const claimsPerFlush = 200;

/** The role `deliver-<channel>`. */
export function startDeliver(parts: Parts, channel: ChannelName): CloseRole {
  const { env, log, shutdown, database } = parts;
  const carriers = createCarriers({
    channelName: channel,
    channel: channels[channel],
    findIntegration: parts.findIntegration,
    findOwnToken: createFindOwnToken({
      channel: channels[channel],
      secrets: parts.secrets,
      findUser: parts.lookUps.findUser,
      readStoredRecipient: parts.readStoredRecipient,
    }),
    secrets: parts.secrets,
    capture: (record) =>
      writeCapture(database.delivery, { ...record, outcome: record.outcome.outcome }),
    senderDeps: senderDepsOf(env),
    receiptsAt: whereProvidersReach(env),
  });
  shutdown.add(`${channel}.senders`, () => carriers.close());
  const times = { deadlineMs: deadlineMsOf(channel, env), leaseMs: leaseMsOf(channel, env) };
  const compose = createCompose(channels[channel]);
  const { deliver, stop } = createDeliver({
    slots: createSlots(env.MESSAGES_IN_FLIGHT),
    breaker: createBreaker({ now: () => performance.now() }),
    putBack: createPutBack(parts),
    claims: createClaims(parts, times.leaseMs),
    attempt: (claimed) =>
      attemptMessage(
        {
          findVersion: parts.findVersion,
          findApp: parts.findApp,
          findCarrier: carriers.find,
          compose,
          ...times,
          log,
        },
        claimed,
      ),
    recorder: parts.recorder,
    onIntegration: (seen) => tellIntegration(parts, seen),
    backoff: parts.backoff,
    countMessage: parts.metrics.countMessage,
    log,
  });
  const redis = createBlockingRedis({ url: env.REDIS_URL, log });
  shutdown.add(`${channel}.redis`, () => redis.disconnect());
  const consumer = consume<DeliverJob>({
    queue: deliverQueue(channel),
    prefix: env.REDIS_PREFIX,
    // All that Redis may hold: one lane's jobs must not hide another's. The slots bound what is in flight.
    concurrency: env.RELAY_CHANNEL_WINDOW,
    redis,
    log,
    handle: deliver,
  });
  return () => {
    stop();
    return consumer.close();
  };
}

function senderDepsOf(env: Env<'worker'>): SenderDeps {
  return {
    baseUrls: {
      slack: env.SLACK_API_URL || undefined,
      twilio: env.TWILIO_API_URL || undefined,
      meta: env.META_API_URL || undefined,
      telegram: env.TELEGRAM_API_URL || undefined,
    },
    allowPrivateNetworks: env.ALLOW_PRIVATE_NETWORKS,
  };
}

/** Providers refuse addresses that they cannot reach; a simulator on this machine reaches every one. */
function whereProvidersReach(env: Env<'worker'>): string | undefined {
  const isReachable = env.PUBLIC_URL.startsWith('https://') || env.ALLOW_PRIVATE_NETWORKS;
  return isReachable ? env.PUBLIC_URL : undefined;
}

function createClaims({ database }: Parts, leaseMs: number) {
  const worker = `${hostname()}:${process.pid}`;
  return createBatcher<string, TimedClaim>({
    async flush(ids) {
      // From here, not from `add`: waiting for the flush before takes nothing from the lease.
      const claimedAtMs = performance.now();
      const claims = await claimMessages(database.delivery, { ids, worker, leaseMs });
      return claims.map((claim) => ({ claim, claimedAtMs }));
    },
    maxBatch: claimsPerFlush,
    maxWaiting: 100_000,
    keyOf: (id) => id,
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

/** Best effort: what is missed here is seen again with the next message. */
function tellIntegration(
  { database, findIntegration, log }: Parts,
  { integrationId, refusal }: { integrationId: string; refusal: string | undefined },
): void {
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
  tell().catch((error: unknown) => log.warn('integration.not_marked', { error }));
}
