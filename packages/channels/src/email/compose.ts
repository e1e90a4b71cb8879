import { escapeNothing, isBlank, type Template, TemplateError } from '@belfry/shared';
import type { CompiledTemplate, ComposeInput, ComposeResult, MailingList } from '../channel';
import {
  createParseField,
  createRendering,
  type Escape,
  type Field,
  listPaths,
  maxRenderedCharacters,
  type Print,
  type Rendering,
} from '../rendering';
import { findReplyToProblem, parseEmailAddress, uniqueMailboxes } from './address';
import {
  composeAttachments,
  countAttachmentBytes,
  describeTooLarge,
  findContentIdProblem,
  findContentTypeProblem,
  maxMailBytes,
  readContentId,
} from './attachments';
import { convertHtml } from './convert-html';
import { createHeaderEscape, encodeHeaderValue, findLongLine } from './header-value';
import { createHtmlEscape } from './html-context';
import {
  allowedHeaderNames,
  type EmailContent,
  type EmailOverride,
  type EmailTemplate,
} from './template';

export function compileEmail(
  template: EmailTemplate,
  language?: string,
): CompiledTemplate<EmailOverride, EmailContent> {
  const fields = parseFields(template, language);
  return {
    paths: listPaths(listFields(fields)),
    compose: (input) => composeEmail(fields, input),
  };
}

type EmailFields = ReturnType<typeof parseFields>;

function parseFields(template: EmailTemplate, language: string | undefined) {
  const { from, cc = [], bcc = [], attachments = [], headers = {} } = template;
  const parseField = createParseField(language);
  const field = (
    name: string,
    source: string | undefined,
    createEscape: (template: Template) => Escape = () => escapeNothing,
  ) => (source ? parseField(name, source, createEscape) : undefined);
  return {
    subject: field('subject', template.subject),
    html: field('html', template.html, createHtmlEscape),
    text: field('text', template.text),
    fromName: field('from.name', from?.name),
    fromAddress: field('from.address', from?.address),
    replyTo: field('reply_to', template.reply_to),
    cc: cc.map((source, index) => field(`cc[${index}]`, source)),
    bcc: bcc.map((source, index) => field(`bcc[${index}]`, source)),
    attachments: attachments.map((attachment, index) => ({
      fileName: field(`attachments[${index}].file_name`, attachment.file_name),
      content: field(`attachments[${index}].content`, attachment.content),
      contentType: checkLiteral(
        field(`attachments[${index}].content_type`, attachment.content_type),
        findContentTypeProblem,
      ),
      contentId: checkLiteral(
        field(`attachments[${index}].content_id`, attachment.content_id),
        (text) => findContentIdProblem(readContentId(text)),
      ),
      disposition: attachment.disposition,
    })),
    headers: allowedHeaderNames.map((name) => ({
      name,
      value: checkHeader(name, field(`headers.${name}`, headers[name], createHeaderEscape)),
    })),
  };
}

/** Checks a field without placeholders, so that a mistake in it is refused on save. */
function checkLiteral(
  field: Field | undefined,
  findProblem: (text: string) => string | undefined,
): Field | undefined {
  const nodes = field?.template.nodes ?? [];
  const [node] = nodes;
  return field && node && nodes.length === 1 ? checkNode(field, node, findProblem) : field;
}

/** A value can only make a long word longer. */
function checkHeader(
  name: (typeof allowedHeaderNames)[number],
  field: Field | undefined,
): Field | undefined {
  if (!field) return undefined;
  for (const node of field.template.nodes) {
    checkNode(field, node, (text) => findLongLine(name, encodeHeaderValue(text)));
  }
  return checkLiteral(field, (text) => findHeaderProblem(name, text));
}

function checkNode(
  field: Field,
  node: Template['nodes'][number],
  findProblem: (text: string) => string | undefined,
): Field {
  const problem = node.kind === 'text' ? findProblem(flatten(node.text)) : undefined;
  if (problem) throw new TemplateError(`${field.name} ${problem}.`, node);
  return field;
}

function listFields(fields: EmailFields): (Field | undefined)[] {
  return [
    fields.subject,
    fields.html,
    fields.text,
    fields.fromName,
    fields.fromAddress,
    fields.replyTo,
    ...fields.cc,
    ...fields.bcc,
    ...fields.attachments.flatMap(({ disposition: _, ...texts }) => Object.values(texts)),
    ...fields.headers.map(({ value }) => value),
  ];
}

function composeEmail(
  fields: EmailFields,
  { data, override, missing, list }: ComposeInput<EmailOverride>,
): ComposeResult<EmailContent> {
  const rendering = createRendering(data);
  const content: EmailContent = {
    subject: flatten(pick(override?.message?.subject, fields.subject, rendering)),
    ...composeBody(fields, override?.message, rendering),
    ...composeSender(fields, override, rendering),
    cc: composeCopies('cc', override?.cc, fields.cc, rendering),
    bcc: composeCopies('bcc', override?.bcc, fields.bcc, rendering),
    attachments: composeAttachments(fields.attachments, override?.attachments, rendering),
    headers: withList(composeHeaders(fields, rendering), list),
  };
  checkContent(content, rendering);
  const finished = rendering.finish(missing);
  return 'failed' in finished ? finished : { content, ...finished };
}

/** The override's text as is, or else the rendered template. */
function pick(own: string | undefined, field: Field | undefined, rendering: Rendering): string {
  return own !== undefined && !isBlank(own) ? own : rendering.text(field);
}

