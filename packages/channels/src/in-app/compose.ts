import { escapeNothing, isBlank, type Json, type Template, TemplateError } from '@belfry/shared';
import type { CompiledTemplate, ComposeInput, ComposeResult } from '../channel';
import {
  checkFixedText,
  checkSize,
  createParseField,
  createRendering,
  type Escape,
  type Field,
  listPaths,
  type Rendering,
} from '../rendering';
import { isWebLink } from '../safe-url';
import { type InAppContent, type InAppOverride, type InAppTemplate, inAppLimits } from './template';

export function compileInApp(
  template: InAppTemplate,
  language?: string,
): CompiledTemplate<InAppOverride, InAppContent> {
  const parseField = createParseField(language);
  const plainField = (name: string, source: string | undefined) =>
    source ? parseField(name, source, () => escapeNothing) : undefined;
  // The author's own scheme is checked on save, a value's on rendering.
  const linkField = (name: LinkName, source: string | undefined) =>
    source ? parseField(name, source, createLinkEscape) : undefined;
  const fields: InAppFields = {
    title: plainField('title', template.title),
    body: plainField('body', template.body),
    click_action: linkField('click_action', template.click_action),
    image: linkField('image', template.image),
    data: Object.entries(template.data ?? {}).map(
      ([key, source]) => [key, plainField(`data.${key}`, source)] as const,
    ),
  };
  const { title, body, click_action, image, data } = fields;
  checkFixedText((rendering) => composeContent(fields, {}, rendering));
  return {
    paths: listPaths([title, body, click_action, image, ...data.map(([, field]) => field)]),
    compose: (input) => composeInApp(fields, input),
  };
}

type InAppFields = Record<'title' | 'body' | LinkName, Field | undefined> & {
  data: (readonly [key: string, field: Field | undefined])[];
};

type LinkName = 'click_action' | 'image';

/**
 * The escape function of a link field. Throws TemplateError for a forbidden scheme in the template.
 */
function createLinkEscape(template: Template): Escape {
  if (!isWebLink(getLiteralStart(template))) {
    throw new TemplateError('The link must be an http, https or relative URL', {
      line: 1,
      column: 1,
    });
  }
  return escapeNothing;
}

function getLiteralStart({ nodes: [first] }: Template): string {
  return first?.kind === 'text' ? first.text : '';
}

function composeInApp(
  fields: InAppFields,
  { data, override, missing }: ComposeInput<InAppOverride>,
): ComposeResult<InAppContent> {
  const rendering = createRendering(data);
  const content = composeContent(fields, override?.message ?? {}, rendering);
  const finished = rendering.finish(missing);
  return 'failed' in finished ? finished : { content, ...finished };
}

function composeContent(
  fields: InAppFields,
  own: NonNullable<InAppOverride['message']>,
  rendering: Rendering,
): InAppContent {
  const content: InAppContent = {
    title: readShown(toOneLine(pick(own.title, fields.title, rendering))),
    body: readShown(clean(pick(own.body, fields.body, rendering))),
    ...composeLink(
      'click_action',
      { own: own.click_action, field: fields.click_action },
      rendering,
    ),
    ...composeLink('image', { own: own.image, field: fields.image }, rendering),
    data: composeData(own.data, fields.data, rendering),
  };
  check(content, rendering);
  return content;
}

/** Replaces blank text by an empty string. */
function readShown(text: string): string {
  return isBlank(text) ? '' : text;
}

/** The override's text as is, or else the rendered template. */
function pick(own: string | undefined, field: Field | undefined, rendering: Rendering): string {
  return own !== undefined && !isBlank(own) ? own : rendering.text(field);
}

function composeLink(
  name: LinkName,
  { own, field }: { own: string | undefined; field: Field | undefined },
  rendering: Rendering,
): { [link in LinkName]?: string } {
  const link = pick(own, field, rendering).replace(controlCharacters, '').trim();
  if (link === '') return {};
  if (!isWebLink(link)) {
    rendering.fail('rejected_content', `${name} must be an http, https or relative URL.`);
  }
  checkSize({ name, size: link.length, limit: inAppLimits.linkCharacters }, rendering);
  return { [name]: link };
}

/** Data from the call replaces the template's data completely; an empty object is ignored. */
function composeData(
  own: InAppContent['data'] | undefined,
  fields: InAppFields['data'],
  rendering: Rendering,
): InAppContent['data'] {
  if (own && Object.keys(own).length > 0) return own;
  const rendered = fields.map(([key, field]): [string, Json] => [
    key,
    clean(rendering.text(field)),
  ]);
  return Object.fromEntries(rendered);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const controlCharacters = /[\u0000-\u001f\u007f]+/g;

function toOneLine(text: string): string {
  return text.replace(controlCharacters, ' ').trim();
}

/** PostgreSQL cannot store U+0000. */
function clean(text: string): string {
  return text.replaceAll('\0', '');
}

function check({ title, body, data }: InAppContent, rendering: Rendering): void {
  const { titleCharacters, bodyCharacters, dataBytes } = inAppLimits;
  checkSize({ name: 'title', size: title.length, limit: titleCharacters }, rendering);
  checkSize({ name: 'body', size: body.length, limit: bodyCharacters }, rendering);
  const size = Buffer.byteLength(JSON.stringify(data));
  checkSize({ name: 'data', size, limit: dataBytes, unit: 'bytes as JSON' }, rendering);
  if (title === '' && body === '') {
    rendering.fail('empty_content', 'Title and body are both empty.');
  }
}
