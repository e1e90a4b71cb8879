import {
  escapeAngle,
  escapeHtml,
  getPlace,
  type Template,
  TemplateError,
  type TextNode,
} from '@belfry/shared';
import { findPrintContexts, type PrintNode, type Scanner } from '../print-contexts';
import type { Escape } from '../rendering';
import { classifyPrefix, isLinkPart, isLinkStart } from '../safe-url';
import { parseTag } from './tags';

/** Where a value is: in text, or in the address of a link. */
type MarkupContext = 'text' | 'link' | 'link_start' | 'link_part';

type MarkupState = {
  /** The open tags, outermost first, each with its offset in the source. */
  open: readonly { name: string; from: number }[];
  /** The text since `<`, inside a tag. */
  tag: string | undefined;
  tagFrom: number;
  /** The open quote in the tag, and where in `tag` its value starts. */
  quote: string;
  valueFrom: number;
  /** Whether the quote encloses a link's address. */
  isLink: boolean;
  /** The address so far, as far as it matters for its scheme. */
  literal: string;
  hasPrinted: boolean;
};

/**
 * Checks the template's own markup, because Telegram refuses the whole message for one wrong tag,
 * and assigns the context of every value. Throws TemplateError.
 */
export function createTelegramEscape(template: Template): Escape {
  const contexts = findPrintContexts(template, createScanner(template.source));
  return function escapeForPlace(value, { id }) {
    const context = contexts.get(id);
    if (context === undefined || context === 'text') return escapeAngle(value);
    if (context === 'link_start' && !isLinkStart(value)) return harmlessLink;
    if (context === 'link_part' && !isLinkPart(value)) return harmlessLink;
    return escapeHtml(value);
  };
}

/** Each tag copies the list of open tags. */
const maxOpenTags = 64;
/** Blocks inside a link copy the tag's text so far. */
const maxTagCharacters = 8_192;
const maxLiteralCharacters = 64;

/**
 * Telegram shows the text of this link without a link. With an empty address, it would use the text
 * as the address.
 */
export const harmlessLink = '#';

const start: MarkupState = {
  open: [],
  tag: undefined,
  tagFrom: 0,
  quote: '',
  valueFrom: 0,
  isLink: false,
  literal: '',
  hasPrinted: false,
};

function createScanner(source: string): Scanner<MarkupState, MarkupContext> {
  const findOffset = createFindOffset(source);
  const fail = (from: number, message: string) =>
    new TemplateError(message, getPlace(source, from));

  function step(state: MarkupState, character: string, from: number): MarkupState {
    if (state.tag === undefined) {
      return character === '<' ? { ...start, open: state.open, tag: '', tagFrom: from } : state;
    }
    if (state.quote === '' && character === '>') return finishTag(state, state.tag);
    if (state.tag.length >= maxTagCharacters) {
      throw fail(state.tagFrom, `A tag must have at most ${maxTagCharacters} characters.`);
    }
    return growTag(state, state.tag + character, character);
  }

  function finishTag({ open, tagFrom }: MarkupState, tagText: string): MarkupState {
    const tag = parseTag(tagText);
    if ('problem' in tag) throw fail(tagFrom, tag.problem);
    const { name, kind } = tag;
    if (kind === 'void') return { ...start, open };
    return {
      ...start,
      open: kind === 'start' ? openTag(open, name, tagFrom) : closeTag(open, name, tagFrom),
    };
  }

  function openTag(open: MarkupState['open'], name: string, from: number): MarkupState['open'] {
    if (open.length < maxOpenTags) return [...open, { name, from }];
    throw fail(
      from,
      `Tags must be nested at most ${maxOpenTags} deep: close one before <${name}>.`,
    );
  }

  function closeTag(open: MarkupState['open'], name: string, from: number): MarkupState['open'] {
    const last = open.at(-1);
    if (last?.name === name) return open.slice(0, -1);
    const expected = last ? `close <${last.name}> first` : 'no tag is open';
    throw fail(from, `</${name}> closes the wrong tag: ${expected}.`);
  }

  return {
    start,
    read(state, text, node) {
      const toOffset = findOffset(node);
      let current = state;
      for (let index = 0; index < text.length; index += 1) {
        current = step(current, text.charAt(index), toOffset(index));
      }
      return current;
    },
    print,
    join,
    end({ open, tag, tagFrom }) {
      const unclosed = open.at(-1);
      if (tag !== undefined) throw fail(tagFrom, 'A < that starts no tag must be written as &lt;.');
      if (unclosed) throw fail(unclosed.from, `<${unclosed.name}> is never closed.`);
    },
  };
}

