import type MimeNode from 'nodemailer/lib/mime-node';
import { encodeNameParameter, encodeParameter, foldHeader, maxLineBytes } from './header-value';
import { composeHeaders, type MailCall } from './mail';
import type { FileFacts } from './template';

/** A file that is attached, fetched where it was named by URL. */
export type File = FileFacts & { fileName: string; bytes: Buffer };

/** The whole mail as it is sent. */
export async function composeMime(call: MailCall, files: readonly File[]): Promise<Buffer> {
  const headers = composeHeaders(call).map((header) => `${header}\r\n`);
  return Buffer.concat([Buffer.from(headers.join('')), await composeBody(call, files)]);
}

/** The headers in the bytes of a mail, each as it is written. */
export function readHeaderLines(mime: Buffer): string[] {
  return mime.toString('utf8', 0, mime.indexOf('\r\n\r\n')).split(/\r\n(?![ \t])/);
}

/** Puts one part of a mail, and what is inside it, into another. */
type AddPart = (parent: MimeNode) => void;

/** The library's: CRLF ends each line, as it does on the wire. */
const options = { newline: 'win', disableFileAccess: true, disableUrlAccess: true };

/** From inside out: the forms of the text, pictures that the HTML shows, files. */
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
  // Here and not above: a worker of another channel has no use for it.
  const Node = require('nodemailer/lib/mime-node') as typeof MimeNode;
  const outside = new Node('multipart/mixed');
  addMultipart('mixed', [addMultipart('alternative', forms), ...attachedFiles.map(addFile)])(
    outside,
  );
  const [root = outside] = outside.childNodes;
  return root.build();
}

/** One part needs no multipart around it. */
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

/** Mail programs show an invitation with its buttons where it stands beside the text as another form of it. */
function isInvitation({ contentType = '', disposition }: File): boolean {
  return /^text\/calendar\b/i.test(contentType) && disposition === 'inline';
}

function isShownInHtml({ contentId, disposition }: File): boolean {
  return contentId !== undefined && disposition !== 'attachment';
}

function addFile({ fileName, bytes, contentType, contentId, disposition }: File): AddPart {
  const type = contentType ?? findTypeByName(fileName);
  // MIME forbids to encode a message: one that cannot go out as it is goes out as bytes.
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

/** A header that the library writes as it stands. */
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

function findTypeByName(fileName: string): string {
  const { detectMimeType } =
    require('nodemailer/lib/mime-funcs') as typeof import('nodemailer/lib/mime-funcs');
  return detectMimeType(fileName);
}

function isSevenBit(bytes: Buffer): boolean {
  const text = bytes.toString('latin1');
  if (!/^[\t\n\r\u0020-\u007e]*$/.test(text)) return false;
  return text.split(/\r\n|\r|\n/).every((line) => line.length <= maxLineBytes);
}
