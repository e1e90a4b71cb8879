import { escapeNothing, isBlank } from '@belfry/shared';
import { checkSize, type Field, type ParseField, type Rendering } from '../rendering';
import { type BodyPart, checkBody, parseBody, readBody } from './approved-body';
import {
  type ApprovedTemplate,
  type Button,
  type ButtonKind,
  type Header,
  type HeaderKind,
  type Parameter,
  type TemplateContent,
  whatsappLimits,
} from './template';
import { createTemplateError } from './template-error';

/** A template approved by Meta, with its values still missing. */
export type ApprovedFields = {
  names: Pick<TemplateContent, 'name' | 'language' | 'contentSid'>;
  body: BodyPart[] | undefined;
  parameters: { name: string | undefined; value: Field }[];
  header: HeaderField | undefined;
  buttons: { index: number; kind: ButtonKind; value: Field }[];
};

type HeaderField = {
  kind: HeaderKind;
  name: string | undefined;
  value: Field;
  fileName: Field | undefined;
};

/** Throws TemplateError for a template that no provider could send. An empty form is ignored. */
export function parseApproved(
  template: ApprovedTemplate,
  parseField: ParseField,
): ApprovedFields | undefined {
  if (isEmptyForm(template)) return undefined;
  const { parameters = [], header, buttons = [] } = template;
  const plainField = (name: string, source: string) =>
    parseField(name, source, () => escapeNothing);
  const names = readNames(template);
  const body = template.body && !isBlank(template.body) ? parseBody(template.body) : undefined;
  checkParameters(parameters.map(({ name }) => name || undefined));
  // With Twilio alone, the variables of header and buttons come after those of the text.
  if (body) checkBody(body, parameters, { mayHaveMore: !template.name });
  checkButtons(buttons);
  return {
    names,
    body,
    parameters: parameters.map(({ name, value }, index) => ({
      name: name || undefined,
      value: plainField(`template.parameters[${index}]`, value),
    })),
    header: header && readHeader(header, plainField),
    buttons: buttons.map((button, place) => readButton(button, place, plainField)),
  };
}

export function listApprovedFields({ parameters, header, buttons }: ApprovedFields): Field[] {
  return [
    ...parameters.map(({ value }) => value),
    ...(header ? [header.value] : []),
    ...(header?.fileName ? [header.fileName] : []),
    ...buttons.map(({ value }) => value),
  ];
}

export function composeApproved(fields: ApprovedFields, rendering: Rendering): TemplateContent {
  const parameters = fields.parameters.map((each) => composeParameter(each, rendering));
  const header = fields.header && composeHeader(fields.header, rendering);
  const buttons = fields.buttons.map((each) => composeButton(each, rendering));
  const preview = fields.body && readBody(fields.body, parameters);
  checkLength(
    'template.body',
    preview ?? joinTexts(parameters),
    whatsappLimits.bodyCharacters,
    rendering,
  );
  return {
    kind: 'template',
    ...fields.names,
    parameters,
    ...(header ? { header } : {}),
    buttons,
    ...(preview === undefined ? {} : { preview }),
  };
}

function isEmptyForm({
  name,
  content_sid,
  parameters,
  header,
  buttons,
}: ApprovedTemplate): boolean {
  return !name && !content_sid && !parameters?.length && !header && !buttons?.length;
}

function readNames(template: ApprovedTemplate): ApprovedFields['names'] {
  const { name, language, content_sid: contentSid, header, buttons } = template;
  if (!name && !contentSid)
    throw createTemplateError('template', 'must have a name or a content_sid');
  if (name && !language)
    throw createTemplateError('template.language', 'must be set together with a name');
  if (contentSid && (header || buttons?.length)) {
    throw createTemplateError(
      'template.content_sid',
      'must have the variables of header and buttons as parameters',
    );
  }
  return {
    ...(name && language ? { name, language } : {}),
    ...(contentSid ? { contentSid } : {}),
  };
}

function checkParameters(names: (string | undefined)[]): void {
  const definedNames = names.filter((name) => name !== undefined);
  if (definedNames.length > 0 && definedNames.length < names.length) {
    throw createTemplateError('template.parameters', 'must either all have a name, or none');
  }
  if (new Set(definedNames).size < definedNames.length) {
    throw createTemplateError('template.parameters', 'must not have the same name twice');
  }
}

function checkButtons(buttons: NonNullable<ApprovedTemplate['buttons']>): void {
  if (new Set(buttons.map(({ index }) => index)).size < buttons.length) {
    throw createTemplateError('template.buttons', 'must not have the same position twice');
  }
}

