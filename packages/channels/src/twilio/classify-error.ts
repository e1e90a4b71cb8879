import type { IncomingHttpHeaders } from 'node:http';
import type { ContactUpdate, ExpectedEnd, RefusalReason } from '@belfry/shared';
import { classifyStatus, retryAfterMs } from '../http';
import type { FailedOutcome } from '../network-failure';
import { type TwilioCode, twilioCodes, twilioFault } from './codes';

/**
 * Classifies an error. For an unlisted code the status decides: 4xx blames the message, 5xx is a
 * fault of Twilio.
 */
export function classifyTwilioError(
  code: number | undefined,
  { status, headers }: { status: number; headers: IncomingHttpHeaders },
): FailedOutcome {
  const entry = findCode(code);
  if (entry) return toOutcome(String(code), entry, getRetryAfter(headers));
  // A POST with a server error may have been carried out, even with a 503.
  if (status >= 500) return toOutcome(formatReason(code, status), twilioFault, {});
  const classified = classifyStatus(status, headers);
  if (code === undefined) return classified;
  return { ...classified, reason: String(code), detail: getSentence(code) };
}

/** The operator's sentence for a code, listed or not. */
export function getSentence(code: number): string {
  return findCode(code)?.sentence ?? `Twilio reported error ${code}.`;
}

/** Why a message failed with this code. An unlisted code blames the content, as in a response. */
export function getRefusalReason(code: number | undefined): RefusalReason | undefined {
  if (code === undefined) return undefined;
  const entry = findCode(code);
  if (!entry) return 'rejected_content';
  if (entry.outcome === 'rejected') return getSkip(entry).skip ?? `rejected_${entry.scope}`;
  // There is no retry after a receipt. It blames our side, unless the row blames the recipient.
  return `rejected_${entry.blames ?? 'integration'}`;
}

/** An opt-out is expected, so the message is skipped. */
function getSkip({ suppress }: TwilioCode): { skip?: ExpectedEnd } {
  return suppress?.reason === 'opted_out' ? { skip: 'opted_out' } : {};
}

/** The contact updates of a code; `sender` is the one used. */
export function getContactUpdates(code: number | undefined, sender: string): ContactUpdate[] {
  const suppress = findCode(code)?.suppress;
  if (!suppress) return [];
  return [
    {
      change: 'suppress',
      reason: suppress.reason,
      ...(suppress.source ? { source: suppress.source } : {}),
      sender: suppress.for === 'sender' ? sender : '',
      detail: `${code}: ${getSentence(code ?? 0)}`,
    },
  ];
}

/** Whether a refusal of the integration fails only its message. */
export function sparesIntegration(code: number | undefined, isOwnSender: boolean): boolean {
  const entry = findCode(code);
  if (entry?.outcome !== 'rejected' || entry.scope !== 'integration') return false;
  return (
    entry.sparesIntegration === 'always' || (isOwnSender && entry.sparesIntegration !== undefined)
  );
}

function findCode(code: number | undefined): TwilioCode | undefined {
  return code === undefined ? undefined : twilioCodes[code];
}

function toOutcome(reason: string, entry: TwilioCode, wait: { afterMs?: number }): FailedOutcome {
  const explanation = { reason, detail: entry.sentence };
  if (entry.outcome === 'rejected') {
    return { outcome: 'rejected', scope: entry.scope, ...explanation, ...getSkip(entry) };
  }
  if (entry.outcome === 'unknown') return { outcome: 'unknown', ...explanation };
  const { afterMs, maxAttempts, slows, blames } = entry;
  return {
    outcome: 'retry',
    ...explanation,
    ...(afterMs ? { afterMs } : {}),
    ...(maxAttempts ? { maxAttempts } : {}),
    ...(slows ? { slows } : {}),
    ...(blames === 'recipient' ? { sparesIntegration: true } : {}),
    ...wait,
  };
}

function getRetryAfter(headers: IncomingHttpHeaders): { afterMs?: number } {
  const afterMs = retryAfterMs(headers, Date.now());
  return afterMs === undefined ? {} : { afterMs };
}

function formatReason(code: number | undefined, status: number): string {
  return code === undefined ? `http_${status}` : String(code);
}
