import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { LocalReceiptReader, ReceiptCall } from '../../channel';
import { isRecord, parseJson } from '../../read-json';
import { createReports, type ReportKind } from './report-kinds';

/** The custom argument with Belfry's message ID; SendGrid repeats it as a member of each event. */
export const messageArgument = 'belfry_message';

/** SendGrid's signed event webhook, with several events in one call. */
export const sendgridReceipts: LocalReceiptReader = {
  read(call) {
    if (!isSignedBySendgrid(call)) return undefined;
    const events = parseJson(call.rawBody);
    return Array.isArray(events) ? events.filter(isRecord).flatMap(readEvent) : [];
  },
};

function readEvent(event: Record<string, unknown>) {
  const kind = findKind(event);
  if (!kind) return [];
  const { sg_message_id: id, sg_event_id: eventId } = event;
  return createReports({
    kind,
    messageId: event[messageArgument],
    providerMessageId: typeof id === 'string' ? id.split('.')[0] : undefined,
    recipient: event['email'],
    code: event['bounce_classification'] ?? event['status'],
    text: event['reason'] ?? event['response'],
    identity: [eventId],
  });
}

/** Events of twilio.com/docs/sendgrid/for-developers/tracking-events/event. Others are about opens, clicks and lists. */
const kinds = new Map<unknown, ReportKind>([
  ['processed', 'accepted'],
  ['delivered', 'delivered'],
  ['deferred', 'delayed'],
  ['spamreport', 'complaint'],
  ['unsubscribe', 'unsubscribed'],
  ['group_unsubscribe', 'unsubscribed'],
]);

/** Why SendGrid dropped a mail. Other reasons are about the mail or the account. */
const dropReasons = new Map<unknown, ReportKind>([
  ['Bounced Address', 'suppressed'],
  ['Invalid', 'suppressed'],
  ['Unsubscribed Address', 'opted_out'],
  ['Spam Reporting Address', 'opted_out'],
]);

function findKind(event: Record<string, unknown>): ReportKind | undefined {
  if (event['event'] === 'dropped') return dropReasons.get(event['reason']) ?? 'refused';
  if (event['event'] !== 'bounce') return kinds.get(event['event']);
  return isHard(event) ? 'hard_bounce' : 'soft_bounce';
}

/** A block, or a bounce because of content, reputation or a full mailbox, may pass. */
function isHard({ type, bounce_classification: reason, status }: Record<string, unknown>): boolean {
  if (type === 'blocked') return false;
  if (reason === 'Invalid Address') return true;
  const isUnclassified = reason === undefined || reason === '' || reason === 'Unclassified';
  return isUnclassified && /^5\.(1\.\d+|0\.0|2\.1)$/.test(String(status ?? '5.0.0'));
}

/** Whether SendGrid signed time and body (ECDSA over P-256 with SHA-256) with the key of the integration. */
export function isSignedBySendgrid({ headers, rawBody, credentials }: ReceiptCall): boolean {
  const signature = headers['x-twilio-email-event-webhook-signature'];
  const time = headers['x-twilio-email-event-webhook-timestamp'];
  const { webhook_key: text } = credentials;
  const key = typeof text === 'string' ? parseEventKey(text) : undefined;
  if (!key || typeof signature !== 'string' || typeof time !== 'string') return false;
  const signed = Buffer.concat([Buffer.from(time), rawBody]);
  return verify('sha256', signed, key, Buffer.from(signature.slice(0, maxCharacters), 'base64'));
}

const maxCharacters = 1_024;

/** The key as SendGrid shows it: SPKI in base64. */
export function parseEventKey(text: string): KeyObject | undefined {
  try {
    const der = Buffer.from(text.slice(0, maxCharacters), 'base64');
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : undefined;
  } catch {
    return undefined;
  }
}
