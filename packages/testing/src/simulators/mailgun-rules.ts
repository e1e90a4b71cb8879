import type { HttpReply, HttpRequest } from './http-simulator';
import { isAddress, type MailReading, readHeader } from './mail-api';
import { parseMime } from './mime-mail';

/**
 * Reads a mail by the rules of "Send an email in MIME format"
 * (documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages) and of "Send via
 * HTTP". Unknown fields are refused, so that tests notice.
 */
export async function readMailgunMail(request: HttpRequest): Promise<MailReading> {
  if (request.body.length > maxBytes) return mailgunError(413, 'Request Entity Too Large');
  const parts = readParts(request);
  if (!parts) return mailgunError(400, 'Need multipart/form-data');
  const unknown = [...parts.keys()].find((name) => !fieldNames.test(name));
  if (unknown) return mailgunError(400, `${unknown} parameter is unknown`);
  const [to, message] = [parts.get('to')?.value.toString('utf8'), parts.get('message')];
  if (!to) return mailgunError(400, 'to parameter is missing');
  if (!message?.isFile) return mailgunError(400, 'message parameter is missing');
  const recipients = to.split(/,\s*/);
  if (recipients.length > maxRecipients) return mailgunError(400, 'to: too many recipients');
  if (!recipients.every(isAddress)) {
    return mailgunError(400, "'to' parameter is not a valid address. please check documentation");
  }
  const mail = await parseMime(message.value, recipients);
  if ('problem' in mail) return mailgunError(400, `message: ${mail.problem}`);
  const messageId = parts.get('v:belfry_message')?.value.toString('utf8') ?? '';
  return { messageId, mail, body: { to } };
}

export function mailgunError(status: number, message: string): { reply: HttpReply } {
  return { reply: { status, body: { message } } };
}

/** "The maximum message size Mailgun supports is 25MB" */
const maxBytes = 25 * 1024 * 1024;
const maxRecipients = 1_000;
const fieldNames = /^(to|message|v:[a-z_-]+|o:(tag|testmode|tracking|dkim|require-tls))$/;

type Part = { value: Buffer; isFile: boolean };

/** The parts of multipart/form-data (RFC 7578) by name, or undefined if the body is malformed. */
export function readParts(request: HttpRequest): Map<string, Part> | undefined {
  const type = readHeader(request, 'content-type') ?? '';
  const boundary = /^multipart\/form-data; boundary="?([\w'()+,./:=?-]{1,70})"?$/.exec(type)?.[1];
  if (boundary === undefined) return undefined;
  const text = request.body.toString('latin1');
  const [before, ...rest] = text.split(`--${boundary}`);
  if (before !== '' || rest.pop()?.trim() !== '--') return undefined;
  const parts = rest.map(readPart);
  return parts.every((part) => part !== undefined) ? new Map(parts) : undefined;
}

function readPart(text: string): [string, Part] | undefined {
  const end = text.indexOf('\r\n\r\n');
  const isWhole = text.startsWith('\r\n') && end > 0 && text.endsWith('\r\n');
  const head = text.slice(2, end);
  const [, name, fileName] =
    /^content-disposition: form-data; name="([^"\r\n]+)"(; filename="[^"\r\n]+")?\r?$/im.exec(
      head,
    ) ?? [];
  if (!isWhole || name === undefined) return undefined;
  const value = Buffer.from(text.slice(end + 4, -2), 'latin1');
  return [name, { value, isFile: fileName !== undefined }];
}
