import type { GuardedFetch } from '../guarded-fetch';
import type { FailedOutcome } from '../network-failure';
import { cleanFileName } from './attachments';
import { describeTooLarge, maxMailBytes } from './compose';
import type { File } from './mime';
import type { Attachment } from './template';

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
    : { outcome: 'retry', reason: 'attachment_unavailable', detail };
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
