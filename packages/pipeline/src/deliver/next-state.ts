import type {
  ChannelVersion,
  ContactUpdate,
  FailureReason,
  Json,
  Outcome,
  WaitReason,
} from '@belfry/shared';
import type { ClaimedMessage } from './claim.sql';
import type { AttemptResult, NextState } from './record.sql';

/** The result of an attempt, with all fields that are logged. */
export type FinishedAttempt = {
  outcome: Outcome;
  provider?: string;
  /** The revision of the integration that was used. */
  integrationUpdatedAt?: Date | undefined;
  channelVersion?: ChannelVersion;
  request?: unknown;
  response?: unknown;
  /** Extra notes for the log, such as template paths that are missing in the data. */
  notes?: Record<string, Json>;
  changes?: ContactUpdate[];
  inboxItem?: Record<string, Json>;
  /** Fails the message, whatever the outcome. */
  failed?: FailureReason;
  /** The content is hidden here, and its stored texts must be dropped. */
  isSensitive?: true;
  /** When the provider call began, by `performance.now()`; undefined if there was none. */
  calledAtMs?: number;
  /** How long the provider call took; undefined if there was none. */
  callMs?: number;
  /** No call was made, for a reason of ours: the message is requeued as if it had not been claimed. */
  notNow?: NotNow;
};

export type NotNow = { waits?: Extract<WaitReason, 'limit' | 'connections'>; waitMs: number };

export type AttemptResultDeps = {
  backoff: Backoff;
  /** Maximum resends after unknown outcomes on this channel, unless the version sets its own. */
  channelResends: number;
};

/** Builds the record of an attempt and its message's next state. */
export function getAttemptResult(
  message: ClaimedMessage,
  ended: FinishedAttempt,
  deps: AttemptResultDeps,
): AttemptResult {
  const { outcome } = ended;
  const next = findNext(message, ended, deps);
  return {
    messageId: message.id,
    attempt: message.attempt,
    outcome: outcome.outcome,
    reason: 'reason' in outcome ? outcome.reason : undefined,
    detail: outcome.detail,
    provider: ended.provider,
    providerMessageId: outcome.outcome === 'accepted' ? outcome.providerMessageId : undefined,
    request: toBoundedJson(ended.request),
    response: toBoundedJson(ended.response),
    notes: next.isLongWait ? { ...ended.notes, waited_long: true } : (ended.notes ?? {}),
    changes: ended.changes ?? [],
    inboxItem: ended.inboxItem,
    unknownCount: message.unknownCount,
    next,
  };
}

function findNext(
  message: ClaimedMessage,
  ended: FinishedAttempt,
  { backoff, channelResends }: AttemptResultDeps,
): NextState {
  if (ended.failed) return { state: 'failed', reason: ended.failed };
  if (ended.notNow) {
    const { waits, waitMs: dueAfterMs } = ended.notNow;
    return { state: 'queued', dueAfterMs, ...(waits ? { waits } : {}), isUnclaimed: true };
  }
  return computeNextState(
    {
      outcome: ended.outcome,
      version: ended.channelVersion ?? brokenVersion,
      attemptsMade: message.attempt,
      attemptsInRow: message.attemptsInRow,
      unknownCount: message.unknownCount,
      integrationId: message.integrationId,
      hasWaitedLong: message.hasWaitedLong,
      channelResends,
    },
    backoff,
  );
}

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
      return outcome.scope === 'integration' && !outcome.sparesIntegration
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

/**
 * The integration after this one, cyclically; undefined if there is no other. A worker has not read the states of the others:
 * the claim of the next attempt judges this one, and `selectNextIntegration` goes on to one that is active.
 */
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

const maxStoredCharacters = 16_384;
const longStringCharacters = 4_096;

/**
 * JSON of at most 16 KB for the log. Cuts long strings first; if the JSON is still too long, cuts it as text.
 * Undefined for undefined. Never throws, because it runs after the call, when the result must not be lost.
 */
export function toBoundedJson(value: unknown): string | undefined {
  const text = toJson(value);
  if (text === undefined || text.length <= maxStoredCharacters) return text;
  return JSON.stringify({ cut: text.slice(0, maxStoredCharacters / 2), characters: text.length });
}

function toJson(value: unknown): string | undefined {
  try {
    const text = JSON.stringify(value);
    // Most values are short, and a replacer function costs more than everything else here.
    if (text === undefined || text.length <= longStringCharacters) return text;
    return JSON.stringify(value, (_name, member: unknown) =>
      typeof member === 'string' && member.length > longStringCharacters
        ? `${member.slice(0, longStringCharacters)}… (${member.length} characters)`
        : member,
    );
  } catch {
    return JSON.stringify({ unreadable: true });
  }
}
