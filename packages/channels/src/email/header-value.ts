import type { Template } from '@belfry/shared';
import { findPrintContexts, type Scanner } from '../print-contexts';
import type { Escape } from '../rendering';

/** Where a value is in a header: between < and >, in an address or a link, or in other text. */
type HeaderContext = 'text' | 'angle';

/** Stops a value between < and > from closing the bracket or starting another address or link. */
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

/** Characters that neither an ID nor a URL may contain. */
function encodeInAngle(value: string): string {
  return value.replace(/[\s"<>,\\]|[^\u0021-\u007e]/gu, encodeURIComponent);
}

/** RFC 5322: a line has at most 998 octets, and should have at most 78. */
export const maxLineBytes = 998;
const foldAtBytes = 78;

/** A header as sent, folded before spaces to lines of at most 78 octets where possible. */
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

/** The problem with a header that has a line over the limit and no space to fold it at. */
export function findLongLine(name: string, value: string): string | undefined {
  const lines = foldHeader(name, value).split('\r\n');
  const longLine = lines.find((line) => Buffer.byteLength(line) > maxLineBytes)?.trim();
  if (longLine === undefined) return undefined;
  const bytes = Buffer.byteLength(longLine);
  return `has ${bytes} octets without a space ("${longLine.slice(0, 40)}…"); a mail line has at most ${maxLineBytes}. Shorten it`;
}

/**
 * A template's header in ASCII. Text between < and > is percent-encoded, because readers take an ID
 * or URL from there as is and do not decode encoded words. The input has no line breaks.
 */
export function encodeHeaderValue(value: string): string {
  return value
    .toWellFormed()
    .split(/(<[^<>]*>)/)
    .map((part) => (isAngle(part) ? encodeAngle(part) : encodeText(part)))
    .join('');
}

/**
 * Header text that any program displays, such as a subject. Encoded when it would not survive as
 * is.
 */
export function encodeSubject(subject: string): string {
  return isFoldable(subject) ? encodeText(subject) : encodeWords(subject);
}

/** A display name before an address. */
export function encodeDisplayName(name: string): string {
  if (!isAscii(name) || !isFoldable(name)) return encodeWords(name);
  return /^[\w ]*$/.test(name) ? name : quote(name);
}

/** A MIME header parameter, in RFC 2231 form when a quoted string does not work. */
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

/**
 * The legacy parameter `name`, which many programs read first. They expect encoded words in quotes.
 */
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

/**
 * Whether a text fits into a line or can be folded at its spaces. Some readers lose a space when
 * folding runs of spaces.
 */
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

/** An encoded word of 52 characters fits into a line of 78 after the longest header name. */
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
