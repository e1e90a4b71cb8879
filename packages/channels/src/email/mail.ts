import type MimeNode from 'nodemailer/lib/mime-node';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { toMailbox } from './address';
import { type DkimKey, signMail } from './dkim';
import {
  encodeDisplayName,
  encodeHeaderValue,
  encodeNameParameter,
  encodeParameter,
  encodeSubject,
  foldHeader,
  maxLineBytes,
} from './header-value';
import { createMessageId, findCopies, findReplyTo, findSender, type MailCall } from './parties';
import type { Attachment, FileFacts } from './template';

export type Envelope = {
  from: string;
  to: [string, ...string[]];
  dsn?: SMTPConnection.DSNOptions;
};

/** The sender and all recipients of a mail; the message's target is the first recipient. */
export function createEnvelope(call: MailCall): Envelope {
  const { cc, bcc } = findCopies(call);
  return {
    from: toMailbox(findSender(call).address),
    to: [toMailbox(call.target), ...[...cc, ...bcc].map(toMailbox)],
  };
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

function writeSender({ name, address }: { name: string; address: string }): string {
  const mailbox = toMailbox(address);
  return name ? `${encodeDisplayName(name)} <${mailbox}>` : mailbox;
}

/** An attached file, already fetched when it was given by URL. */
export type File = FileFacts & { fileName: string; bytes: Buffer };

/** The whole mail as sent, signed if there is a key. */
export async function composeMime(
  call: MailCall,
  files: readonly File[],
  dkim?: DkimKey,
): Promise<Buffer> {
  const headers = composeHeaders(call).map((header) => `${header}\r\n`);
  const parts = [Buffer.from(headers.join('')), await composeBody(call, files)];
  const mime = toCrlf(Buffer.concat(parts));
  return dkim ? signMail(mime, dkim) : mime;
}

/** Some servers refuse a mail with a bare CR or LF. Nobody may change them after the signature. */
function toCrlf(mime: Buffer): Buffer {
  return Buffer.from(mime.toString('latin1').replace(/\r\n?|\n/g, '\r\n'), 'latin1');
}

/** The header lines in the bytes of a mail, as written. */
export function readHeaderLines(mime: Buffer): string[] {
  return mime.toString('utf8', 0, mime.indexOf('\r\n\r\n')).split(/\r\n(?![ \t])/);
}

/** Adds one part of a mail, with its children, to a parent. */
type AddPart = (parent: MimeNode) => void;

/** nodemailer options: CRLF line endings, as on the wire. */
const options = { newline: 'win', disableFileAccess: true, disableUrlAccess: true };

/** From the inside out: alternatives of the text, images shown in the HTML, files. */
function composeBody({ content }: MailCall, files: readonly File[]): Promise<Buffer> {
  const { html, text = '' } = content;
  const inlineFiles = files.filter((file) => html !== undefined && isShownInHtml(file));
  const invitations = files.filter(isInvitation);
  const attachedFiles = files.filter(
    (file) => !inlineFiles.includes(file) && !invitations.includes(file),
  );
  const forms = [
    ...(text || html === undefined ? [addText('plain', text)] : []),
    ...(html === undefined
      ? []
      : [
          addMultipart('related; type="text/html"', [
            addText('html', html),
            ...inlineFiles.map(addFile),
          ]),
        ]),
    ...invitations.map(addFile),
  ];
  // Loaded here, because workers of other channels do not need it.
  const Node = require('nodemailer/lib/mime-node') as typeof MimeNode;
  const outside = new Node('multipart/mixed');
  addMultipart('mixed', [addMultipart('alternative', forms), ...attachedFiles.map(addFile)])(
    outside,
  );
  const [root = outside] = outside.childNodes;
  return root.build();
}

/** A single part needs no multipart. */
function addMultipart(subtype: string, parts: readonly AddPart[]): AddPart {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  return (parent) => {
    const node = parent.createChild(`multipart/${subtype}`, options);
    for (const addPart of parts) addPart(node);
  };
}

function addText(subtype: string, text: string): AddPart {
  return (parent) => {
    parent.createChild(`text/${subtype}; charset=utf-8`, options).setContent(text);
  };
}

/** Mail programs show an invitation with its buttons only as an alternative of the text. */
function isInvitation({ contentType = '', disposition }: File): boolean {
  return /^text\/calendar\b/i.test(contentType) && disposition === 'inline';
}

function isShownInHtml({ contentId, disposition }: File): boolean {
  return contentId !== undefined && disposition !== 'attachment';
}

function addFile({ fileName, bytes, contentType, contentId, disposition }: File): AddPart {
  const type = contentType ?? findTypeByName(fileName);
  // MIME forbids encoding a message part: if it cannot be sent as is, it is sent as bytes.
  const isMessage = /^message\//i.test(type);
  const isPlain = isMessage && isSevenBit(bytes);
  const shownType = isMessage && !isPlain ? 'application/octet-stream' : type;
  const shownAs = disposition ?? (contentId === undefined ? 'attachment' : 'inline');
  return (parent) => {
    const node = parent.createChild(undefined, options);
    node.setHeader([
      prepare('Content-Type', `${shownType}; ${encodeNameParameter(fileName)}`),
      prepare('Content-Disposition', `${shownAs}; ${encodeParameter('filename', fileName)}`),
      ...(contentId === undefined ? [] : [prepare('Content-ID', `<${contentId}>`)]),
      { key: 'Content-Transfer-Encoding', value: isPlain ? '7bit' : 'base64' },
    ]);
    node.setContent(bytes);
  };
}

/** A header that nodemailer writes unchanged. */
function prepare(key: string, value: string) {
  return {
    key,
    value: {
      prepared: true,
      value: foldHeader(key, value)
        .slice(key.length + 1)
        .trimStart(),
    },
  };
}

/** The media type that a file name suggests. */
export function findTypeByName(fileName: string): string {
  const { detectMimeType } =
    require('nodemailer/lib/mime-funcs') as typeof import('nodemailer/lib/mime-funcs');
  return detectMimeType(fileName);
}

function isSevenBit(bytes: Buffer): boolean {
  const text = bytes.toString('latin1');
  if (!/^[\t\n\r\u0020-\u007e]*$/.test(text)) return false;
  return text.split(/\r\n|\r|\n/).every((line) => line.length <= maxLineBytes);
}

type MailDescription = { message_id: string } & Record<string, unknown>;

/** The mail as the log shows it. The headers are read back from the lines that are sent. */
export function describeMail(
  call: MailCall,
  headerLines = composeHeaders(call),
  files?: readonly File[],
): MailDescription {
  const { content, target } = call;
  const { addressParser, decodeWords } = loadParser();
  const headers = new Map(headerLines.map(splitHeader));
  const readAddresses = (name: string) => addressParser(headers.get(name) ?? '');
  const readText = (name: string) => decodeWords(headers.get(name) ?? '');
  const [from] = readAddresses('From');
  const [replyTo] = readAddresses('Reply-To');
  return {
    message_id: (headers.get('Message-ID') ?? '').replace(/^<|>$/g, ''),
    from: { name: from?.name ?? '', address: from?.address ?? '' },
    to: target,
    cc: readAddresses('Cc').map(({ address }) => address),
    bcc: findCopies(call).bcc,
    reply_to: replyTo?.address,
    subject: readText('Subject'),
    text: content.text,
    html: content.html,
    headers: Object.fromEntries(Object.keys(content.headers).map((name) => [name, readText(name)])),
    attachments: files
      ? files.map(({ bytes, ...file }) => ({ ...describeFile(file), bytes: bytes.length }))
      : content.attachments.map(describeAttachment),
  };
}

/** The name, and the value without folding line breaks. */
function splitHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return [
    line.slice(0, colon),
    line
      .slice(colon + 1)
      .replaceAll('\r\n', '')
      .trimStart(),
  ];
}

function describeAttachment(attachment: Attachment): Record<string, unknown> {
  return {
    ...describeFile(attachment),
    ...('url' in attachment
      ? { url: attachment.url }
      : { bytes: Buffer.byteLength(attachment.content, 'base64') }),
  };
}

function describeFile({
  fileName,
  contentType,
  contentId,
  disposition,
}: FileFacts & { fileName: string | undefined }): Record<string, unknown> {
  return {
    file_name: fileName,
    ...(contentType === undefined ? {} : { content_type: contentType }),
    ...(contentId === undefined ? {} : { content_id: contentId }),
    ...(disposition === undefined ? {} : { disposition }),
  };
}

/** Loaded here, because workers of other channels do not need it. */
function loadParser(): typeof import('postal-mime') {
  return require('postal-mime');
}
