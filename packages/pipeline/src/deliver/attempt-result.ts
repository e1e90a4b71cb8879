import type { ChannelVersion, ContactUpdate, FailureReason, Json, Outcome } from '@belfry/shared';
import { toBoundedJson } from './bounded-json';
import type { ClaimedMessage } from './claim.sql';
import { type Backoff, brokenVersion, computeNextState, unreadVersion } from './next-state';
import type { AttemptResult, NextState } from './record.sql';

/** The result of an attempt, with all fields that are logged. */
export type FinishedAttempt = {
  outcome: Outcome;
  provider?: string;
  channelVersion?: ChannelVersion;
  /** The version could not be read from PostgreSQL, so the message itself is not at fault. */
  isVersionUnread?: boolean;
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
  /** How long the provider call took; undefined if there was none. */
  callMs?: number;
  /** No call was made, for a reason of ours: the message is requeued as if it had not been claimed. */
  notNow?: NotNow;
};

export type NotNow = { waits?: 'limit' | 'connections'; waitMs: number };

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
      version: ended.channelVersion ?? (ended.isVersionUnread ? unreadVersion : brokenVersion),
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
