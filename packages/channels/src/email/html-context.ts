import { escapeHtml, type Template, TemplateError } from '@belfry/shared';
import { findPrintContexts, type PrintNode, type Scanner } from '../print-contexts';
import type { Escape } from '../rendering';
import { classifyPrefix, isLinkPart, isLinkStart } from '../safe-url';
import { type HtmlState, htmlStart, type Mode, readHtml } from './html-scanner';

/**
 * The HTML context of a value: text, where triple braces print raw; text or a quoted attribute
 * where nothing prints raw; the start of a link; or a link whose scheme is still open.
 */
export type HtmlContext = 'text' | 'attribute' | 'link_start' | 'link_part';

/**
 * Assigns the context of every value in a template, once. Throws TemplateError where no escaping is
 * safe.
 */
export function createHtmlEscape(template: Template): Escape {
  const contexts = findPrintContexts(template, scanner);
  return function escapeForPlace(value, { id, isRaw }) {
    const context = contexts.get(id);
    if (context === 'text' && isRaw) return value;
    if (context === 'link_start' && !isLinkStart(value)) return harmlessLink;
    if (context === 'link_part' && !isLinkPart(value)) return harmlessLink;
    return escapeHtml(value);
  };
}

const harmlessLink = '#';

const scanner: Scanner<HtmlState, HtmlContext> = {
  start: htmlStart,
  read: readHtml,
  join,
  print(state, node) {
    if (state.mode === 'text') return { context: 'text', state };
    if (state.mode === 'raw_text' && literalElements.has(state.tag)) {
      return { context: 'attribute', state };
    }
    if (state.mode === 'quoted_value') {
      return { context: getAttributeContext(state, node), state: { ...state, hasPrinted: true } };
    }
    throw createTemplateError(node, describePlace(state));
  },
};

/** Raw text elements in which entities are decoded, so escaping works. */
const literalElements = new Set(['title', 'textarea']);

const linkAttributes = new Set([
  'href',
  'src',
  'action',
  'formaction',
  'background',
  'poster',
  'cite',
  'data',
  'srcset',
  'xlink:href',
]);

/** Elements whose attributes can become a link or a script. */
const activeElements = new Set(['meta', 'set', 'animate', 'animatetransform', 'animatemotion']);

function getAttributeContext(state: HtmlState, node: PrintNode): HtmlContext {
  const { attribute, tag, literal, hasPrinted } = state;
  if (attribute === 'style') throw createTemplateError(node, 'in a style attribute');
  if (attribute.startsWith('on'))
    throw createTemplateError(node, `in ${attribute}, which runs as a script`);
  if (attribute === 'srcdoc')
    throw createTemplateError(node, 'in srcdoc, which is a document of its own');
  if (activeElements.has(tag)) throw createTemplateError(node, `in an attribute of <${tag}>`);
  if (attribute.startsWith(unknownName)) {
    throw createTemplateError(node, 'in an attribute whose name depends on a block');
  }
  if (!linkAttributes.has(attribute)) return 'attribute';
  const prefix = classifyPrefix(literal);
  if (prefix === 'refused') {
    throw createTemplateError(node, 'in a link that is not http, https, mailto or tel');
  }
  if (prefix === 'decided') return 'attribute';
  return prefix === 'empty' && !hasPrinted ? 'link_start' : 'link_part';
}

const places: Partial<Record<Mode, string>> = {
  tag_open: 'in a tag name',
  end_tag_open: 'in a tag name',
  tag_name: 'in a tag name',
  in_tag: 'in an attribute name',
  attribute_name: 'in an attribute name',
  after_attribute_name: 'in an attribute name',
  before_value: 'in an unquoted attribute: put quotes around it',
  unquoted_value: 'in an unquoted attribute: put quotes around it',
  comment: 'in a comment',
  declaration: 'in a comment',
  bogus_comment: 'in a comment',
};

function describePlace({ mode, tag }: HtmlState): string {
  return places[mode] ?? `in <${tag}>`;
}

function createTemplateError({ line, column }: PrintNode, place: string): TemplateError {
  return new TemplateError(`A value cannot be ${place}.`, { line, column });
}

/** No attribute name starts with it. */
const unknownName = '?';
const nameModes = new Set<Mode>(['in_tag', 'attribute_name', 'after_attribute_name']);

function join(left: HtmlState, right: HtmlState): HtmlState | undefined {
  if (left.tag !== right.tag || left.isEndTag !== right.isEndTag) return undefined;
  const isSame = left.mode === right.mode && left.attribute === right.attribute;
  if (nameModes.has(left.mode) && nameModes.has(right.mode))
    return isSame ? left : withUnknownName(left);
  return isSame && left.quote === right.quote ? joinValues(left, right) : undefined;
}

/** One branch has started a name that the following text might continue. */
function withUnknownName(state: HtmlState): HtmlState {
  return {
    ...state,
    mode: 'attribute_name',
    attribute: unknownName,
    literal: '',
    hasPrinted: false,
  };
}

/** If the branches wrote different text, the link's scheme is still open. */
function joinValues(left: HtmlState, right: HtmlState): HtmlState {
  const isSame = left.literal === right.literal && left.hasPrinted === right.hasPrinted;
  return isSame ? { ...left, tail: '' } : { ...left, literal: '', hasPrinted: true, tail: '' };
}
