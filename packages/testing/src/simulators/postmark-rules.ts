import type { HttpReply, HttpRequest } from './http-simulator';
import {
  createFileReader,
  findHeaderProblem,
  isAddress,
  isBase64,
  parseMailbox,
  type ReadMail,
} from './mail-api';
import { parseObject, toRecord } from './read-object';
import {
  findProblem,
  hasType,
  isList,
  isObjectWith,
  isString,
  isText,
  jsonType,
  type Members,
  matches,
  type Rule,
} from './rules';

/**
 * Reads a mail by the rules of postmarkapp.com/developer/api/email-api and of article 1180 of the
 * support centre. Unknown fields are refused, so that tests notice.
 */
export function readPostmarkMail(request: HttpRequest): ReadMail | { reply: HttpReply } {
  if (!hasType(request.headers, jsonType)) return postmarkError(409, 'JSON required');
  if (request.body.length > maxBytes) return { reply: { status: 413, body: '<html>' } };
  const body = parseObject(request.body);
  if (!body) return postmarkError(402, 'Invalid JSON');
  const problem = findMissing(body) ?? findProblem(body, fields) ?? findTooMany(body);
  return problem === undefined ? toMail(body) : postmarkError(300, toMessage(problem));
}

export function postmarkError(code: number, message: string, status = 422): { reply: HttpReply } {
  return { reply: { status, body: { ErrorCode: code, Message: message } } };
}

/** "10 MB payload size, including attachments." */
const maxBytes = 10 * 1024 * 1024;
const maxRecipients = 50;

function findMissing(body: Members): string | undefined {
  if (!('From' in body)) return 'From is missing';
  if (!('To' in body)) return 'To is missing';
  return body['HtmlBody'] || body['TextBody']
    ? undefined
    : 'Provide either email TextBody or HtmlBody or both';
}

function findTooMany(body: Members): string | undefined {
  const count = ['To', 'Cc', 'Bcc'].flatMap((name) => listAddresses(body[name])).length;
  return count > maxRecipients
    ? `${count} recipients; maximum of 50 recipients allowed`
    : undefined;
}

function toMessage(problem: string): string {
  const [, field] = /^(From|To|Cc|Bcc|ReplyTo) /.exec(problem) ?? [];
  return field ? `Error parsing '${field}': Illegal email address` : problem;
}

function listAddresses(value: unknown): string[] {
  return typeof value === 'string' && value !== '' ? value.split(/,\s*/) : [];
}

const isMailbox: Rule = (value) => (parseMailbox(value) ? undefined : 'is not a mailbox');
const isAddresses: Rule = (value) =>
  listAddresses(value).length > 0 && listAddresses(value).every(isAddress)
    ? undefined
    : 'is not a list of addresses';
const isContent: Rule = (value) => (isBase64(value) ? undefined : 'must be base64');
/** "Forbidden file types", as far as a test needs them. */
const isFileName: Rule = (value) =>
  isText(value) ?? (/\.(exe|bat|js|vbs|scr)$/i.test(String(value)) ? 'is forbidden' : undefined);
const isMetadata: Rule = (value) => {
  const entries = Object.entries(toRecord(value) ?? {});
  const isWrong = entries.some(
    ([name, each]) => name.length > 20 || isString(each) || String(each).length > 80,
  );
  return isWrong ? 'has a key over 20 or a value over 80 characters' : undefined;
};
const isHeader: Rule = (value) => {
  const { Name: name, Value: text } = toRecord(value) ?? {};
  return findHeaderProblem({ [String(name)]: text });
};

const fields: Record<string, Rule> = {
  From: isMailbox,
  To: isAddresses,
  Cc: isAddresses,
  Bcc: isAddresses,
  ReplyTo: isMailbox,
  Subject: isString,
  HtmlBody: isString,
  TextBody: isString,
  Headers: isList(isHeader, { least: 0, most: 100 }),
  Metadata: isMetadata,
  MessageStream: matches(/^[a-z0-9][a-z0-9-]{0,29}$/, 'is not a message stream'),
  Attachments: isList(
    isObjectWith(
      {
        Name: isFileName,
        Content: isContent,
        ContentType: isText,
        ContentID: matches(/^cid:./, 'must start with cid:'),
      },
      ['Name', 'Content', 'ContentType'],
    ),
    { most: 100 },
  ),
};

function toMail(body: Members): ReadMail {
  const text = (name: string) => String(body[name] ?? '');
  // The rules checked each of them.
  const records = (name: string) => (body[name] ?? []) as Record<string, string>[];
  return {
    messageId: String(toRecord(body['Metadata'])?.['belfry_message'] ?? ''),
    body,
    mail: {
      from: parseMailbox(body['From']) ?? { name: '', address: '' },
      to: listAddresses(body['To']),
      cc: listAddresses(body['Cc']),
      bcc: listAddresses(body['Bcc']),
      replyTo: listAddresses(body['ReplyTo']),
      subject: text('Subject'),
      text: text('TextBody'),
      html: text('HtmlBody'),
      headers: Object.fromEntries(
        records('Headers').map(({ Name: name = '', Value: value = '' }) => [name, value]),
      ),
      attachments: records('Attachments').map(toFile),
    },
  };
}

const toFile = createFileReader({
  fileName: 'Name',
  content: 'Content',
  contentType: 'ContentType',
  contentId: 'ContentID',
});
