import type { ReceiptReader, ReceiptReport } from '../../channel';
import { isRecord, parseJson, toRecord } from '../../read-json';
import { createReports, type ReportKind } from './report-kinds';
import { confirmSubscription, isSignedBySns, type SnsMessage } from './sns-message';

/** The tag with Belfry's message ID. SES repeats tags if a configuration set publishes the events. */
export const messageTag = 'belfry_message';

/** Events of SES, which SNS signs and posts. Only the integration's own topic is heard, or confirmed. */
export const sesReceipts: ReceiptReader = {
  async read({ rawBody, settings }, downloads) {
    const message = readMessage(parseJson(rawBody), settings['topic_arn']);
    if (!message || !(await isSignedBySns(message, downloads))) return undefined;
    if (message.Type === 'SubscriptionConfirmation') {
      return (await confirmSubscription(message, downloads)) ? [] : undefined;
    }
    const event = parseJson(Buffer.from(String(message['Message'])));
    return isRecord(event) ? readEvent(event, message['MessageId']) : [];
  },
};

/** The topic is compared before anything is downloaded. */
function readMessage(body: unknown, topicArn: unknown): SnsMessage | undefined {
  if (typeof topicArn !== 'string' || topicArn === '' || !isRecord(body)) return undefined;
  const { Type: type, TopicArn: topic } = body;
  if (typeof type !== 'string' || topic !== topicArn) return undefined;
  return { ...body, Type: type, TopicArn: topicArn };
}

/** The fields are those of docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html. */
function readEvent(event: Record<string, unknown>, snsId: unknown): ReceiptReport[] {
  const mail = toRecord(event['mail']) ?? {};
  const kind = findKind(event);
  if (!kind) return [];
  const { name, list } = places.get(event['eventType']) ?? { name: 'mail', list: '' };
  const facts = toRecord(event[name]) ?? {};
  const listed = Array.isArray(facts[list]) ? facts[list].slice(0, maxRecipients) : [undefined];
  const tag = toRecord(mail['tags'])?.[messageTag];
  return listed.flatMap((each) => {
    const { emailAddress = each, diagnosticCode } = toRecord(each) ?? {};
    return createReports({
      kind,
      messageId: Array.isArray(tag) ? tag[0] : undefined,
      providerMessageId: mail['messageId'],
      recipient: emailAddress,
      code: [facts['bounceType'], facts['bounceSubType']].filter(Boolean).join(': '),
      text: diagnosticCode ?? facts['smtpResponse'] ?? facts['reason'],
      identity: [snsId, emailAddress],
    });
  });
}

const maxRecipients = 50;

/** Where an event names its recipients. */
const places = new Map<unknown, { name: string; list: string }>([
  ['Bounce', { name: 'bounce', list: 'bouncedRecipients' }],
  ['Complaint', { name: 'complaint', list: 'complainedRecipients' }],
  ['Delivery', { name: 'delivery', list: 'recipients' }],
  ['DeliveryDelay', { name: 'deliveryDelay', list: 'delayedRecipients' }],
  ['Reject', { name: 'reject', list: '' }],
]);

const kinds = new Map<unknown, ReportKind>([
  ['Send', 'accepted'],
  ['Delivery', 'delivered'],
  ['DeliveryDelay', 'delayed'],
  ['Reject', 'refused'],
  ['Rendering Failure', 'refused'],
]);

const suppressedTypes: unknown[] = [
  'Suppressed',
  'OnAccountSuppressionList',
  'UnsubscribedRecipient',
];

function findKind(event: Record<string, unknown>): ReportKind | undefined {
  const { complaintSubType } = toRecord(event['complaint']) ?? {};
  const { bounceType, bounceSubType } = toRecord(event['bounce']) ?? {};
  if (event['eventType'] === 'Complaint') {
    return complaintSubType === 'OnAccountSuppressionList' ? 'suppressed' : 'complaint';
  }
  if (event['eventType'] !== 'Bounce') return kinds.get(event['eventType']);
  if (suppressedTypes.includes(bounceSubType)) return 'suppressed';
  if (bounceType === 'Permanent') return 'hard_bounce';
  // An automatic reply, such as an absence, is reported so too.
  return bounceType === 'Transient' && bounceSubType === 'General' ? 'uncertain' : 'soft_bounce';
}
