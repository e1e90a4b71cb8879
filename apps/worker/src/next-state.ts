import type { NextState } from '@belfry/database';
import type { ChannelVersion, Outcome } from '@belfry/shared';

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
export function nextState(attempted: Attempted, backoff: Backoff): NextState {
  const { outcome } = attempted;
  switch (outcome.outcome) {
    case 'accepted':
      return { state: outcome.isDelivered ? 'delivered' : 'sent' };
    case 'rejected':
      if (outcome.skip) return { state: 'skipped', reason: outcome.skip };
      return outcome.scope === 'integration' && !outcome.ownToken
        ? afterIntegrationRefused(attempted)
        : { state: 'failed', reason: `rejected_${outcome.scope}` };
    case 'retry':
      return afterRetry(attempted, outcome, backoff);
    case 'unknown':
      return afterUnknown(attempted, backoff);
  }
}

/** The next integration of the chain at once; behind the last one the message waits for a person. */
function afterIntegrationRefused({ version, integrationId }: Attempted): NextState {
  const chain = version.integrationIds;
  const position = integrationId === undefined ? -1 : chain.indexOf(integrationId);
  const next = position < 0 ? undefined : chain[position + 1];
  if (next !== undefined) {
    return { state: 'queued', dueAfterMs: 0, waits: 'retry', integrationId: next };
  }
  const first = chain[0];
  return {
    state: 'queued',
    dueAfterMs: probeWaitMs,
    waits: 'needs_attention',
    ...(first === undefined ? {} : { integrationId: first }),
  };
}

type Wait = Extract<Outcome, { outcome: 'retry' }>;

/** A wait beyond the longest is honoured once; whoever asks for it again gets the longest. */
function afterRetry(
  { version, attemptsMade, hasWaitedLong }: Attempted,
  { afterMs: providerWaitMs = 0, maxAttempts = Number.POSITIVE_INFINITY }: Wait,
  backoff: Backoff,
): NextState {
  if (attemptsMade >= Math.min(version.policy.attempts, maxAttempts)) {
    return { state: 'failed', reason: 'attempts_exhausted' };
  }
  const isLong = providerWaitMs > longestProviderWaitMs && !hasWaitedLong;
  const waitMs = isLong ? providerWaitMs : Math.min(providerWaitMs, longestProviderWaitMs);
  const dueAfterMs = Math.max(backoffMs(attemptsMade, backoff), waitMs);
  return { state: 'queued', dueAfterMs, waits: 'retry', ...(isLong ? { isLongWait: true } : {}) };
}

function afterUnknown(
  { version, attemptsMade, unknownCount, channelResends }: Attempted,
  backoff: Backoff,
): NextState {
  const { onUnknown, unknownResends = channelResends, attempts } = version.policy;
  const mayResend =
    onUnknown === 'resend' && unknownCount < unknownResends && attemptsMade < attempts;
  if (!mayResend) return { state: 'unknown' };
  return {
    state: 'queued',
    dueAfterMs: backoffMs(attemptsMade, backoff),
    waits: 'retry',
    isPossibleDuplicate: true,
  };
}

/** Full jitter: anything from nothing to the doubled base, so that what failed together does not come back together. */
export function backoffMs(attemptsMade: number, { baseMs, capMs, random }: Backoff): number {
  return Math.round(random() * Math.min(capMs, baseMs * 2 ** (attemptsMade - 1)));
}
