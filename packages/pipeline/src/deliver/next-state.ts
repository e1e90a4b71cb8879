import type { ChannelVersion, Outcome } from '@belfry/shared';
import type { NextState } from './record.sql';

export type Backoff = {
  baseMs: number;
  capMs: number;
  /** A number from 0 up to 1. */
  random(): number;
};

export type Attempted = {
  outcome: Outcome;
  version: Pick<ChannelVersion, 'policy' | 'integrationIds'>;
  /** Provider calls made for this message, including this one. */
  attemptsMade: number;
  /** How many of the last attempts in a row went by this integration. */
  attemptsInRow: number;
  /** Resends already made because an outcome was unknown. */
  unknownCount: number;
  /** The integration of this attempt. */
  integrationId: string | undefined;
  /** The provider was already granted one wait longer than 15 minutes. */
  hasWaitedLong: boolean;
  /** The channel's number of resends, unless the version sets its own. */
  channelResends: number;
};

/** For a message whose version or channel does not exist: up to 5 attempts, then failed; an unknown outcome is final. */
export const brokenVersion: Attempted['version'] = {
  integrationIds: [],
  policy: { attempts: 5, timeToLiveMs: 0, onUnknown: 'hold', unknownResends: 0 },
};

/** For a message whose version could not be read now: retried until it expires. */
export const unreadVersion: Attempted['version'] = {
  ...brokenVersion,
  policy: { ...brokenVersion.policy, attempts: Number.POSITIVE_INFINITY },
};

const probeWaitMs = 15 * 60_000;
const longestProviderWaitMs = 15 * 60_000;

/** Computes a message's state after an attempt. Pure, except for the `random` that is passed in. */
export function computeNextState(attempted: Attempted, backoff: Backoff): NextState {
  const { outcome } = attempted;
  switch (outcome.outcome) {
    case 'accepted':
      return { state: outcome.isDelivered ? 'delivered' : 'sent' };
    case 'rejected':
      if (outcome.skip) return { state: 'skipped', reason: outcome.skip };
      return outcome.scope === 'integration' && !outcome.ownToken
        ? afterIntegrationRefused(attempted, backoff)
        : { state: 'failed', reason: `rejected_${outcome.scope}` };
    case 'retry':
      return afterRetry(attempted, outcome, backoff);
    case 'unknown':
      return afterUnknown(attempted, backoff);
  }
}

/**
 * Continues with the next integration of the chain at once. After the last one it starts again at the first, and the claim
 * skips integrations that need attention or waits for them. A chain of one waits for an operator.
 */
function afterIntegrationRefused(attempted: Attempted, backoff: Backoff): NextState {
  const next = findNextIntegration(attempted);
  if (!next) return { state: 'queued', dueAfterMs: probeWaitMs, waits: 'needs_attention' };
  const { isFirst, integrationId } = next;
  const dueAfterMs = isFirst ? backoffMs(attempted.attemptsMade, backoff) : 0;
  return { state: 'queued', dueAfterMs, waits: 'retry', integrationId };
}

/** The integration after this one, cyclically; undefined if there is no other. */
function findNextIntegration({
  version: { integrationIds: chain },
  integrationId,
}: Attempted): { integrationId: string; isFirst: boolean } | undefined {
  const place = integrationId === undefined ? -1 : chain.indexOf(integrationId);
  const next = place < 0 ? undefined : (place + 1) % chain.length;
  const nextIntegrationId = next === undefined ? undefined : chain[next];
  if (nextIntegrationId === undefined || nextIntegrationId === integrationId) return undefined;
  return { integrationId: nextIntegrationId, isFirst: next === 0 };
}

type Wait = Extract<Outcome, { outcome: 'retry' }>;

/** Attempts in a row by one integration before failover to the next. */
const attemptsPerIntegration = 2;

/**
 * A provider may ask once for a wait of more than 15 minutes; after that its waits are cut to 15 minutes. A wait that one
 * provider asked for does not delay the next integration.
 */
function afterRetry(
  attempted: Attempted,
  { afterMs: providerWaitMs = 0, maxAttempts = Number.POSITIVE_INFINITY }: Wait,
  backoff: Backoff,
): NextState {
  const { version, attemptsMade, attemptsInRow, hasWaitedLong } = attempted;
  if (attemptsMade >= Math.min(version.policy.attempts, maxAttempts)) {
    return { state: 'failed', reason: 'attempts_exhausted' };
  }
  const next = attemptsInRow < attemptsPerIntegration ? undefined : findNextIntegration(attempted);
  if (next) {
    const dueAfterMs = backoffMs(attemptsMade, backoff);
    return { state: 'queued', dueAfterMs, waits: 'retry', integrationId: next.integrationId };
  }
  const isLong = providerWaitMs > longestProviderWaitMs && !hasWaitedLong;
  const waitMs = isLong ? providerWaitMs : Math.min(providerWaitMs, longestProviderWaitMs);
  const dueAfterMs = Math.max(backoffMs(attemptsMade, backoff), waitMs);
  return { state: 'queued', dueAfterMs, waits: 'retry', ...(isLong ? { isLongWait: true } : {}) };
}

function afterUnknown(attempted: Attempted, backoff: Backoff): NextState {
  const { version, attemptsMade, unknownCount, channelResends } = attempted;
  const { onUnknown, unknownResends = channelResends, attempts } = version.policy;
  const mayResend =
    onUnknown !== 'hold' && unknownCount < unknownResends && attemptsMade < attempts;
  if (!mayResend) return { state: 'unknown' };
  const next = onUnknown === 'resend_next' ? findNextIntegration(attempted) : undefined;
  return {
    state: 'queued',
    dueAfterMs: backoffMs(attemptsMade, backoff),
    waits: 'retry',
    isPossibleDuplicate: true,
    ...(next ? { integrationId: next.integrationId } : {}),
  };
}

/** Full jitter: a random delay up to the doubled base, so that messages that failed together are not retried together. */
export function backoffMs(attemptsMade: number, { baseMs, capMs, random }: Backoff): number {
  return Math.round(random() * Math.min(capMs, baseMs * 2 ** (attemptsMade - 1)));
}
