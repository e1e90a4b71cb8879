import type { HttpReply, HttpRequest } from './http-simulator';
import {
  createFileReader,
  findHeaderProblem,
  isAddress,
  isBase64,
  type ReadMail,
} from './mail-api';
import { parseObject, toRecord } from './read-object';
import {
  findProblem,
  hasType,
  isEnum,
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
 * Reads a mail by the rules of twilio.com/docs/sendgrid/api-reference/mail-send/errors and
 * /mail-send/limitations. Unknown fields are refused, so that tests notice.
 */
export function readSendgridMail(request: HttpRequest): ReadMail | { reply: HttpReply } {
  if (!hasType(request.headers, jsonType)) {
    return sendgridError(415, 'Content-Type should be application/json.');
  }
  if (request.body.length > maxBytes) return sendgridError(413, 'Payload too large');
  const body = parseObject(request.body);
  if (!body) return sendgridError(400, 'Bad Request');
  const [missing, message] = required.find(([name]) => !(name in body)) ?? [];
  if (missing && message) return sendgridError(400, message, missing);
  const problem = findProblem(body, fields) ?? findRecipientProblem(body);
  if (problem === undefined) return toMail(body);
  const [field, text] = toFieldError(problem);
  return sendgridError(400, text, field);
}

export function sendgridError(
  status: number,
  message: string,
  field: string | null = null,
): { reply: HttpReply } {
  return { reply: { status, body: { errors: [{ message, field, help: null }] } } };
}

/** "less than 30MB" */
const maxBytes = 30 * 1024 * 1024;
const maxRecipients = 1_000;
const invalidAddress = 'Does not contain a valid address.';
const required = [
  [
    'personalizations',
    'The personalizations field is required and must have at least one personalization.',
  ],
  ['from', 'The from object must be provided for every email send.'],
  ['subject', 'The subject is required.'],
  ['content', 'Unless a valid template_id is provided, the content parameter is required.'],
] as const;

/** The problem `personalizations [0] to [1] email is …` is of the field `personalizations.0.to.1.email`. */
function toFieldError(problem: string): [field: string, text: string] {
  const end = problem.search(/ (?:is|must|has) /);
  const place = problem.slice(0, end);
  const field = place.replace(/ \[(\d+)\]/g, '.$1').replaceAll(' ', '.');
  return [field, place.endsWith('email') ? invalidAddress : problem];
}

const isMailAddress: Rule = (value) => (isAddress(value) ? undefined : 'is not an address');
const isPerson = isObjectWith({ email: isMailAddress, name: isString }, ['email']);
const isPeople = isList(isPerson, { most: maxRecipients });
const isContent: Rule = (value) => (isBase64(value) ? undefined : 'must be base64');
const isArguments: Rule = (value) => {
  const members = toRecord(value);
  if (!members || Object.values(members).some((each) => typeof each !== 'string')) {
    return 'must be an object of strings';
  }
  return JSON.stringify(members).length > 10_000 ? 'has more than 10,000 bytes' : undefined;
};
/** Headers that SendGrid writes itself. */
const reserved =
  /^(x-sg-id|x-sg-eid|received|dkim-signature|content-type|content-transfer-encoding|to|from|subject|reply-to|cc|bcc)$/i;
const isHeaders: Rule = (value) => {
  const members = toRecord(value);
  if (!members) return 'must be an object';
  const name = Object.keys(members).find((each) => reserved.test(each));
  return name ? `must not have the reserved header ${name}` : findHeaderProblem(members);
};
/** "If present, text/plain and text/html may not be empty, […] text/plain must be first" */
const isBodies: Rule = (value) => {
  const problem = isList(
    isObjectWith({ type: isEnum('text/plain', 'text/html'), value: isText }, ['type', 'value']),
    { most: 2 },
  )(value);
  if (problem) return problem;
  const types = (value as { type: string }[]).map(({ type }) => type);
  return types.indexOf('text/plain') > 0 ? 'must have text/plain first' : undefined;
};

const fields: Record<string, Rule> = {
  personalizations: isList(
    isObjectWith({ to: isPeople, cc: isPeople, bcc: isPeople, custom_args: isArguments }, ['to']),
    { most: 1_000 },
  ),
  from: isPerson,
  reply_to: isPerson,
  subject: isText,
  content: isBodies,
  headers: isHeaders,
  attachments: isList(
    isObjectWith(
      {
        filename: isText,
        content: isContent,
        type: matches(/^[^;\r\n]+$/, 'must not have ";" or line breaks'),
        disposition: isEnum('attachment', 'inline'),
        content_id: isText,
      },
      ['filename', 'content'],
    ),
    { most: 100 },
  ),
};

type Personalization = Record<'to' | 'cc' | 'bcc', { email: string }[] | undefined> & {
  custom_args?: Record<string, string>;
};

function readPersonalization(body: Members): Personalization {
  // The rules checked it.
  return (body['personalizations'] as [Personalization])[0];
}

function findRecipientProblem(body: Members): string | undefined {
  const { to = [], cc = [], bcc = [] } = readPersonalization(body);
  const emails = [...to, ...cc, ...bcc].map(({ email }) => email.toLowerCase());
  if (emails.length > maxRecipients) {
    return 'personalizations has more than a limit of 1000 total recipients (to + cc + bcc)';
  }
  return new Set(emails).size === emails.length
    ? undefined
    : 'personalizations must have each email address only once';
}

function toMail(body: Members): ReadMail {
  const { to, cc, bcc, custom_args: args = {} } = readPersonalization(body);
  const listEmails = (people: { email: string }[] = []) => people.map(({ email }) => email);
  // The rules checked each of them.
  const records = (name: string) => (body[name] ?? []) as Record<string, string>[];
  const from = body['from'] as { email: string; name?: string };
  const replyTo = toRecord(body['reply_to'])?.['email'];
  const text = (type: string) =>
    records('content').find((each) => each['type'] === type)?.['value'];
  return {
    messageId: args['belfry_message'] ?? '',
    body,
    mail: {
      from: { name: from.name ?? '', address: from.email },
      to: listEmails(to),
      cc: listEmails(cc),
      bcc: listEmails(bcc),
      replyTo: typeof replyTo === 'string' ? [replyTo] : [],
      subject: String(body['subject']),
      text: text('text/plain') ?? '',
      html: text('text/html') ?? '',
      headers: (body['headers'] ?? {}) as Record<string, string>,
      attachments: records('attachments').map(toFile),
    },
  };
}

const toFile = createFileReader({
  fileName: 'filename',
  content: 'content',
  contentType: 'type',
  contentId: 'content_id',
});
