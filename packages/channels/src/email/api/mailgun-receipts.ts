import { createHmac } from 'node:crypto';
import type { LocalReceiptReader } from '../../channel';
import { isSameSecret } from '../../is-same-secret';
import { parseJson, toRecord } from '../../read-json';
import { createReports, type ReportKind } from './report-kinds';

/** The variable with Belfry's message ID; Mailgun repeats it under `user-variables`. */
export const messageVariable = 'belfry_message';

/**
 * Mailgun's webhooks (documentation.mailgun.com/docs/mailgun/user-manual/webhooks). The signature is
 * over time and token, not over the event: so a token counts once, whatever comes with it.
 */
export const mailgunReceipts: LocalReceiptReader = {
  read({ rawBody, credentials }) {
    const body = toRecord(parseJson(rawBody)) ?? {};
    const signature = toRecord(body['signature']) ?? {};
    if (!isSignedByMailgun(signature, credentials['webhook_key'], Date.now())) return undefined;
    const event = toRecord(body['event-data']) ?? {};
    const status = toRecord(event['delivery-status']) ?? {};
    const kind = findKind(event, status);
    if (!kind) return [];
    const headers = toRecord(toRecord(event['message'])?.['headers']) ?? {};
    const reports = createReports({
      kind,
      messageId: toRecord(event['user-variables'])?.[messageVariable],
      providerMessageId: headers['message-id'],
      recipient: event['recipient'],
      code: event['reason'] ?? status['code'],
      text: status['message'] || status['description'],
      identity: [signature['token']],
    });
    return reports.map((report) => ({ ...report, identifiesCall: true }));
  },
};

function findKind(
  event: Record<string, unknown>,
  status: Record<string, unknown>,
): ReportKind | undefined {
  if (event['event'] !== 'failed') return kinds.get(event['event']);
  if (event['severity'] === 'temporary') return 'delayed';
  const { reason } = event;
  const isHard = reason === 'bounce' && status['bounce-type'] !== 'soft';
  return failureKinds.get(reason) ?? (isHard ? 'hard_bounce' : 'soft_bounce');
}

/** Others are about opens, clicks and stored mail. */
const kinds = new Map<unknown, ReportKind>([
  ['accepted', 'accepted'],
  ['delivered', 'delivered'],
  ['rejected', 'refused'],
  ['complained', 'complaint'],
  ['unsubscribed', 'unsubscribed'],
]);

/** Mailgun did not try, because of its own lists. */
const failureKinds = new Map<unknown, ReportKind>([
  ['suppress-bounce', 'suppressed'],
  ['suppress-unsubscribe', 'opted_out'],
  ['suppress-complaint', 'opted_out'],
]);

/** Mailgun repeats a call for 8 hours ("Automatic retries"); one more for clocks and queues. */
const toleranceMs = 9 * 3_600_000;

/** Whether the key signed time and token, and the time is within the window. */
export function isSignedByMailgun(
  { timestamp, token, signature }: Record<string, unknown>,
  key: unknown,
  nowMs: number,
): boolean {
  const time = String(timestamp);
  if (typeof key !== 'string' || key === '' || !/^\d{1,12}$/.test(time)) return false;
  if (typeof token !== 'string' || token === '' || token.length > maxCharacters) return false;
  if (Math.abs(nowMs - Number(time) * 1_000) > toleranceMs) return false;
  const expected = createHmac('sha256', key)
    .update(time + token)
    .digest('hex');
  return typeof signature === 'string' && isSameSecret(signature.slice(0, maxCharacters), expected);
}

const maxCharacters = 256;
