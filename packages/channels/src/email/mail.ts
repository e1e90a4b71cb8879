import type { DescribeCall } from '../channel';
import { type EmailAddress, parseEmailAddress, uniqueMailboxes } from './address';
import { encodeDisplayName, encodeHeaderValue, encodeSubject, foldHeader } from './header-value';
import type { EmailContent } from './template';

/** The part of an integration that a mail needs. */
export type MailSettings = {
  from?: { name?: string; address?: string };
  reply_to?: string;
};

export type MailCall = Pick<DescribeCall<EmailContent>, 'messageId' | 'target' | 'content'> & {
  settings: MailSettings;
};

export type Envelope = { from: string; to: [string, ...string[]] };

/** The sender and all recipients of a mail; the message's target is the first recipient. */
export function createEnvelope(call: MailCall): Envelope {
  const { cc, bcc } = findCopies(call);
  return {
    from: toMailbox(findSender(call).address),
    to: [toMailbox(call.target), ...[...cc, ...bcc].map(toMailbox)],
  };
}

/**
 * The Cc and Bcc of a mail. A mailbox in To is removed from both, and one in Cc is removed from
 * Bcc.
 */
export function findCopies({ target, content }: MailCall): { cc: string[]; bcc: string[] } {
  const cc = uniqueMailboxes(content.cc, [target]);
  return { cc, bcc: uniqueMailboxes(content.bcc, [target, ...cc]) };
}

/** The mail's own headers as written, without those of its body. */
export function composeHeaders(call: MailCall, date = new Date()): string[] {
  const { content, target } = call;
  const sender = findSender(call);
  const replyTo = findReplyTo(call);
  const { 'Message-ID': messageId = createMessageId(call), ...others } = content.headers;
  const headers: [name: string, value: string][] = [
    ['From', writeSender(sender)],
    ['To', toMailbox(target)],
    ['Cc', findCopies(call).cc.map(toMailbox).join(', ')],
    ['Reply-To', replyTo === undefined ? '' : toMailbox(replyTo)],
    ['Subject', encodeSubject(content.subject)],
    ['Message-ID', messageId],
    ['Date', date.toUTCString().replace('GMT', '+0000')],
    ...Object.entries(others).map(
      ([name, value]) => [name, encodeHeaderValue(value)] as [string, string],
    ),
    ['MIME-Version', '1.0'],
  ];
  return headers
    .filter(([, value]) => value !== '')
    .map(([name, value]) => foldHeader(name, value));
}

/** Name and address from the content, or else from the integration. */
function findSender({ content, settings }: MailCall): { name: string; address: string } {
  return {
    name: withoutEncodedWords(content.from?.name ?? settings.from?.name ?? ''),
    address: toAddress(content.from?.address ?? settings.from?.address ?? ''),
  };
}

function findReplyTo({ content, settings }: MailCall): string | undefined {
  const replyTo = content.replyTo ?? settings.reply_to;
  return replyTo === undefined ? undefined : toAddress(replyTo);
}

/** An integration's address is stored as typed. */
function toAddress(typed: string): string {
  const parsed = parseEmailAddress(typed);
  return 'address' in parsed ? parsed.address : typed;
}

/** Many readers decode `=?…?=` even in a quoted name, which could show a forged name. */
function withoutEncodedWords(name: string): string {
  return name.replaceAll('=?', '= ?');
}

/** Stable across attempts, so that a receiver can drop a duplicate. */
function createMessageId(call: MailCall): string {
  const domain = findSender(call).address.split('@')[1] || 'localhost';
  return `<${call.messageId}@${domain}>`;
}

function writeSender({ name, address }: { name: string; address: string }): string {
  const mailbox = toMailbox(address);
  return name ? `${encodeDisplayName(name)} <${mailbox}>` : mailbox;
}

/**
 * Quotes a local part with leading, trailing or repeated dots. Addresses contain no character that
 * would end the quotes.
 */
function toMailbox(address: EmailAddress['address']): string {
  const at = address.lastIndexOf('@');
  const local = address.slice(0, at);
  return at < 1 || dotAtom.test(local) ? address : `"${local}"${address.slice(at)}`;
}

const atom = "[A-Za-z0-9!#$%&'*+\\-/=?^_`{|}~\\u0080-\\u{10ffff}]+";
const dotAtom = new RegExp(`^${atom}(\\.${atom})*$`, 'u');
