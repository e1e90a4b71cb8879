import type { FailedOutcome } from '../../network-failure';
import { encodeHeaderValue } from '../header-value';
import type { File } from '../mail';
import {
  createMessageId,
  findCopies,
  findReplyTo,
  findSender,
  isOwnSender,
  type MailCall,
} from '../parties';

/** A mail as the fields of an API. The service writes the headers and the MIME parts. */
export type MailFields = {
  /** Belfry's ID of the message, which the service repeats in its reports. */
  messageId: string;
  from: { name: string; address: string };
  /** The message's target. */
  to: string;
  cc: string[];
  bcc: string[];
  replyTo?: string;
  subject: string;
  html?: string;
  text?: string;
  /** In ASCII, with our own Message-ID, so that a receiver can drop a duplicate. */
  headers: Record<string, string>;
  files: readonly File[];
  /** Whether the mail has copies: a report may then be about one of them. */
  hasCopies: boolean;
};

export function composeFields(call: MailCall, files: readonly File[]): MailFields {
  const { subject, html, text, headers } = call.content;
  const copies = findCopies(call);
  const replyTo = findReplyTo(call);
  return {
    messageId: call.messageId,
    from: findSender(call),
    to: call.target,
    ...copies,
    hasCopies: copies.cc.length + copies.bcc.length > 0,
    ...(replyTo ? { replyTo } : {}),
    subject: subject.toWellFormed(),
    ...(html === undefined ? {} : { html: toUnixBreaks(html) }),
    ...(text === undefined ? {} : { text: toUnixBreaks(text) }),
    headers: {
      'Message-ID': createMessageId(call),
      ...Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, encodeHeaderValue(value)]),
      ),
    },
    files,
  };
}

/** A bare CR would be sent as it is by some services, and mail servers refuse it. */
function toUnixBreaks(text: string): string {
  return text.replace(/\r\n?/g, '\n').toWellFormed();
}

/** A mailbox as text. The name is quoted, because it may have any character of the template. */
export function formatMailbox({ name, address }: { name: string; address: string }): string {
  return name ? `"${name.replace(/["\\]/g, '\\$&')}" <${address}>` : address;
}

/** The limits of one call of a service. */
export type MailLimits = {
  /** To, Cc and Bcc together. */
  recipients: number;
  /** The bodies, and the attachments as base64. */
  bytes: number;
};

/** Why a service would refuse the mail, before it is called. */
export function findLimitProblem(
  mail: MailFields,
  limits: MailLimits,
  call: MailCall,
): FailedOutcome | undefined {
  return findAddressProblem(mail, call) ?? findSizeProblem(mail, limits);
}

function findAddressProblem(
  { from, to, cc, bcc, replyTo = '' }: MailFields,
  call: MailCall,
): FailedOutcome | undefined {
  if (!isPlain(to)) return refuse('recipient', 'address_not_supported', to);
  if (!isPlain(from.address)) {
    const scope = isOwnSender(call) ? 'content' : 'integration';
    return refuse(scope, 'sender_refused', from.address);
  }
  const other = [...cc, ...bcc, replyTo].find((address) => address !== '' && !isPlain(address));
  return other === undefined ? undefined : refuse('content', 'address_not_supported', other);
}

function refuse(
  scope: 'recipient' | 'content' | 'integration',
  reason: string,
  address: string,
): FailedOutcome {
  const detail = `The service takes no address such as "${address}": the part before the @ must be ASCII, without two dots in a row. Send it by SMTP.`;
  return { outcome: 'rejected', scope, reason, detail };
}

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const plainAddress = new RegExp(`^${atom}(\\.${atom})*@[a-z0-9.-]+$`);

/**
 * Amazon SES: "the local part […] may only contain 7-bit ASCII characters" (docs.aws.amazon.com,
 * API_SendEmail). Postmark's pattern for mailboxes is about the same (article 1180 of its support
 * centre). The others document no support for SMTPUTF8.
 */
function isPlain(address: string): boolean {
  return plainAddress.test(address);
}

function findSizeProblem(mail: MailFields, limits: MailLimits): FailedOutcome | undefined {
  const { html = '', text = '', files, cc, bcc } = mail;
  const recipients = 1 + cc.length + bcc.length;
  if (recipients > limits.recipients) {
    const detail = `The mail has ${recipients} recipients; the service takes ${limits.recipients}.`;
    return { outcome: 'rejected', scope: 'content', reason: 'too_many_recipients', detail };
  }
  const bytes = files.reduce(
    (sum, file) => sum + Math.ceil(file.bytes.length / 3) * 4,
    Buffer.byteLength(html) + Buffer.byteLength(text),
  );
  if (bytes <= limits.bytes) return undefined;
  const detail = `The mail has ${bytes} bytes including attachments; the service takes ${limits.bytes}.`;
  return { outcome: 'rejected', scope: 'content', reason: 'too_large', detail };
}