function composeBody(
  fields: EmailFields,
  own: EmailOverride['message'],
  rendering: Rendering,
): { html?: string; text?: string } {
  const { html, text: renderedText, prints } = renderBody(fields, own, rendering);
  if (Math.max(html.length, renderedText.length) > maxRenderedCharacters) {
    rendering.fail('too_long', `The text is longer than ${maxRenderedCharacters} characters.`);
    return {};
  }
  const text = isBlank(renderedText) ? convertHtml(html, prints) : renderedText;
  return { ...(isBlank(html) ? {} : { html }), ...(isBlank(text) ? {} : { text }) };
}

/**
 * A body from the call replaces both bodies of the template, so that they cannot contradict each
 * other.
 */
function renderBody(
  fields: EmailFields,
  own: EmailOverride['message'],
  rendering: Rendering,
): { html: string; text: string; prints: Print[] } {
  const [html, text] = [own?.html_body ?? '', own?.text ?? ''];
  if (!isBlank(html) || !isBlank(text)) return { html, text, prints: [] };
  const prints: Print[] = [];
  const rendered = rendering.text(fields.html, maxRenderedCharacters, (print) =>
    prints.push(print),
  );
  // A failed rendering contains no printed values.
  return { html: rendered, text: rendering.text(fields.text), prints: rendered ? prints : [] };
}

function composeSender(
  fields: EmailFields,
  override: EmailOverride | undefined,
  rendering: Rendering,
): Pick<EmailContent, 'from' | 'replyTo'> {
  const name = flatten(pick(override?.from?.name, fields.fromName, rendering));
  const address = parseAddress(
    'from',
    pick(override?.from?.address, fields.fromAddress, rendering),
    rendering,
  );
  const replyTo = parseAddress(
    'reply_to',
    pick(override?.reply_to, fields.replyTo, rendering),
    rendering,
  );
  const problem = replyTo && findReplyToProblem(replyTo);
  if (problem) rendering.fail('rejected_content', `reply_to: "${replyTo}" ${problem}.`);
  const from = { ...(name ? { name } : {}), ...(address ? { address } : {}) };
  return { ...(name || address ? { from } : {}), ...(replyTo ? { replyTo } : {}) };
}

function composeCopies(
  name: string,
  own: EmailOverride['cc'],
  fields: (Field | undefined)[],
  rendering: Rendering,
): string[] {
  const ownCopies = (own ?? [])
    .map((copy) => (typeof copy === 'string' ? copy : (copy.address ?? '')))
    .filter((text) => text.trim() !== '');
  const texts = ownCopies.length > 0 ? ownCopies : fields.map((field) => rendering.text(field));
  const addresses = texts.map((text) => parseAddress(name, text, rendering));
  return uniqueMailboxes(addresses.filter((address) => address !== undefined));
}

function parseAddress(name: string, text: string, rendering: Rendering): string | undefined {
  if (text.trim() === '') return undefined;
  const parsed = parseEmailAddress(text);
  if ('address' in parsed) return parsed.address;
  rendering.fail('rejected_content', `${name}: "${text}" ${parsed.problem}.`);
  return undefined;
}

/** RFC 3834: vacation programs do not reply. */
const autoSubmitted = 'auto-generated';

function composeHeaders(fields: EmailFields, rendering: Rendering): Record<string, string> {
  const rendered = fields.headers
    .map(({ name, value }) => [name, flatten(rendering.text(value))] as const)
    .filter(([, value]) => value !== '');
  for (const [name, value] of rendered) {
    const problem = findHeaderProblem(name, value);
    if (problem) rendering.fail('rejected_content', `headers.${name} ${problem}.`);
  }
  return { 'Auto-Submitted': autoSubmitted, ...Object.fromEntries(rendered) };
}

/**
 * Adds the headers of a mailing list that the template does not set. One-click unsubscribe is added only to our own link:
 * a template's link may not take the POST. A link that is too long for a line is left out.
 */
function withList(
  headers: Record<string, string>,
  list: MailingList | undefined,
): Record<string, string> {
  if (!list) return headers;
  const link = `<${list.unsubscribeUrl}>`;
  const isOwn = ['List-Unsubscribe', 'List-Unsubscribe-Post'].some((name) => name in headers);
  const isLong = findLongLine('List-Unsubscribe', link) !== undefined;
  return {
    ...(isOwn || isLong
      ? {}
      : { 'List-Unsubscribe': link, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    'List-Id': list.id,
    ...headers,
  };
}

const messageIdPattern = /^<[!#-;=?A-Z^-~]+@[!#-;=?A-Z^-~]+>$/;

/** Why a header cannot be sent as it is, if it cannot. */
function findHeaderProblem(name: string, value: string): string | undefined {
  if (name === 'Message-ID' && value !== '' && !messageIdPattern.test(value)) {
    return 'must be one ASCII ID, such as <id@domain>';
  }
  return findLongLine(name, encodeHeaderValue(value));
}

/** A header is one line. */
function flatten(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
  return text.replace(/[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g, ' ').trim();
}

function checkContent(content: EmailContent, rendering: Rendering): void {
  const { subject, html = '', text = '', attachments } = content;
  if (isBlank(subject)) rendering.fail('empty_content', 'The subject is empty.');
  if (text === '' && !/<img\b/i.test(html)) {
    rendering.fail('empty_content', 'Text and HTML are both empty.');
  }
  const bytes =
    Buffer.byteLength(html) + Buffer.byteLength(text) + countAttachmentBytes(attachments);
  if (bytes > maxMailBytes) rendering.fail('too_long', describeTooLarge(bytes));
}
