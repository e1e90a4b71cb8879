import type { GuardedFetch } from '../guarded-fetch';
import type { FailedOutcome } from '../network-failure';
import type { Field, Rendering } from '../rendering';
import type { File } from './mail';
import {
  type Attachment,
  type EmailOverride,
  type FileFacts,
  maxAttachments,
  type WireAttachment,
} from './template';

type AttachmentFields = {
  fileName: Field | undefined;
  content: Field | undefined;
  contentType: Field | undefined;
  contentId: Field | undefined;
  disposition: WireAttachment['disposition'];
}[];

/**
 * The attachments of the call, or else of the template. Attachments without content are left out.
 */
export function composeAttachments(
  fields: AttachmentFields,
  own: EmailOverride['attachments'],
  rendering: Rendering,
): Attachment[] {
  const ownAttachments = [own ?? []]
    .flat()
    .filter(({ content, url }) => content?.trim() || url?.trim());
  if (ownAttachments.length > maxAttachments) {
    rendering.fail('rejected_content', `The mail has more than ${maxAttachments} attachments.`);
    return [];
  }
  const attachments =
    ownAttachments.length > 0
      ? ownAttachments.map((attachment) => fromWire(attachment))
      : fields.map((attachment) => render(attachment, rendering));
  return attachments
    .filter((attachment) => 'url' in attachment || attachment.content !== '')
    .map((attachment, index) => check(attachment, `attachments[${index}]`, rendering));
}

/** Limit for the whole mail: its bodies, and its attachments as base64. */
export const maxMailBytes = 10 * 1024 * 1024;

export function describeTooLarge(bytes: number): string {
  return `The mail has ${bytes} bytes including attachments; the limit is ${maxMailBytes} (10 MB).`;
}

/** The bytes that attachments add to the mail, as base64. */
export function countAttachmentBytes(attachments: readonly Attachment[]): number {
  return attachments.reduce(
    (bytes, attachment) => bytes + ('content' in attachment ? attachment.content.length : 0),
    0,
  );
}

/** A caller's base64 may have line breaks and a data URL prefix. */
function readBase64(text: string): string {
  return text.replace(/\s+/g, '').replace(/^data:[^,]{0,255};base64,/i, '');
}

/**
 * Searches for one bad character. A match of the whole text with backtracking overflows the stack
 * at some megabytes.
 */
const notBase64 = /[^A-Za-z0-9+/_-]/;
const maxFileNameCharacters = 255;

function fromWire({ file_name, filename, content, url, ...wire }: WireAttachment): Attachment {
  const name = file_name?.trim() || filename?.trim() || undefined;
  const facts = toFileFacts(wire.content_type, wire.content_id, wire.disposition);
  if (content?.trim()) return { ...facts, fileName: name ?? unnamed, content: readBase64(content) };
  return { ...facts, fileName: name, url: url?.trim() ?? '' };
}

function render(fields: AttachmentFields[number], rendering: Rendering): Attachment {
  const [type, id] = [rendering.text(fields.contentType), rendering.text(fields.contentId)];
  return {
    ...toFileFacts(type, id, fields.disposition),
    fileName: rendering.text(fields.fileName) || unnamed,
    content: readBase64(rendering.text(fields.content)),
  };
}

function toFileFacts(
  type: string | undefined,
  id: string | undefined,
  disposition: WireAttachment['disposition'],
): FileFacts {
  const contentType = type?.trim();
  const contentId = id && readContentId(id);
  return {
    ...(contentType ? { contentType } : {}),
    ...(contentId ? { contentId } : {}),
    ...(disposition ? { disposition } : {}),
  };
}

/** Accepts the form used in the HTML and the form used in the header. */
export function readContentId(text: string): string {
  return text.trim().replace(/^<|>$/g, '').replace(/^cid:/i, '');
}

const maxFactCharacters = 255;
const token = "[A-Za-z0-9!#$%&'*+.^_`{|}~-]+";
const contentTypePattern = new RegExp(
  `^${token}/${token}( *; *(?!name[*=])${token}=(${token}|"[ !#-\\[\\]-~]*"))*$`,
  'i',
);

