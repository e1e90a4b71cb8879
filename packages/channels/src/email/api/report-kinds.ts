import type { ReceiptState, RefusalReason } from '@belfry/shared';
import type { ReceiptReport } from '../../channel';
import { parseEmailAddress } from '../address';

type Effect = {
  state: ReceiptState;
  /** Why the message failed, if `state` is `failed`. */
  reason?: RefusalReason;
  /** Suppresses the address for every sender of the app. */
  suppress?: 'bounced' | 'opted_out' | 'complained';
  /** Suppresses the address only after so many bounces. */
  minBounces?: number;
  sentence: string;
};

/**
 * What each kind of report does to its message and its address: the only place that decides it. The
 * state `queued` only notes the report. A complaint or an unsubscription proves that the mail
 * arrived.
 */
export const reportKinds = {
  accepted: { state: 'sent', sentence: 'The service took the mail.' },
  delivered: { state: 'delivered', sentence: 'The recipient’s mail server took the mail.' },
  delayed: { state: 'queued', sentence: 'The mail is delayed. The service tries again.' },
  hard_bounce: {
    state: 'failed',
    reason: 'bounced',
    suppress: 'bounced',
    sentence: 'The mail bounced: the mailbox does not exist, or takes no mail.',
  },
  soft_bounce: {
    state: 'failed',
    reason: 'bounced',
    suppress: 'bounced',
    minBounces: 3,
    sentence: 'The mail bounced, for a reason that may pass. The service gave up.',
  },
  uncertain: {
    state: 'queued',
    sentence:
      'The recipient’s mail server answered, perhaps automatically. The mail may have arrived.',
  },
  suppressed: {
    state: 'failed',
    reason: 'rejected_recipient',
    sentence:
      'The service did not send the mail: the address is on its own suppression list. Remove it there.',
  },
  opted_out: {
    state: 'failed',
    reason: 'opted_out',
    suppress: 'opted_out',
    sentence:
      'The service did not send the mail: the recipient unsubscribed, or complained, there.',
  },
  refused: {
    state: 'failed',
    reason: 'rejected_content',
    sentence: 'The service refused the mail after it had accepted it.',
  },
  complaint: {
    state: 'delivered',
    suppress: 'complained',
    sentence: 'The recipient reported the mail as spam.',
  },
  unsubscribed: {
    state: 'delivered',
    suppress: 'opted_out',
    sentence: 'The recipient unsubscribed at the service.',
  },
} as const satisfies Record<string, Effect>;

export type ReportKind = keyof typeof reportKinds;

/** One event of a service, as far as it is known. */
export type MailEvent = {
  kind: ReportKind;
  /** Belfry's ID of the message, as the service repeats it. */
  messageId: unknown;
  providerMessageId: unknown;
  /** The address that the event is about, if the service names a single one. */
  recipient: unknown;
  /** The service's own code, such as its type of bounce. */
  code?: unknown;
  /** The answer of the recipient's mail server. */
  text?: unknown;
  /** The signed content that distinguishes the event from others. */
  identity: unknown[];
  /** The mail has copies, and the service does not say which recipient the event is about. */
  isAmbiguous?: boolean;
};

const maxTextCharacters = 1_000;
const maxIdCharacters = 256;

/**
 * The report of an event; none for mail that Belfry did not send. Only these facts are stored,
 * because an event also has the mail's subject.
 */
export function createReports(event: MailEvent): ReceiptReport[] {
  const messageId = readText(event.messageId, maxIdCharacters);
  if (messageId === undefined) return [];
  const { sentence, ...effect }: Effect = event.isAmbiguous
    ? { state: 'queued', sentence: `A report about one of the recipients: ${event.kind}.` }
    : reportKinds[event.kind];
  const text = readText(event.text, maxTextCharacters);
  const code = readText(event.code, maxIdCharacters);
  const id = readText(event.providerMessageId, maxIdCharacters);
  const recipient = readRecipient(event.recipient);
  const detail = text ? `${sentence} ${text}` : sentence;
  const min = effect.minBounces === undefined ? {} : { minBounces: effect.minBounces };
  return [
    {
      messageId,
      state: effect.state,
      detail,
      identity: JSON.stringify(event.identity),
      record: JSON.stringify({ kind: event.kind, code, text, recipient }),
      ...(id === undefined ? {} : { providerMessageId: id }),
      ...(recipient === undefined ? {} : { recipient }),
      ...(code === undefined ? {} : { errorCode: code }),
      ...(effect.reason ? { reason: effect.reason } : {}),
      ...(effect.suppress
        ? { changes: [{ change: 'suppress', reason: effect.suppress, sender: '', detail, ...min }] }
        : {}),
    },
  ];
}

function readText(value: unknown, maxCharacters: number): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text === '') return undefined;
  return text.toWellFormed().slice(0, maxCharacters);
}

/** In the form of a message's target. A service may add a name, or decode the domain. */
function readRecipient(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const inAngle = /<([^<>]{1,320})>\s*$/.exec(value)?.[1] ?? value;
  const parsed = parseEmailAddress(inAngle);
  return 'address' in parsed ? parsed.address : inAngle.slice(0, maxIdCharacters);
}
