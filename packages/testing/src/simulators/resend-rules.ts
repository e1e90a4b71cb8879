import type { HttpReply, HttpRequest } from './http-simulator';
import {
  createFileReader,
  findHeaderProblem,
  isAddress,
  isBase64,
  parseMailbox,
  type ReadMail,
  readHeader,
} from './mail-api';
import { parseObject, toRecord } from './read-object';
import {
  findProblem,
  hasType,
  isList,
  isObject,
  isObjectWith,
  isString,
  isText,
  jsonType,
  type Members,
  matches,
  type Rule,
} from './rules';

/**
 * Reads a mail by the rules of resend.com/docs/api-reference/emails/send-email, and of
 * /docs/api-reference/errors. Unknown fields are refused, so that tests notice.
 */
export function readResendMail(request: HttpRequest): ReadMail | { reply: HttpReply } {
  if (!hasType(request.headers, jsonType)) {
    return resendError(422, 'validation_error', `Content-Type must be ${jsonType}`);
  }
  const key = readHeader(request, 'idempotency-key');
  if (key !== undefined && (key.length < 1 || key.length > 256)) {
    return resendError(
      400,
      'invalid_idempotency_key',
      'Idempotency keys, if present, must have between 1 and 256 characters.',
    );
  }
  const body = parseObject(request.body);
  if (!body) return resendError(400, 'validation_error', 'The body is not a JSON object.');
  const missing = required.find((name) => !(name in body));
  if (missing) {
    return resendError(422, 'missing_required_field', `Missing \`${missing}\` field.`);
  }
  if (!body['html'] && !body['text']) {
    return resendError(422, 'missing_required_field', 'Missing `html` or `text` field.');
  }
  const problem = findProblem(body, fields);
  return problem === undefined ? toMail(body) : resendError(422, ...toError(problem));
}

export function resendError(
  statusCode: number,
  name: string,
  message: string,
): { reply: HttpReply } {
  return { reply: { status: statusCode, body: { statusCode, name, message } } };
}

const required = ['from', 'to', 'subject'];
const format =
  'The email address needs to follow the `email@example.com` or `Name <email@example.com>` format.';

function toError(problem: string): [name: string, message: string] {
  const [, field = '', item] = /^(\S+)( \[\d+\])? /.exec(`${problem} `) ?? [];
  if (['from', 'to', 'cc', 'bcc', 'reply_to'].includes(field)) {
    return ['validation_error', `Invalid \`${field}\` field. ${format}`];
  }
  if (field === 'attachments' && item) return ['invalid_attachment', problem];
  return ['validation_error', problem];
}

const isMailbox: Rule = (value) => (parseMailbox(value) ? undefined : 'is not a mailbox');
const isPlainAddress: Rule = (value) => (isAddress(value) ? undefined : 'is not an address');
/** "Max 50." */
const isAddresses = isList(isPlainAddress, { most: 50 });
/** "ASCII letters, numbers, underscores, or dashes", up to 256 characters. */
const isTagText = matches(/^[A-Za-z0-9_-]{1,256}$/, 'has characters that a tag may not have');
const isHeaders: Rule = (value) => isObject(value) ?? findHeaderProblem(toRecord(value) ?? {});
const isContent: Rule = (value) => (isBase64(value) ? undefined : 'must be base64');

const fields: Record<string, Rule> = {
  from: isMailbox,
  to: isAddresses,
  cc: isAddresses,
  bcc: isAddresses,
  reply_to: isMailbox,
  subject: isText,
  html: isString,
  text: isString,
  headers: isHeaders,
  tags: isList(isObjectWith({ name: isTagText, value: isTagText }, ['name', 'value']), {
    most: 50,
  }),
  attachments: isList(
    isObjectWith(
      { filename: isText, content: isContent, content_type: isText, content_id: isText },
      ['filename', 'content'],
    ),
    { most: 100 },
  ),
};

function toMail(body: Members): ReadMail {
  const text = (name: string) => String(body[name] ?? '');
  // The rules checked each of them.
  const texts = (name: string) => (body[name] ?? []) as string[];
  const records = (name: string) => (body[name] ?? []) as Record<string, string>[];
  const tag = records('tags').find(({ name }) => name === 'belfry_message');
  return {
    messageId: tag?.['value'] ?? '',
    body,
    mail: {
      from: parseMailbox(body['from']) ?? { name: '', address: '' },
      to: texts('to'),
      cc: texts('cc'),
      bcc: texts('bcc'),
      replyTo: body['reply_to'] === undefined ? [] : [text('reply_to')],
      subject: text('subject'),
      text: text('text'),
      html: text('html'),
      headers: (body['headers'] ?? {}) as Record<string, string>,
      attachments: records('attachments').map(toFile),
    },
  };
}

const toFile = createFileReader({
  fileName: 'filename',
  content: 'content',
  contentType: 'content_type',
  contentId: 'content_id',
});
