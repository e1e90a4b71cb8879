import type { FinishedAttempt } from './attempt';
import { toBoundedJson } from './bounded-json';
import type { ClaimedMessage } from './claim.sql';
import { type Backoff, brokenVersion, computeNextState, unreadVersion } from './next-state';
import type { AttemptResult, NextState } from './record.sql';

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
