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

/** RFC 5322: a line has at most 998 octets, and should have at most 78. */
export const maxLineBytes = 998;
const foldAtBytes = 78;

/** A header as it is written, folded before spaces so that its lines have at most 78 octets where they can. */
export function foldHeader(name: string, value: string): string {
  const lines: string[] = [];
  let line = `${name}:`;
  for (const word of ` ${value}`.split(/(?<=[^ ])(?= )/)) {
    if (Buffer.byteLength(line) + Buffer.byteLength(word) <= foldAtBytes) {
      line += word;
    } else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].join('\r\n');
}

/** Why a header cannot be written, if it cannot: somewhere it has no space to be folded at. */
export function findLongLine(name: string, value: string): string | undefined {
  const lines = foldHeader(name, value).split('\r\n');
  const longLine = lines.find((line) => Buffer.byteLength(line) > maxLineBytes)?.trim();
  if (longLine === undefined) return undefined;
  const bytes = Buffer.byteLength(longLine);
  return `has ${bytes} octets without a space ("${longLine.slice(0, 40)}…"), and a line of a mail has at most ${maxLineBytes}: shorten it`;
}

/**
 * A template's header in ASCII. Between < and > nothing becomes an encoded word, since readers take an ID or a URL from
 * there as it is: what is not ASCII is percent-encoded. No value that is given here has line breaks.
 */
export function encodeHeaderValue(value: string): string {
  return value
    .toWellFormed()
    .split(/(<[^<>]*>)/)
    .map((part) => (isAngle(part) ? encodeAngle(part) : encodeText(part)))
    .join('');
}

/** Text of a header that any program shows, such as a subject: encoded where it would not survive as it is. */
export function encodeSubject(subject: string): string {
  return isFoldable(subject) ? encodeText(subject) : encodeWords(subject);
}

/** A display name before an address. */
export function encodeDisplayName(name: string): string {
  if (!isAscii(name) || !isFoldable(name)) return encodeWords(name);
  return /^[\w ]*$/.test(name) ? name : quote(name);
}

/** A parameter of a MIME header, as RFC 2231 has it where a quoted text would not do. */
export function encodeParameter(name: string, value: string): string {
  if (isAscii(value) && value.length <= maxParameterCharacters && !/["\\]|=\?/.test(value)) {
    return `${name}="${value}"`;
  }
  const sections = [''];
  for (const character of value.toWellFormed()) {
    const encoded = percentEncode(character);
    if (`${sections.at(-1)}${encoded}`.length > maxParameterCharacters) sections.push(encoded);
    else sections[sections.length - 1] += encoded;
  }
  const isOne = sections.length === 1;
  return sections
    .map((section, n) => `${name}${isOne ? '' : `*${n}`}*=${n === 0 ? "utf-8''" : ''}${section}`)
    .join('; ');
}

/** The old parameter `name`, which many programs read first, as they read it: with encoded words in quotes. */
export function encodeNameParameter(value: string): string {
  const isSimple = isAscii(value) && value.length <= maxParameterCharacters;
  return `name=${isSimple && !value.includes('=?') ? quote(value) : `"${encodeWords(value)}"`}`;
}

const maxParameterCharacters = 50;

function percentEncode(character: string): string {
  return encodeURIComponent(character).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

export function isAscii(text: string): boolean {
  return /^[\u0020-\u007e]*$/.test(text);
}

/** Whether a text fits into a line, or can be folded at its spaces. Some readers lose a space when several in a row are folded. */
function isFoldable(text: string): boolean {
  if (text.length <= maxWordCharacters) return true;
  return !text.includes('  ') && text.split(' ').every((word) => word.length <= maxWordCharacters);
}

const maxWordCharacters = 60;

function encodeText(part: string): string {
  // A mail program would decode text that looks like an encoded word.
  return isAscii(part) && !part.includes('=?') ? part : encodeWords(part);
}

function isAngle(part: string): boolean {
  return part.startsWith('<') && part.endsWith('>');
}

function encodeAngle(part: string): string {
  return part.replace(/[^\u0020-\u007e]+/gu, encodeURIComponent);
}

/** An encoded word of 52 characters: it fits into a line of 78 beside the longest name of a header. */
const maxWordBytes = 30;

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
