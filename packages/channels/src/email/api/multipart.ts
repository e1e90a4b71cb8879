import { randomBytes } from 'node:crypto';
import type { ApiCall } from './service';

/** A form with fields and at most one file (RFC 7578). Names and values have no line breaks. */
export function createMultipart(
  fields: Record<string, string>,
  file?: { name: string; fileName: string; bytes: Buffer },
): ApiCall {
  // Random, so that no content contains it.
  const boundary = `belfry-${randomBytes(18).toString('hex')}`;
  const open = (attributes: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${attributes}\r\n`;
  const texts = Object.entries(fields).map(
    ([name, value]) => `${open(`name="${name}"`)}\r\n${value}\r\n`,
  );
  const head = file
    ? `${open(`name="${file.name}"; filename="${file.fileName}"`)}Content-Type: message/rfc822\r\n\r\n`
    : '';
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([
      Buffer.from(texts.join('') + head),
      ...(file ? [file.bytes, Buffer.from('\r\n')] : []),
      Buffer.from(`--${boundary}--\r\n`),
    ]),
  };
}
