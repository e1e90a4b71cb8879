import type { LocalReceiptReader, ReceiptCall } from '../../channel';
import { isSameSecret } from '../../is-same-secret';
import { parseJson, toRecord } from '../../read-json';
import { createReports, type ReportKind } from './report-kinds';

/** The key of Belfry's message ID in the metadata; a key has at most 20 characters. */
export const messageKey = 'belfry_message';

/**
 * Postmark's webhooks (postmarkapp.com/developer/webhooks/webhooks-overview). They have no signature,
 * only a user name and a password.
 */
export const postmarkReceipts: LocalReceiptReader = {
  read(call) {
    if (!hasPassword(call)) return undefined;
    const event = toRecord(parseJson(call.rawBody)) ?? {};
    const kind = findKind(event);
    if (!kind) return [];
    const { RecordType: type, MessageID: id, ID: bounceId } = event;
    const recipient = event['Email'] ?? event['Recipient'];
    const time = event['BouncedAt'] ?? event['DeliveredAt'] ?? event['ChangedAt'];
    return createReports({
      kind,
      messageId: toRecord(event['Metadata'])?.[messageKey],
      providerMessageId: id,
      recipient,
      code: event['Type'],
      text: type === 'Delivery' ? undefined : event['Details'],
      identity: [type, id, recipient, bounceId, time],
    });
  },
};

function hasPassword({ headers, credentials }: ReceiptCall): boolean {
  const { authorization } = headers;
  const encoded = /^Basic ([A-Za-z0-9+/=]{1,1000})$/i.exec(
    typeof authorization === 'string' ? authorization : '',
  )?.[1];
  const [, user = '', password = ''] =
    /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? [];
  const isUser = isSameSecret(user, credentials['webhook_user']);
  return isSameSecret(password, credentials['webhook_password']) && isUser;
}

/**
 * Bounces by type (postmarkapp.com/developer/api/bounce-api#bounce-types). Others, such as an
 * automatic reply, say nothing about the delivery.
 */
const bounceKinds = new Map<unknown, ReportKind>([
  ['HardBounce', 'hard_bounce'],
  ['BadEmailAddress', 'hard_bounce'],
  ['Transient', 'delayed'],
  ['SoftBounce', 'soft_bounce'],
  ['DnsError', 'soft_bounce'],
  ['Unknown', 'soft_bounce'],
  ['Blocked', 'soft_bounce'],
  ['DMARCPolicy', 'soft_bounce'],
  ['SpamNotification', 'soft_bounce'],
  ['VirusNotification', 'soft_bounce'],
  ['ManuallyDeactivated', 'suppressed'],
  ['SMTPApiError', 'refused'],
  ['Unsubscribe', 'unsubscribed'],
  ['SpamComplaint', 'complaint'],
]);

function findKind(event: Record<string, unknown>): ReportKind | undefined {
  switch (event['RecordType']) {
    case 'Delivery':
      return 'delivered';
    case 'Bounce':
    case 'SpamComplaint':
      return bounceKinds.get(event['Type'] ?? event['RecordType']);
    case 'SubscriptionChange':
      return isUnsubscription(event) ? 'unsubscribed' : undefined;
    default:
      return undefined;
  }
}

/** Bounces and complaints have their own reports, and an operator's change is no wish of the recipient. */
function isUnsubscription(event: Record<string, unknown>): boolean {
  const { SuppressSending: isSuppressed, SuppressionReason: reason, Origin: origin } = event;
  return isSuppressed === true && reason === 'ManualSuppression' && origin === 'Recipient';
}
