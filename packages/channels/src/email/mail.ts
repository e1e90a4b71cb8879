import type { SendMailOptions } from 'nodemailer';
import type { DescribeCall } from '../channel';
import { encodeHeaderValue } from './header-value';
import type { EmailContent } from './template';

/** The part of an integration that a mail needs. */
export type MailSettings = {
  from?: { name?: string; address?: string };
  reply_to?: string;
};

export type MailCall = Pick<DescribeCall<EmailContent>, 'messageId' | 'target' | 'content'> & {
  settings: MailSettings;
};

/** The file that is attached, fetched where it was named by URL. */
export type File = { fileName: string; bytes: Buffer };

/** Who sends: the content's name and address, each else the integration's. */
function senderOf({ content, settings }: MailCall): { name: string; address: string } {
  return {
    name: withoutEncodedWords(content.from?.name ?? settings.from?.name ?? ''),
    address: content.from?.address ?? settings.from?.address ?? '',
  };
}

/** Many readers decode `=?…?=` in a name also where it stands in quotes: it would show what nobody wrote. */
function withoutEncodedWords(name: string): string {
  return name.replaceAll('=?', '= ?');
}

/** Stable over all attempts, so that a receiver that has the mail can drop the second. */
function messageIdOf(call: MailCall): string {
  const domain = senderOf(call).address.split('@')[1] || 'localhost';
  return `${call.messageId}@${domain}`;
}

/** Everybody who gets it; the target is first, and copies go to each once. */
function recipientsOf({ target, content }: MailCall): [string, ...string[]] {
  const copies = new Set([...content.cc, ...content.bcc]);
  copies.delete(target);
  return [target, ...copies];
}

/** The mail in the library's terms: addresses only as objects, nothing that it would read from a file or URL. */
export function createMail(call: MailCall, files: readonly File[]): SendMailOptions {
  const { content, settings, target } = call;
  const sender = senderOf(call);
  const replyTo = content.replyTo ?? settings.reply_to;
  return {
    messageId: `<${messageIdOf(call)}>`,
    from: sender,
    to: [plain(target)],
    cc: content.cc.map(plain),
    ...(replyTo ? { replyTo: plain(replyTo) } : {}),
    subject: content.subject,
    ...(content.text === undefined ? {} : { text: content.text }),
    ...(content.html === undefined ? {} : { html: content.html }),
    headers: headersOf(content),
    attachments: files.map(({ fileName, bytes }) => ({ filename: fileName, content: bytes })),
    envelope: { from: sender.address, to: recipientsOf(call) },
    disableFileAccess: true,
    disableUrlAccess: true,
    xMailer: false,
  };
}

/** Encoded here: the library would encode an address with the name before it. */
function headersOf({ headers }: EmailContent): SendMailOptions['headers'] {
  return Object.entries(headers).map(([key, value]) => ({
    key,
    value: { prepared: true, foldLines: true, value: encodeHeaderValue(value) },
  }));
}

/** What goes out, as the log shows it. */
export function describeMail(call: MailCall): Record<string, unknown> {
  const { content, settings, target } = call;
  return {
    message_id: messageIdOf(call),
    from: senderOf(call),
    to: target,
    cc: content.cc,
    bcc: content.bcc,
    reply_to: content.replyTo ?? settings.reply_to,
    subject: content.subject,
    text: content.text,
    html: content.html,
    headers: content.headers,
    attachments: content.attachments.map((attachment) => ({
      file_name: attachment.fileName,
      ...('url' in attachment
        ? { url: attachment.url }
        : { bytes: Buffer.byteLength(attachment.content, 'base64') }),
    })),
  };
}

function plain(address: string): { name: string; address: string } {
  return { name: '', address };
}
