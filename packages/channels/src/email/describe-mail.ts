import { composeHeaders, findCopies, type MailCall } from './mail';
import type { File } from './mime';
import type { Attachment, FileFacts } from './template';

export type MailDescription = { message_id: string } & Record<string, unknown>;

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
