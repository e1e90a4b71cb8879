import { escapeHtml, type Template, TemplateError } from '@belfry/shared';
import { findPrintContexts, type PrintNode, type Scanner } from '../print-contexts';
import type { Escape } from '../rendering';
import { classifyPrefix, isLinkPart, isLinkStart } from '../safe-url';
import { type HtmlState, htmlStart, type Mode, readHtml } from './html-scanner';

/**
 * Where a value stands in HTML: in text, where triple braces print raw; in text or a quoted attribute
 * where nothing prints raw; at the start of a link; in a link whose scheme may still be open.
 */
export type HtmlContext = 'text' | 'attribute' | 'link_start' | 'link_part';

/** Binds every value of a template to its place, once; throws TemplateError where no escaping would be safe. */
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

/** Raw text in which entities are read, so that escaping works. */
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

/** Elements whose attributes can become a link or a script by a way of their own. */
const activeElements = new Set(['meta', 'set', 'animate', 'animatetransform', 'animatemotion']);

function getAttributeContext(state: HtmlState, node: PrintNode): HtmlContext {
  const { attribute, tag, literal, hasPrinted } = state;
  if (attribute === 'style') throw createTemplateError(node, 'in a style attribute');
  if (attribute.startsWith('on'))
    throw createTemplateError(node, `in ${attribute}, which runs as a script`);
  if (attribute === 'srcdoc')
    throw createTemplateError(node, 'in srcdoc, which is read as a page of its own');
  if (activeElements.has(tag)) throw createTemplateError(node, `in an attribute of <${tag}>`);
  if (attribute.startsWith(unsureName)) {
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
  tag_open: 'in the name of a tag',
  end_tag_open: 'in the name of a tag',
  tag_name: 'in the name of a tag',
  in_tag: 'in the name of an attribute',
  attribute_name: 'in the name of an attribute',
  after_attribute_name: 'in the name of an attribute',
  before_value: 'in an attribute without quotes: put quotes around it',
  unquoted_value: 'in an attribute without quotes: put quotes around it',
  comment: 'in a comment',
  declaration: 'in a comment',
  bogus_comment: 'in a comment',
};

function describePlace({ mode, tag }: HtmlState): string {
  return places[mode] ?? `in <${tag}>`;
}

function createTemplateError({ line, column }: PrintNode, place: string): TemplateError {
  return new TemplateError(`A value cannot stand ${place}.`, { line, column });
}

/** No attribute's name begins with it. */
const unsureName = '?';
const nameModes = new Set<Mode>(['in_tag', 'attribute_name', 'after_attribute_name']);

function join(left: HtmlState, right: HtmlState): HtmlState | undefined {
  if (left.tag !== right.tag || left.isEndTag !== right.isEndTag) return undefined;
  const isSame = left.mode === right.mode && left.attribute === right.attribute;
  if (nameModes.has(left.mode) && nameModes.has(right.mode)) return isSame ? left : unsure(left);
  return isSame && left.quote === right.quote ? joinValues(left, right) : undefined;
}

/** A name that one way of the block has begun: what follows it might belong to it. */
function unsure(state: HtmlState): HtmlState {
  return {
    ...state,
    mode: 'attribute_name',
    attribute: unsureName,
    literal: '',
    hasPrinted: false,
  };
}

/** Where the ways differ in what they wrote, the link's scheme counts as open. */
function joinValues(left: HtmlState, right: HtmlState): HtmlState {
  const isSame = left.literal === right.literal && left.hasPrinted === right.hasPrinted;
  return isSame ? { ...left, tail: '' } : { ...left, literal: '', hasPrinted: true, tail: '' };
}
