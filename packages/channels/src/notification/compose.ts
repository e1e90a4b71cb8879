import { escapeNothing, isBlank, type Json, type Template, TemplateError } from '@belfry/shared';
import { createParseField, type Escape, type Field, listPaths, type Rendering } from '../rendering';
import { isAppLink, isPictureLink } from '../safe-url';
import type { NotificationContent, NotificationOverride, NotificationTemplate } from './template';

export type CompiledNotification = {
  paths: string[];
  /** The content. Failures that do not depend on the provider are recorded on the rendering. */
  compose(own: NotificationOverride | undefined, rendering: Rendering): NotificationContent;
};

/** Compiles a notification template for any provider. */
export function compileNotification(
  template: NotificationTemplate,
  language?: string,
): CompiledNotification {
  const parseField = createParseField(language);
  const plainField = (name: string, source: string | undefined) =>
    source ? parseField(name, source, () => escapeNothing) : undefined;
  // The author's own scheme is checked on save, a value's on rendering.
  const linkField = (name: LinkName, source: string | undefined) =>
    source ? parseField(name, source, (parsed) => createLinkEscape(name, parsed)) : undefined;
  const fields: NotificationFields = {
    title: plainField('title', template.title),
    body: plainField('body', template.body),
    image: linkField('image', template.image),
    click_action: linkField('click_action', template.click_action),
    data: Object.entries(template.data ?? {}).map(
      ([key, source]) => [key, plainField(`data.${key}`, source)] as const,
    ),
  };
  const { title, body, image, click_action, data } = fields;
  return {
    paths: listPaths([title, body, image, click_action, ...data.map(([, field]) => field)]),
    compose: (own = {}, rendering) => composeNotification(fields, own, rendering),
  };
}

type NotificationFields = Record<'title' | 'body' | LinkName, Field | undefined> & {
  data: (readonly [key: string, field: Field | undefined])[];
};

type LinkName = 'image' | 'click_action';

/**
 * The escape function of a link field. Throws TemplateError for a forbidden scheme in the template.
 */
function createLinkEscape(name: LinkName, template: Template): Escape {
  const literal = getLiteralStart(template);
  const isDecided = /^[^:/?#]*:/.test(literal);
  if (isDecided && !linkRules[name](literal)) {
    throw new TemplateError(refusals[name], { line: 1, column: 1 });
  }
  return escapeNothing;
}

function getLiteralStart({ nodes: [first] }: Template): string {
  return first?.kind === 'text' ? first.text : '';
}

const refusals: Record<LinkName, string> = {
  image: 'The image must be an http or https URL',
  click_action: 'The link must not use the scheme javascript, data, vbscript, file or blob',
};

function composeNotification(
  fields: NotificationFields,
  own: NotificationOverride,
  rendering: Rendering,
): NotificationContent {
  return {
    title: readShown(toOneLine(pick(own.title, fields.title, rendering))),
    body: readShown(clean(pick(own.body, fields.body, rendering))),
    ...composeLink('image', pick(own.image, fields.image, rendering), rendering),
    ...composeLink(
      'click_action',
      pick(own.click_action, fields.click_action, rendering),
      rendering,
    ),
    data: composeData(own.data, fields.data, rendering),
  };
}

/** Replaces blank text by an empty string. */
function readShown(text: string): string {
  return isBlank(text) ? '' : text;
}

/** The override's text as is, or else the rendered template. */
function pick(own: string | undefined, field: Field | undefined, rendering: Rendering): string {
  return own !== undefined && !isBlank(own) ? own : rendering.text(field);
}

const linkRules: Record<LinkName, (link: string) => boolean> = {
  image: isPictureLink,
  click_action: isAppLink,
};

function composeLink(
  name: LinkName,
  text: string,
  rendering: Rendering,
): { [link in LinkName]?: string } {
  const link = text.replace(controlCharacters, '').trim();
  if (link === '') return {};
  if (!linkRules[name](link)) rendering.fail('rejected_content', `${refusals[name]}.`);
  return { [name]: link };
}

/**
 * Data from the call replaces the template's data completely; an empty object is ignored. Null and
 * empty values are left out.
 */
function composeData(
  own: NotificationContent['data'] | undefined,
  fields: NotificationFields['data'],
  rendering: Rendering,
): NotificationContent['data'] {
  if (own && Object.keys(own).length > 0) {
    return Object.fromEntries(Object.entries(own).filter(([, value]) => value !== null));
  }
  const rendered = fields.map(([key, field]): [string, Json] => [
    key,
    clean(rendering.text(field)),
  ]);
  return Object.fromEntries(rendered.filter(([, text]) => text !== ''));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters.
const controlCharacters = /[\u0000-\u001f\u007f]+/g;

function toOneLine(text: string): string {
  return text.replace(controlCharacters, ' ').trim();
}

function clean(text: string): string {
  return text.replaceAll('\0', '');
}
