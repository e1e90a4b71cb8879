import { isNoAnswer, timeoutReason } from '@belfry/channels';
import {
  type CurrentSuppression,
  endedSuppression,
  explainCancel,
  explainOptOut,
  explainSuppression,
  type TimelineMessage,
} from '@belfry/pipeline/operate';
import {
  explainWaitReason,
  failureReasons,
  getOwn,
  messageStates,
  noReason,
  type StateGroup,
  skipReasons,
} from '@belfry/shared';
import type { Wait } from '../api/log';
import type { AttemptStep, Explanation } from '../api/requests';

/** Advice for reasons that an operator can act on. */
const remedies: Record<string, string> = {
  no_recipient: 'Send a user in the call.',
  no_address: 'Send the address in the call, or store it with the user.',
  invalid_address: 'Correct the address where it is stored or sent.',
  unknown_user: 'Store the user first, or send an address in the call.',
  suppressed:
    'Select Allow on the Users page to remove the suppression, if the address may be used again.',
  opted_out:
    'No correction needed: the recipient chose this. On their request, an operator can change it on the user’s page.',
  device_gone:
    'Push and OneSignal: no correction needed, because the app registers the device again when it is next opened. Other channels: store or send another address.',
  no_integration: 'Add an integration to this channel of the event, and publish.',
  rejected_recipient:
    'Check the address with the recipient. Resend it only if the same address works again.',
  rejected_content:
    'Correct the template as the provider’s response says, publish, and call again. A resend uses the old version: it helps only if you corrected the cause at the provider.',
  rejected_integration:
    'Open the integration, correct what the provider rejects, and test the connection.',
  bounced: 'Check the address with the recipient. A mailbox that does not exist is suppressed.',
  missing_data: 'Send the value in the call, or make it optional in the template.',
  empty_content: 'Change the template so that it renders content for this data.',
  too_long: 'Shorten the template or the values.',
  too_complex: 'Use fewer loops in the templates, or send less data.',
  expired:
    'Resend it if it is still relevant. The time to live of the channel is set in the event’s policy.',
  attempts_exhausted: 'Find the cause in the last attempt. Resend once it is resolved.',
  integration_removed:
    'Choose another integration in the event, publish, and call again. A resend uses the old version.',
  connection_refused: 'Check that host and port are right, and that the server is running.',
  host_not_found: 'Check the host name, and the DNS server of this machine.',
  unreachable: 'Check that host and port are right, and that this machine can reach them.',
  tls: 'Check that host and port are right, and renew the certificate on the server.',
  timeout: 'The provider may have accepted it. Check there before you resend.',
  lease_expired: 'The worker stopped during the send. Check the provider before you resend.',
};

const meanings: Record<string, string> = {
  ...skipReasons,
  ...failureReasons,
  [noReason]: 'No reason was reported.',
};

/** Explains the reason of a failed or skipped message. `detail` is the stored sentence. */
export function explainReason(reason: string, detail: string | null): Explanation {
  const what = detail?.trim() || getOwn(meanings, reason) || reason;
  return { what, remedy: getOwn(remedies, reason) ?? null };
}

/** Explains messages of one state and reason; null if there is nothing to do about them. */
export function explainGroup({
  state,
  reason,
}: Pick<StateGroup, 'state' | 'reason'>): Explanation | null {
  if (state === 'unknown') return { what: messageStates.unknown.means, remedy: unknownRemedy };
  if (state !== 'failed' && state !== 'skipped') return null;
  return explainReason(reason ?? noReason, null);
}

const unknownRemedy =
  'Check at the provider before you resend: a recipient may get the message twice.';

/** Explains a message by its final reason, its last attempt, or the suppression of its address. */
export function explainMessage(
  message: TimelineMessage,
  suppression: CurrentSuppression | null,
): Explanation | null {
  const { state, reason, attempts, receipts } = message;
  const last = attempts.at(-1);
  if (isStoppedBySuppression(message)) {
    return suppression ? explainSuppression(suppression) : endedSuppression;
  }
  const detail =
    explainCancel(message) ??
    explainOptOut(message) ??
    receipts.findLast((receipt) => receipt.state === 'failed')?.detail ??
    last?.detail ??
    null;
  if (state === 'failed' || state === 'skipped') return explainReason(reason ?? '', detail);
  return last ? explainAttempt(last) : null;
}

/** A claim skipped the message, not the provider. */
export function isStoppedBySuppression({ state, reason, attempts }: TimelineMessage): boolean {
  return state === 'skipped' && reason === 'suppressed' && attempts.at(-1)?.outcome !== 'rejected';
}

/** One sentence about a message in any state, and what to do. */
export function summarizeMessage(
  message: TimelineMessage,
  suppression: CurrentSuppression | null,
): Explanation {
  const { state, waitsNow, attemptsMade } = message;
  if (waitsNow) {
    return { what: explainWait({ reason: waitsNow, attempts: attemptsMade }), remedy: null };
  }
  const isOpen = state === 'queued' || state === 'sending';
  const explanation = isOpen ? null : explainMessage(message, suppression);
  return explanation ?? { what: messageStates[state].means, remedy: null };
}

export type OutcomeFacts = {
  outcome: 'accepted' | 'rejected' | 'retry' | 'unknown' | null;
  reason: string | null;
  detail: string | null;
};

/** Explains an attempt that was not accepted: the provider's error, and whether the message may have been sent. */
export function explainAttempt({ outcome, reason, detail }: OutcomeFacts): Explanation | null {
  if (outcome === null || outcome === 'accepted') return null;
  const answerText =
    detail?.trim() ||
    (reason ? `The provider answered ${reason}.` : 'The provider did not answer.');
  const isUnsentTimeout = outcome === 'retry' && reason === timeoutReason;
  const remedy = getOwn(remedies, isUnsentTimeout ? 'unreachable' : (reason ?? '')) ?? null;
  return { what: `${answerText}${outcomeSuffixes[outcome]}`, remedy };
}

/**
 * The end of a call. Without a stored response the provider did not refuse the message: it did not answer,
 * or Belfry did not call it.
 */
export function getEnding({
  outcome,
  reason,
  response,
}: Pick<OutcomeFacts, 'outcome' | 'reason'> & { response: unknown }): AttemptStep['ending'] {
  if (outcome === null || outcome === 'accepted') return outcome;
  if (isNoAnswer(reason ?? '')) return 'no_answer';
  if (outcome === 'unknown') return 'unclear';
  return response === null ? 'not_sent' : 'refused';
}

const outcomeSuffixes = {
  rejected: '',
  retry: ' Nothing was sent, so a retry is safe.',
  unknown: ' It is unknown whether the message was sent; a resend may duplicate it.',
} as const;

/** Explains why a message waits. */
export function explainWait({
  reason,
  attempts,
  maxAttempts,
}: Pick<Wait, 'reason' | 'attempts'> & Partial<Pick<Wait, 'maxAttempts'>>): string {
  if (reason !== 'retry') return explainWaitReason(reason);
  const all = maxAttempts === undefined ? '' : ` of ${maxAttempts}`;
  return `Attempt ${attempts}${all} failed.`;
}
