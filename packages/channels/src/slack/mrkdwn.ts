import { escapeAngle, isBlank, type Template } from '@belfry/shared';
import { findPrintContexts, type Scanner } from '../print-contexts';
import type { Escape } from '../rendering';
import { classifyPrefix, isLinkPart, isLinkStart } from '../safe-url';

/** Where a value is in Slack markup: in text, or in the address of the author's link. */
type MrkdwnContext = 'text' | 'link' | 'link_start' | 'link_part';

type MrkdwnState = {
  mode: 'text' | 'link' | 'label';
  /** The link's address so far, as far as it matters for the scheme. */
  literal: string;
  hasPrinted: boolean;
};

/** Escapes values for Slack markup, so that none can mention, link or end a link. */
export function createMrkdwnEscape(template: Template): Escape {
  const contexts = findPrintContexts(template, scanner);
  return function escapeForPlace(value, { id }) {
    const context = contexts.get(id);
    if (context === undefined || context === 'text') return escapeAngle(value);
    if (context !== 'link' && isBlank(value)) return '';
    return fits(value, context) ? encodeLink(value) : harmlessLink;
  };
}

function fits(value: string, context: MrkdwnContext): boolean {
  if (context === 'link_start') return isLinkStart(value);
  return context !== 'link_part' || isPart(value);
}

const harmlessLink = 'about:blank';

/** Whether a link's address is empty or only a scheme. */
export function isEmptyAddress(address: string): boolean {
  return isBlank(address.replace(/^(?:https?:\/\/|mailto:|tel:)/i, ''));
}

/**
 * Keeps only the label of a link whose address is empty, and removes a mention without an ID: Slack
 * would show their characters.
 */
export function dropEmptyLinks(rendered: string): string {
  return rendered.replace(/<(?:https?:\/\/|mailto:|tel:|[@#])?(?:\|([^<>]*))?>/gi, '$1');
}

const startOfText: MrkdwnState = { mode: 'text', literal: '', hasPrinted: false };

const scanner: Scanner<MrkdwnState, MrkdwnContext> = {
  start: startOfText,
  read(state, text) {
    let current = state;
    let at = 0;
    while (at < text.length) {
      const end = ends[current.mode];
      end.lastIndex = at;
      const next = end.exec(text)?.index ?? text.length;
      if (current.mode === 'link' && next > at) {
        const literal = (current.literal + text.slice(at, next)).slice(0, maxLiteralCharacters);
        current = { ...current, literal };
      }
      if (next < text.length) current = step(current, text.charAt(next));
      at = next + 1;
    }
    return current;
  },
  print(state) {
    if (state.mode !== 'link') return { context: 'text', state };
    return { context: getLinkContext(state), state: { ...state, hasPrinted: true } };
  },
  join(left, right) {
    if (left.mode !== right.mode) return undefined;
    const isSame = left.literal === right.literal && left.hasPrinted === right.hasPrinted;
    return isSame ? left : { ...left, literal: '', hasPrinted: true };
  },
};

const maxLiteralCharacters = 64;

/** The characters that end each mode. The text before them is read at once. */
const ends: Record<MrkdwnState['mode'], RegExp> = { text: /</g, link: /[>|]/g, label: />/g };

function step({ mode }: MrkdwnState, character: string): MrkdwnState {
  if (mode === 'text') return { ...startOfText, mode: 'link' };
  return character === '|' ? { ...startOfText, mode: 'label' } : startOfText;
}

/** `<@`, `<#` and `<!` are the author's mentions, with a value for the ID. */
function getLinkContext({ literal, hasPrinted }: MrkdwnState): MrkdwnContext {
  if (/^[@#!]/.test(literal)) return 'link';
  const prefix = classifyPrefix(literal);
  if (prefix === 'undecided') return 'link_part';
  if (prefix === 'empty') return hasPrinted ? 'link_part' : 'link_start';
  return 'link';
}

/** The value may become the link's start, where these characters would make it a mention. */
function isPart(value: string): boolean {
  return isLinkPart(value) && !/^\s*[@#!]/.test(value);
}

/** Encodes characters that end a link or its address. `&` stays, because a query needs it. */
function encodeLink(value: string): string {
  return value.replace(/[<>|\s]/g, (character) => encodeURIComponent(character));
}
