import { formatOptOut, type OptOut } from '@belfry/shared';
import type { VerdictNotes } from '../deliver/opt-out.sql';

type Noted = { reason: string | null; notes: Record<string, unknown> | null };

/** Names the preference that skipped a message; undefined if none did, or if the message was not planned at all. */
export function explainOptOut({ reason, notes }: Noted): string | undefined {
  if (reason !== 'opted_out') return undefined;
  const optOut = (notes as VerdictNotes | null)?.opt_out;
  return optOut && formatOptOut(toOptOut(optOut));
}

/** Says that a mandatory message was sent to an address that is suppressed for optional events. */
export function explainPassedSuppression({ notes }: Pick<Noted, 'notes'>): string | undefined {
  const reason = (notes as VerdictNotes | null)?.passed_suppression;
  return reason === undefined
    ? undefined
    : `The address is suppressed for optional events (${reason}). The event is mandatory, so the message was sent.`;
}

/** Notes have no null members. */
function toOptOut({ channel = null, category = null }: Partial<OptOut>): OptOut {
  return { channel, category };
}
