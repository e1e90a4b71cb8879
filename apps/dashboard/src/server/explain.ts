import { failureReasons, skipReasons } from '@belfry/shared';
import type { Explanation } from '../api/requests';

/** What to do about a reason, where an operator can do something. */
const remedies: Record<string, string> = {
  no_recipient: 'Name a user in the call.',
  no_address: 'Give the address in the call, or store it with the user.',
  invalid_address: 'Correct the address where it is stored or sent.',
  unknown_user: 'Store the user first, or give an address in the call.',
  suppressed: 'Ask the person for another address; this one refused messages before.',
  opted_out:
    'Nothing to correct. The person can subscribe again, or the operator can remove the address from the suppressions once they asked for it.',
  device_gone: 'Nothing to correct. The app registers the device again when it is next opened.',
  no_integration: 'Add an integration to this channel of the event, and publish.',
  rejected_recipient:
    'Check the address with the person; sending it again unchanged will fail again.',
  rejected_content: 'Change the template as the provider’s answer says, publish, and send again.',
  rejected_integration:
    'Open the integration, correct what the provider refuses, and test the connection.',
  missing_data: 'Give the value in the call, or let the template do without it.',
  empty_content: 'Give the template something to say for this data.',
  too_long: 'Shorten the template or the values.',
  too_complex: 'Use fewer loops in the templates, or send less data.',
  expired:
    'Resend it if it is still worth sending; the channel’s time to live is in the event’s policy.',
  attempts_exhausted: 'Look at the last attempt for the cause; resend when it is gone.',
  integration_removed: 'Choose another integration in the event, publish, and resend.',
  timeout: 'The provider may have taken it. Look there before you resend.',
  lease_expired: 'The worker ended while it sent. Look at the provider before you resend.',
};

const meanings: Record<string, string> = { ...skipReasons, ...failureReasons };

/** Of a message's or a skip's reason. `detail` is the sentence that was kept with it. */
export function explainReason(reason: string, detail: string | null): Explanation {
  const what = detail?.trim() || meanings[reason] || reason;
  return { what, remedy: remedies[reason] ?? null };
}

export type OutcomeFacts = {
  outcome: 'accepted' | 'rejected' | 'retry' | 'unknown' | null;
  reason: string | null;
  detail: string | null;
};

/** Of an attempt that was not accepted: the provider's code in words, and whether it may have been sent. */
export function explainAttempt({ outcome, reason, detail }: OutcomeFacts): Explanation | null {
  if (outcome === null || outcome === 'accepted') return null;
  const answerText =
    detail?.trim() || (reason ? `The answer was ${reason}.` : 'There was no answer.');
  return {
    what: `${answerText}${outcomeSuffixes[outcome]}`,
    remedy: remedies[reason ?? ''] ?? null,
  };
}

const outcomeSuffixes = {
  rejected: '',
  retry: ' Nothing was sent, so trying again is safe.',
  unknown: ' Nobody can know whether it was sent; sending again may duplicate it.',
} as const;

/** Why a message waits, as a sentence. */
export function explainWait(waits: string | null, until: Date | null): string {
  const waitSentences: Record<string, string> = {
    needs_attention: 'Its integration needs attention; it is sent once that is mended.',
    paused: 'Its channel or integration is paused.',
    limit: 'The provider’s limit is reached.',
    connections: 'All connections to the mail server are in use.',
    retry: 'It is tried again, as the attempt before did not succeed.',
    schedule: 'The call asked for a later time.',
  };
  const text = waits === null ? 'It waits for a worker.' : (waitSentences[waits] ?? waits);
  return until === null ? text : `${text} Next look: ${until.toISOString()}.`;
}