/** The problem with a content type, if any. */
export function findContentTypeProblem(contentType: string): string | undefined {
  if (contentType.length > maxFactCharacters) return tooLong;
  if (!contentTypePattern.test(contentType)) {
    return 'must be a media type such as "image/png" or "text/calendar; method=REQUEST"';
  }
  return /^multipart\//i.test(contentType) ? 'must be the type of a single file' : undefined;
}

/** The problem with a content ID, if any. */
export function findContentIdProblem(contentId: string): string | undefined {
  if (contentId.length > maxFactCharacters) return tooLong;
  return /^[!-;=?-~]+$/.test(contentId)
    ? undefined
    : 'must have no space, bracket or non-ASCII character';
}

const tooLong = `has more than ${maxFactCharacters} characters`;

const unnamed = 'attachment';

function check(attachment: Attachment, path: string, rendering: Rendering): Attachment {
  const { contentType, contentId } = attachment;
  const problems = [
    ['content_type', contentType && findContentTypeProblem(contentType)],
    ['content_id', contentId && findContentIdProblem(contentId)],
  ];
  for (const [member, problem] of problems) {
    if (problem) rendering.fail('rejected_content', `${path}.${member} ${problem}.`);
  }
  const fileName = attachment.fileName && cleanFileName(attachment.fileName);
  if ('url' in attachment) return { ...attachment, fileName };
  if (!isBase64(attachment.content)) {
    rendering.fail('rejected_content', `The attachment "${fileName}" is not valid base64.`);
  }
  return { ...attachment, fileName: fileName || unnamed };
}

function isBase64(text: string): boolean {
  const padding = text.endsWith('==') ? 2 : Number(text.endsWith('='));
  const body = text.slice(0, text.length - padding);
  return body !== '' && !notBase64.test(body);
}

/** The last part of a path, without control characters. */
function cleanFileName(fileName: string): string {
  const lastPart = fileName.split(/[/\\]/).at(-1) ?? '';
  return lastPart.replace(/\p{C}/gu, '').trim().slice(0, maxFileNameCharacters);
}

/** The attachments as bytes, or why the mail cannot be sent with them. */
export async function fetchAttachments(
  attachments: readonly Attachment[],
  { fetch }: GuardedFetch,
  signal: AbortSignal,
): Promise<File[] | FailedOutcome> {
  const read = await Promise.all(
    attachments.map((attachment) => readOne(attachment, fetch, signal)),
  );
  const failure = read.find((one) => 'outcome' in one);
  if (failure) return failure;
  const files = read.filter((one) => 'bytes' in one);
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (bytes <= maxMailBytes) return files;
  const detail = describeTooLarge(bytes);
  return { outcome: 'rejected', scope: 'content', reason: 'too_large', detail };
}

async function readOne(
  attachment: Attachment,
  fetch: GuardedFetch['fetch'],
  signal: AbortSignal,
): Promise<File | FailedOutcome> {
  if ('content' in attachment) {
    const { content, ...file } = attachment;
    return { ...file, bytes: Buffer.from(content, 'base64') };
  }
  const { url, ...file } = attachment;
  const fetched = await fetch(url, signal);
  if ('body' in fetched) {
    return { ...file, fileName: file.fileName || getFileName(url), bytes: fetched.body };
  }
  const detail = `Could not fetch the attachment from ${formatHost(url)}. ${fetched.detail}`;
  return fetched.failed === 'refused'
    ? { outcome: 'rejected', scope: 'content', reason: 'attachment_refused', detail }
    : { outcome: 'retry', sparesIntegration: true, reason: 'attachment_unavailable', detail };
}

function getFileName(url: string): string {
  return cleanFileName(decode(new URL(url).pathname)) || 'attachment';
}

/** A path may have a percent sign that encodes nothing. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Only the host: path and query of a link may be secret. */
function formatHost(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'its URL';
}
