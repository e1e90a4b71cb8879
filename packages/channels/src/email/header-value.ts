import type { Template } from '@belfry/shared';
import { findPrintContexts, type Scanner } from '../print-contexts';
import type { Escape } from '../rendering';

/** Where a value stands in a header: between < and >, where there is an address or a link, or in the text around. */
type HeaderContext = 'text' | 'angle';

/** Keeps a value that stands between < and > from ending there, and from beginning another address or link. */
export function createHeaderEscape(template: Template): Escape {
  const contexts = findPrintContexts(template, scanner);
  return function escapeForPlace(value, { id }) {
    return contexts.get(id) === 'angle' ? encodeInAngle(value) : value;
  };
}

const scanner: Scanner<HeaderContext, HeaderContext> = {
  start: 'text',
  read(state, text) {
    const last = Math.max(text.lastIndexOf('<'), text.lastIndexOf('>'));
    if (last === -1) return state;
    return text.charAt(last) === '<' ? 'angle' : 'text';
  },
  print: (state) => ({ context: state, state }),
  join: (left, right) => (left === right ? left : undefined),
};

/** What neither an id nor a URL may hold. */
function encodeInAngle(value: string): string {
  return value.replace(/[\s"<>,\\]|[^\u0021-\u007e]/gu, encodeURIComponent);
}

/**
 * A header's value in ASCII. What stands between < and > is never encoded, since there readers look for it as it is.
 * No value that is given here has line breaks.
 */
export function encodeHeaderValue(value: string): string {
  return value
    .split(/(<[^<>]*>)/)
    .map((part) => (isPlain(part) || isAngle(part) ? part : encodeWords(part)))
    .join('');
}

/** What looks like an encoded word would be decoded where it is read. */
function isPlain(part: string): boolean {
  return /^[\u0020-\u007e]*$/.test(part) && !part.includes('=?');
}

function isAngle(part: string): boolean {
  return part.startsWith('<') && part.endsWith('>');
}

/** An encoded word may have 75 characters; this many bytes make 60 of base64. */
const maxWordBytes = 45;

function encodeWords(part: string): string {
  const [before = ''] = /^ */.exec(part) ?? [];
  const text = part.slice(before.length).replace(/(?<! ) +$/, '');
  const after = part.slice(before.length + text.length);
  const words = [''];
  for (const character of text) {
    const word = words.at(-1) + character;
    if (Buffer.byteLength(word) > maxWordBytes) words.push(character);
    else words[words.length - 1] = word;
  }
  const encoded = words.map((word) => `=?UTF-8?B?${Buffer.from(word).toString('base64')}?=`);
  return before + encoded.join(' ') + after;
}
