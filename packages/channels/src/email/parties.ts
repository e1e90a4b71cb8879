import type { DescribeCall } from '../channel';
import { isRecord } from '../read-json';
import { parseEmailAddress, uniqueMailboxes } from './address';
import type { EmailContent } from './template';

/** The part of an integration that a mail needs. */
export type MailSettings = {
  from?: { name?: string; address?: string };
  reply_to?: string;
};

export type MailCall = Pick<DescribeCall<EmailContent>, 'messageId' | 'target' | 'content'> & {
  settings: MailSettings;
};

/**
 * The Cc and Bcc of a mail. A mailbox in To is removed from both, and one in Cc is removed from
 * Bcc.
 */
export function findCopies({ target, content }: MailCall): { cc: string[]; bcc: string[] } {
  const cc = uniqueMailboxes(content.cc, [target]);
  return { cc, bcc: uniqueMailboxes(content.bcc, [target, ...cc]) };
}

/** Name and address from the content, or else from the integration. */
export function findSender({ content, settings }: MailCall): { name: string; address: string } {
  return {
    name: withoutEncodedWords(content.from?.name ?? settings.from?.name ?? ''),
    address: toAddress(content.from?.address ?? settings.from?.address ?? ''),
  };
}

export function findReplyTo({ content, settings }: MailCall): string | undefined {
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
export function createMessageId(call: MailCall): string {
  const domain = findSender(call).address.split('@')[1] || 'localhost';
  return `<${call.messageId}@${domain}>`;
}

/** Settings as stored, which may be incomplete: the sandbox may have no integration. */
export function readMailSettings({ from, reply_to }: Record<string, unknown>): MailSettings {
  return {
    ...(typeof reply_to === 'string' ? { reply_to } : {}),
    ...(isRecord(from) ? { from: { ...text('name', from), ...text('address', from) } } : {}),
  };
}

function text<Name extends 'name' | 'address'>(name: Name, from: Record<string, unknown>) {
  const value = from[name];
  return typeof value === 'string' ? { [name]: value } : {};
}

/** Whether the template or the call named the sender, and not the integration. */
export function isOwnSender({ content }: Pick<MailCall, 'content'>): boolean {
  return Boolean(content.from?.address);
}
