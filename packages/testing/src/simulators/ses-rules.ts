import type { HttpReply, HttpRequest } from './http-simulator';
import { isAddress, isBase64, type MailReading } from './mail-api';
import { parseMime } from './mime-mail';
import { parseObject, toRecord } from './read-object';
import {
  findProblem,
  hasType,
  isList,
  isObjectWith,
  jsonType,
  type Members,
  matches,
  type Rule,
} from './rules';

/**
 * Reads a mail by the rules of "SendEmail" of the SES API v2
 * (docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html). Unknown fields are refused, so
 * that tests notice.
 */
export async function readSesMail(request: HttpRequest): Promise<MailReading> {
  if (!hasType(request.headers, jsonType))
    return sesError(400, 'SerializationException', 'not JSON');
  const body = parseObject(request.body);
  if (!body) return sesError(400, 'SerializationException', 'Unexpected token');
  const problem = isObjectWith(fields, ['Content', 'Destination'])(body) ?? findTooMany(body);
  if (problem !== undefined) return sesError(400, 'BadRequestException', problem);
  const destination = (name: string) => (toRecord(body['Destination'])?.[name] ?? []) as string[];
  const recipients = ['ToAddresses', 'CcAddresses', 'BccAddresses'].flatMap(destination);
  const raw = Buffer.from(readRaw(body), 'base64');
  if (raw.length > maxBytes) return sesError(400, 'MessageRejected', 'Message length is too long');
  const mail = await parseMime(raw, recipients);
  if ('problem' in mail) return sesError(400, 'BadRequestException', mail.problem);
  const tags = (body['EmailTags'] ?? []) as { Name: string; Value: string }[];
  const messageId = tags.find(({ Name: name }) => name === 'belfry_message')?.Value ?? '';
  return { messageId, mail, body };
}

/** AWS names the error in a header, with a URL after it. */
export function sesError(status: number, type: string, message: string): { reply: HttpReply } {
  const headers = {
    'x-amzn-errortype': `${type}:http://internal.amazon.com/coral/com.amazonaws.services/`,
  };
  return { reply: { status, headers, body: { message } } };
}

/** "up to 40 MB" of the whole message. */
const maxBytes = 40 * 1024 * 1024;
const maxRecipients = 50;

function readRaw(body: Members): string {
  return String(toRecord(toRecord(body['Content'])?.['Raw'])?.['Data']);
}

function findTooMany(body: Members): string | undefined {
  const lists = Object.values(toRecord(body['Destination']) ?? {}) as string[][];
  const count = lists.flat().length;
  return count > maxRecipients ? `Recipient count exceeds ${maxRecipients}.` : undefined;
}

const isMailAddress: Rule = (value) =>
  isAddress(value) ? undefined : 'Local address contains control or whitespace, or is not ASCII';
const isAddresses = isList(isMailAddress, { least: 0, most: 1_000 });
const isContent: Rule = (value) => (isBase64(value) ? undefined : 'must be base64');
/** "alphanumeric ASCII characters (a-z, A-Z, 0-9), underscores, or dashes", up to 256 */
const isTagText = matches(/^[A-Za-z0-9_.@-]{1,256}$/, 'has characters that a tag may not have');

const fields: Record<string, Rule> = {
  FromEmailAddress: isMailAddress,
  Destination: (value) =>
    findProblem(toRecord(value) ?? { Destination: value }, {
      ToAddresses: isAddresses,
      CcAddresses: isAddresses,
      BccAddresses: isAddresses,
    }),
  Content: isObjectWith({ Raw: isObjectWith({ Data: isContent }, ['Data']) }, ['Raw']),
  EmailTags: isList(isObjectWith({ Name: isTagText, Value: isTagText }, ['Name', 'Value']), {
    most: 50,
  }),
  ConfigurationSetName: matches(/^[A-Za-z0-9_-]{1,64}$/, 'is not a configuration set'),
};
