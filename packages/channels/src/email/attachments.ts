import type { Field, Rendering } from '../rendering';
import {
  type Attachment,
  type EmailOverride,
  maxAttachments,
  type WireAttachment,
} from './template';

export type AttachmentFields = { fileName: Field | undefined; content: Field | undefined }[];

/** The call's attachments, else the template's; one that has no content is left out. */
export function composeAttachments(
  fields: AttachmentFields,
  own: EmailOverride['attachments'],
  rendering: Rendering,
): Attachment[] {
  const given = [own ?? []].flat().filter(({ content, url }) => content?.trim() || url?.trim());
  if (given.length > maxAttachments) {
    rendering.fail('rejected_content', `More than ${maxAttachments} attachments.`);
    return [];
  }
  const attachments =
    given.length > 0
      ? given.map((attachment) => fromWire(attachment))
      : fields.map((attachment) => render(attachment, rendering));
  return attachments
    .filter((attachment) => 'url' in attachment || attachment.content !== '')
    .map((attachment) => check(attachment, rendering));
}

/** As much as the mail grows by them, in bytes of base64. */
export function sizeOfAttachments(attachments: readonly Attachment[]): number {
  return attachments.reduce(
    (bytes, attachment) => bytes + ('content' in attachment ? attachment.content.length : 0),
    0,
  );
}

/** Base64 of a caller may have line breaks and the prefix of a data URL. */
function readBase64(given: string): string {
  return given.replace(/\s+/g, '').replace(/^data:[^,]{0,255};base64,/i, '');
}

/** Looked for, not matched against the whole: a match that may go back overflows its stack at some megabytes. */
const notBase64 = /[^A-Za-z0-9+/_-]/;
const maxFileNameCharacters = 255;
/** Base64 of a mail of the largest size, and its line breaks. */
const maxContentCharacters = 11 * 1024 * 1024;

function fromWire({ file_name, filename, content, url }: WireAttachment): Attachment {
  const name = file_name?.trim() || filename?.trim() || undefined;
  if (content?.trim()) return { fileName: name ?? unnamed, content: readBase64(content) };
  return { fileName: name, url: url?.trim() ?? '' };
}

function render({ fileName, content }: AttachmentFields[number], rendering: Rendering): Attachment {
  return {
    fileName: rendering.text(fileName) || unnamed,
    content: readBase64(rendering.text(content, maxContentCharacters)),
  };
}

const unnamed = 'attachment';

function check(attachment: Attachment, rendering: Rendering): Attachment {
  const fileName = attachment.fileName && cleanFileName(attachment.fileName);
  if ('url' in attachment) return { ...attachment, fileName };
  if (!isBase64(attachment.content)) {
    rendering.fail('rejected_content', `The attachment "${fileName}" is not base64.`);
  }
  return { ...attachment, fileName: fileName || unnamed };
}

function isBase64(text: string): boolean {
  const padding = text.endsWith('==') ? 2 : Number(text.endsWith('='));
  const body = text.slice(0, text.length - padding);
  return body !== '' && !notBase64.test(body);
}

/** The last part of a path, without control characters. */
export function cleanFileName(given: string): string {
  const lastPart = given.split(/[/\\]/).at(-1) ?? '';
  return lastPart.replace(/\p{C}/gu, '').trim().slice(0, maxFileNameCharacters);
}
