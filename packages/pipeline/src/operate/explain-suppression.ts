import {
  formatSuppressedSender,
  formatSuppressor,
  type SuppressionReason,
  suppressionReasons,
} from '@belfry/shared';
import type { CurrentSuppression } from '../deliver/suppression.sql';

/** The cause, and what to do about it. */
export type SuppressionText = { what: string; remedy: string };

/** Explains a suppression: for which sender, by whom, when and why. */
export function explainSuppression(suppression: CurrentSuppression): SuppressionText {
  const { reason, detail, sender, source, addedBy, at } = suppression;
  const note = detail?.trim() ? `: ${detail.trim().replace(/[.]$/, '')}` : '';
  if (source === null) {
    return { what: `The provider refused the token of the device${note}.`, remedy: newToken };
  }
  const by = formatSuppressor(source, addedBy);
  const time = at === null ? '' : ` at ${formatUtc(at)}`;
  const isKnown = (name: string): name is SuppressionReason =>
    Object.hasOwn(suppressionReasons, name);
  const { cause, remedy } = isKnown(reason) ? texts[reason] : { cause: reason, remedy: remove };
  return {
    what: `The address is suppressed for ${formatSuppressedSender(sender)}: ${cause} by ${by}${time}${note}.`,
    remedy,
  };
}

/** A message was skipped, and nothing suppresses its address now. */
export const endedSuppression: SuppressionText = {
  what: 'The address was suppressed when the message was due. It is not suppressed now.',
  remedy: 'Resend it if it is still relevant.',
};

const newToken = 'No correction needed: the app registers a new token when it is next opened.';
const remove =
  'If the address may be used again, select Allow on the Users page to remove the suppression, then resend.';

const texts: Record<SuppressionReason, { cause: string; remedy: string }> = {
  manual: { cause: 'added', remedy: remove },
  bounced: {
    cause: 'a bounce was reported',
    remedy: `Ask the recipient for another address. ${remove}`,
  },
  complained: {
    cause: 'a spam complaint was reported',
    remedy:
      'Only the recipient may change this. If they ask for messages again, select Allow on the Users page to remove the suppression, then resend.',
  },
  opted_out: {
    cause: 'an opt-out was reported',
    remedy:
      'Only the recipient may change this. If they ask for messages again, select Allow on the Users page to remove the suppression, then resend.',
  },
};

function formatUtc(time: string): string {
  return `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