/**
 * The source offset of each character of a node's text, or the node's start when a comment splits
 * it.
 */
function createFindOffset(source: string): (node: TextNode) => (index: number) => number {
  const lineStarts = [0];
  for (const { index, 0: ending } of source.matchAll(/\r\n?|\n/g)) {
    lineStarts.push(index + ending.length);
  }
  return function findOffset({ text, line, column }) {
    const from = (lineStarts[line - 1] ?? 0) + column - 1;
    // The line end after a block on a line of its own is removed, and all white space next to a ~.
    const starts = [/[ \t]*\r?\n?/y, /\s*/y].map((blank) => {
      blank.lastIndex = from;
      return from + (blank.exec(source)?.[0].length ?? 0);
    });
    const matchedStart = [from, ...starts].find((start) => source.startsWith(text, start));
    return (index) => (matchedStart === undefined ? from : matchedStart + index);
  };
}

function growTag(state: MarkupState, tag: string, character: string): MarkupState {
  if (state.quote === character) return { ...state, tag, quote: '', isLink: false };
  if (state.quote !== '') {
    const isLong = state.literal.length >= maxLiteralCharacters;
    return { ...state, tag, literal: isLong ? state.literal : state.literal + character };
  }
  if (character !== '"' && character !== "'") return { ...state, tag };
  const isLink = /^a\s+href\s*=\s*.$/i.test(tag);
  const value = { valueFrom: tag.length, literal: '', hasPrinted: false };
  return { ...state, tag, quote: character, isLink, ...value };
}

/** Replaces a value inside a tag: no template can contain this character. */
const printed = '\uFFFF';

function print(
  state: MarkupState,
  node: PrintNode,
): { context: MarkupContext; state: MarkupState } {
  if (state.tag === undefined) return { context: 'text', state };
  if (!state.isLink) {
    throw new TemplateError(
      'A value can be in text and in the quoted href of an <a>, and nowhere else in a tag.',
      { line: node.line, column: node.column },
    );
  }
  const context = getLinkContext(state, node);
  return { context, state: { ...state, tag: state.tag + printed, hasPrinted: true } };
}

/** Only the author may write links into Telegram: such a link in a value could mention a person. */
function getLinkContext(
  { literal, hasPrinted }: MarkupState,
  { line, column }: PrintNode,
): MarkupContext {
  if (!hasPrinted && /^\s*tg:/i.test(literal)) return 'link';
  const prefix = classifyPrefix(literal);
  if (prefix === 'refused') {
    throw new TemplateError(
      'A value cannot be in a link that is not http, https, tg, mailto or tel.',
      { line, column },
    );
  }
  if (prefix === 'decided') return 'link';
  return prefix === 'empty' && !hasPrinted ? 'link_start' : 'link_part';
}

function join(left: MarkupState, right: MarkupState): MarkupState | undefined {
  const areOpen = left.open.length === right.open.length;
  if (!areOpen || left.open.some(({ name }, index) => name !== right.open[index]?.name)) {
    return undefined;
  }
  if (left.tag === right.tag && left.quote === right.quote) return left;
  const isSameLink = left.isLink && right.isLink && left.quote === right.quote;
  if (!isSameLink || left.tag === undefined) return undefined;
  // The branches wrote different text, so the link's scheme is still open.
  const tag = left.tag.slice(0, left.valueFrom) + printed;
  return { ...left, tag, literal: '', hasPrinted: true };
}
