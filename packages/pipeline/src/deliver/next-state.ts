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
  /** Provider calls made for this message, this one included. */
  attemptsMade: number;
  /** Of these, the last ones in a row by the integration of this attempt. */
  attemptsInRow: number;
  /** Resends already made because an outcome was unknown. */
  unknownCount: number;
  /** The integration that this attempt went by. */
  integrationId: string | undefined;
  /** A provider's wait beyond the longest was honoured before. */
  hasWaitedLong: boolean;
  /** The channel's own number of resends, where the version names none. */
  channelResends: number;
};

/** For a message whose version could not be read: a few tries, then failed; an unknown outcome stays. */
export const brokenVersion: Attempted['version'] = {
  integrationIds: [],
  policy: { attempts: 5, timeToLiveMs: 0, onUnknown: 'hold', unknownResends: 0 },
};

/** For a message whose version could not be read for now: it is tried until its end. */
export const unreadVersion: Attempted['version'] = {
  ...brokenVersion,
  policy: { ...brokenVersion.policy, attempts: Number.POSITIVE_INFINITY },
};

const probeWaitMs = 15 * 60_000;
const longestProviderWaitMs = 15 * 60_000;

/** What becomes of a message after an attempt. Pure, but for the jitter that it is handed. */
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
 * The next integration of the chain at once; behind the last one the first again, which the claim passes over or waits
 * for where it needs attention too. A chain of one waits for a person.
 */
function afterIntegrationRefused(attempted: Attempted, backoff: Backoff): NextState {
  const next = findNextIntegration(attempted);
  if (!next) return { state: 'queued', dueAfterMs: probeWaitMs, waits: 'needs_attention' };
  const { isFirst, integrationId } = next;
  const dueAfterMs = isFirst ? backoffMs(attempted.attemptsMade, backoff) : 0;
  return { state: 'queued', dueAfterMs, waits: 'retry', integrationId };
}

/** The integration behind this attempt's, round the chain; undefined where there is no other. */
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

/** Tries in a row by one integration, before another one of the chain has its turn. */
const attemptsPerIntegration = 2;

/**
 * A wait beyond the longest is honoured once; whoever asks for it again gets the longest. What one provider asked for does
 * not hold up the next one.
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

/** Full jitter: anything from nothing to the doubled base, so that what failed together does not come back together. */
export function backoffMs(attemptsMade: number, { baseMs, capMs, random }: Backoff): number {
  return Math.round(random() * Math.min(capMs, baseMs * 2 ** (attemptsMade - 1)));
}
