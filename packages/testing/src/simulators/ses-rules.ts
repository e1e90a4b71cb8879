import { createHash, createHmac } from 'node:crypto';
import type { HttpReply, HttpRequest } from './http-simulator';
import { isAddress, isBase64, type MailReading, readHeader } from './mail-api';
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

export type AwsCredentials = { accessKeyId: string; secretAccessKey: string; region: string };

const maxSkewMs = 5 * 60_000;

/**
 * Why a request has no valid Signature Version 4 of the credentials, computed from the steps of
 * docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html.
 */
export function findSignatureProblem(
  request: HttpRequest,
  credentials: AwsCredentials,
  nowMs: number,
): { type: string; message: string } | undefined {
  const [, keyId, date, region, service, signedHeaders = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})$/.exec(
      readHeader(request, 'authorization') ?? '',
    ) ?? [];
  if (keyId === undefined) {
    return { type: 'MissingAuthenticationTokenException', message: 'Missing Authentication Token' };
  }
  if (keyId !== credentials.accessKeyId) {
    const message = 'The security token included in the request is invalid.';
    return { type: 'UnrecognizedClientException', message };
  }
  const time = readHeader(request, 'x-amz-date') ?? '';
  const names = signedHeaders.split(';');
  const isComplete = ['host', 'x-amz-date'].every((name) => names.includes(name));
  const scope = `${date}/${region}/${service}/aws4_request`;
  const isScope = scope === `${time.slice(0, 8)}/${credentials.region}/ses/aws4_request`;
  const expected = signRequest(request, {
    names,
    time,
    scope,
    secret: credentials.secretAccessKey,
  });
  if (!isComplete || !isScope || expected !== signature) {
    const message =
      'The request signature we calculated does not match the signature you provided.';
    return { type: 'InvalidSignatureException', message };
  }
  return Math.abs(nowMs - readTime(time)) > maxSkewMs
    ? { type: 'InvalidSignatureException', message: `Signature expired: ${time}` }
    : undefined;
}

function signRequest(
  { method, path, headers, body }: HttpRequest,
  { names, time, scope, secret }: { names: string[]; time: string; scope: string; secret: string },
): string {
  const [uri = '/', query = ''] = path.split('?');
  const canonical = [
    method,
    uri,
    query,
    ...names.map((name) => `${name}:${String(headers[name] ?? '').trim()}`),
    '',
    names.join(';'),
    hash(body),
  ].join('\n');
  const key = ['aws4_request', ...scope.split('/').slice(0, 3).reverse()]
    .reverse()
    .reduce<Buffer | string>((previous, part) => hmac(previous, part), `AWS4${secret}`);
  const text = ['AWS4-HMAC-SHA256', time, scope, hash(canonical)].join('\n');
  return hmac(key, text).toString('hex');
}

function hash(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** `20260101T000000Z` in ms since the epoch. */
function readTime(text: string): number {
  return Date.parse(
    text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  );
}