function readHeader(
  header: NonNullable<ApprovedTemplate['header']>,
  plainField: (name: string, source: string) => Field,
): HeaderField {
  const { kind, name, value, file_name: fileName } = header;
  const start = value.trimStart();
  // If a value starts the URL, the URL is checked on rendering.
  if (kind !== 'text' && !start.startsWith('{{') && !/^https:\/\//i.test(start)) {
    throw createTemplateError('template.header', needsHttps);
  }
  return {
    kind,
    name: name || undefined,
    value: plainField('template.header', value),
    fileName:
      fileName && !isBlank(fileName)
        ? plainField('template.header.file_name', fileName)
        : undefined,
  };
}

const needsHttps = 'must be an https URL, which Meta fetches';

type ApprovedButton = NonNullable<ApprovedTemplate['buttons']>[number];

function readButton(
  { index, kind, value }: ApprovedButton,
  place: number,
  plainField: (name: string, source: string) => Field,
): ApprovedFields['buttons'][number] {
  const name = `template.buttons[${place}]`;
  if (isBlank(value))
    throw createTemplateError(name, describeButton({ index, kind }, needsParameter));
  if (kind === 'url' && isWholeUrl(value)) {
    throw createTemplateError(name, describeButton({ index, kind }, takesEndOnly));
  }
  return { index, kind, value: plainField(name, value) };
}

const needsParameter = 'needs a parameter, but it is empty';
const takesEndOnly =
  'must have only the end of the URL that Meta approved, such as orders/7, not a whole URL';

/** Names a button by its position in the approved template. */
function describeButton(
  { index, kind }: Pick<ApprovedButton, 'index' | 'kind'>,
  problem: string,
): string {
  return `the ${kind} button at position ${index} ${problem}`;
}

/** Meta appends the parameter to the approved URL, so a whole URL makes a broken link. */
function isWholeUrl(text: string): boolean {
  return /^\s*(?:https?:)?\/\//i.test(text);
}

function composeParameter(
  { name, value }: ApprovedFields['parameters'][number],
  rendering: Rendering,
): Parameter {
  const text = composeParameterText(value, rendering);
  return { ...(name === undefined ? {} : { name }), text };
}

function composeHeader(header: HeaderField, rendering: Rendering): Header {
  const { kind, name, value, fileName } = header;
  const text = composeParameterText(value, rendering);
  if (kind === 'text') {
    checkLength(value.name, text, whatsappLimits.headerCharacters, rendering);
    return { kind, ...(name === undefined ? {} : { name }), text };
  }
  checkMedia(value.name, text, rendering);
  if (kind !== 'document') return { kind, url: text };
  const documentName = fileName ? collapse(rendering.text(fileName)) : '';
  checkLength(
    'template.header.file_name',
    documentName,
    whatsappLimits.fileNameCharacters,
    rendering,
  );
  return { kind, url: text, ...(documentName ? { fileName: documentName } : {}) };
}

/**
 * Meta fetches the file. If it does not accept the URL, the message fails after it was accepted.
 */
function checkMedia(name: string, url: string, rendering: Rendering): void {
  checkLength(name, url, whatsappLimits.mediaUrlCharacters, rendering);
  if (URL.canParse(url) && /^https:\/\//i.test(url)) return;
  rendering.fail('rejected_content', `${name}: ${needsHttps}.`);
}

const buttonLimits: Record<ButtonKind, number> = {
  url: whatsappLimits.buttonUrlCharacters,
  quick_reply: whatsappLimits.buttonPayloadCharacters,
  copy_code: whatsappLimits.buttonCodeCharacters,
};

function composeButton(
  { index, kind, value }: ApprovedFields['buttons'][number],
  rendering: Rendering,
): Button {
  const parameterText = composeParameterText(
    value,
    rendering,
    describeButton({ index, kind }, needsParameter),
  );
  if (kind === 'url' && isWholeUrl(parameterText)) {
    const problem = describeButton({ index, kind }, takesEndOnly);
    rendering.fail('rejected_content', `${value.name}: ${problem}.`);
  }
  const text = kind === 'url' ? encodeForUrl(parameterText) : parameterText;
  checkLength(value.name, text, buttonLimits[kind], rendering);
  return { index, kind, text };
}

/**
 * A variable of an approved template is one line. Meta refuses line breaks, tabs, runs of spaces,
 * and empty values.
 */
function composeParameterText(
  field: Field,
  rendering: Rendering,
  problem = 'must not be empty in an approved template',
): string {
  const text = collapse(rendering.text(field));
  if (isBlank(text)) rendering.fail('empty_content', `${field.name}: ${problem}.`);
  return text;
}

function collapse(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

/**
 * Encodes characters that are invalid in a URL. The rest is the caller's, who may pass a path with
 * a query.
 */
function encodeForUrl(text: string): string {
  return text.toWellFormed().replace(/[\s"<>\\^`{|}]|[^\u0020-\u007e]/gu, encodeURIComponent);
}

function joinTexts(parameters: Parameter[]): string {
  return parameters.map(({ text }) => text).join('');
}

function checkLength(name: string, text: string, limit: number, rendering: Rendering): void {
  checkSize({ name, size: text.length, limit }, rendering);
}
