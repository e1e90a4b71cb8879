import { maxTokens } from './limits';
import type { ParseBudget } from './parse-budget';
import { getPlace, type Place, TemplateError } from './template-error';

/** A token inside a tag, split as in Handlebars. */
export type Token = { kind: TokenKind; at: number; text: string };

export type TokenKind =
  | 'name'
  | 'separator'
  | 'string'
  | 'number'
  | 'word'
  | '('
  | ')'
  | '='
  | '@'
  | 'as |'
  | '|'
  | '}}'
  | '}}}';

export type Reader = {
  readonly source: string;
  readonly budget: ParseBudget;
  /** Position of the next character. */
  at: number;
  /** Position of the current tag. */
  tagAt: number;
  /** The current token, which ends before `at`. */
  token: Token;
  line: number;
  lineStart: number;
  nextLineStart: number;
};

export function createReader(source: string, budget: ParseBudget): Reader {
  const token: Token = { kind: '}}', at: 0, text: '' };
  const nextLineStart = findNextLine(source, 0);
  return { source, budget, at: 0, tagAt: 0, token, line: 1, lineStart: 0, nextLineStart };
}

/** Line and column of a character. Positions must not decrease between calls. */
export function locate(reader: Reader, at: number): Place {
  while (reader.nextLineStart <= at) {
    reader.line += 1;
    reader.lineStart = reader.nextLineStart;
    reader.nextLineStart = findNextLine(reader.source, reader.lineStart);
  }
  return { line: reader.line, column: at - reader.lineStart + 1 };
}

const lineBreak = /\r\n|\r|\n/g;

function findNextLine(source: string, from: number): number {
  lineBreak.lastIndex = from;
  return lineBreak.test(source) ? lineBreak.lastIndex : Number.POSITIVE_INFINITY;
}

export function createErrorAtOffset(
  { source }: Reader,
  at: number,
  message: string,
): TemplateError {
  return new TemplateError(message, getPlace(source, at));
}

/** Reads the next token of the tag. */
export function readToken(reader: Reader): Token {
  const { source } = reader;
  const at = skipBlanks(source, reader.at);
  const token = splitToken(reader, at);
  reader.at = at + token.text.length;
  reader.token = token;
  if (token.kind !== '}}' && token.kind !== '}}}') countToken(reader, at);
  return token;
}

/** Whether the current token names an argument: `name=value`. */
export function isKey({ source, at, token }: Reader): boolean {
  return token.kind === 'name' && source[skipBlanks(source, at)] === '=';
}

function splitToken(reader: Reader, at: number): Token {
  const { source } = reader;
  const sign = source.charAt(at);
  switch (sign) {
    case '':
      throw createUnclosedError(reader);
    case '(':
    case ')':
    case '=':
    case '@':
    case '|':
      return { kind: sign, at, text: sign };
    case '/':
      return { kind: 'separator', at, text: sign };
    case '.':
      return splitDots(source, at);
    case '[':
      return splitQuoted(reader, { kind: 'name', pattern: bracketed }, at);
    case '"':
      return splitQuoted(reader, { kind: 'string', pattern: doubleQuoted }, at);
    case "'":
      return splitQuoted(reader, { kind: 'string', pattern: singleQuoted }, at);
    case '}':
    case '~':
      return splitEnd(reader, at);
    default:
      return splitWord(reader, at);
  }
}

const blanks = /\s*/y;
const bracketed = /\[(?:\\\]|[^\]])*\]/y;
const doubleQuoted = /"(?:\\"|[^"])*"/y;
const singleQuoted = /'(?:\\'|[^'])*'/y;
const tagEnd = /\}{4}|\}~?\}\}|~?\}\}/y;
const word = /[^\s!"#%-,./;->@[-^`{-~]+/y;
const number = /-?[0-9]+(?:\.[0-9]+)?(?=[~}\s)])/y;
const startOfBlockParams = /as\s+\|/y;
const literalEnd = /[~}\s)]/y;
const literalWords = new Set(['true', 'false', 'null', 'undefined']);

function splitDots(source: string, at: number): Token {
  if (source[at + 1] === '.') return { kind: 'name', at, text: '..' };
  return { kind: isWordEnd(source, at + 1) ? 'name' : 'separator', at, text: '.' };
}

function splitQuoted(
  reader: Reader,
  { kind, pattern }: { kind: TokenKind; pattern: RegExp },
  at: number,
): Token {
  const text = reader.source.slice(at, skip(pattern, reader.source, at));
  if (text === '') throw createErrorAtOffset(reader, at, signProblem(reader.source.charAt(at)));
  if (text === '[]')
    throw createErrorAtOffset(reader, at, 'Write a name between the square brackets.');
  return { kind, at, text };
}

function splitEnd(reader: Reader, at: number): Token {
  const { source } = reader;
  const text = source.slice(at, skip(tagEnd, source, at));
  if (text === '') throw createErrorAtOffset(reader, at, signProblem(source.charAt(at)));
  if (text === '}}}}') {
    const problem = 'Four closing braces: put a space between the tag and the next brace.';
    throw createErrorAtOffset(reader, at, problem);
  }
  return { kind: text.startsWith('}') && text.length > 2 ? '}}}' : '}}', at, text };
}

function splitWord(reader: Reader, at: number): Token {
  const { source } = reader;
  const numberEnd = skip(number, source, at);
  if (numberEnd > at) return { kind: 'number', at, text: source.slice(at, numberEnd) };
  const end = skip(word, source, at);
  const text = source.slice(at, end);
  if (text === '') throw createErrorAtOffset(reader, at, signProblem(source.charAt(at)));
  if (text === 'as') {
    const paramsAt = skip(startOfBlockParams, source, at);
    if (paramsAt > at) return { kind: 'as |', at, text: source.slice(at, paramsAt) };
  }
  if (!isWordEnd(source, end)) throw errorAfterWord(reader, end);
  const isLiteral = literalWords.has(text) && skip(literalEnd, source, end) > end;
  return { kind: isLiteral ? 'word' : 'name', at, text };
}

function errorAfterWord(reader: Reader, at: number): TemplateError {
  const sign = reader.source.charAt(at);
  if (sign === '') return createUnclosedError(reader);
  const isStart = '("\'@['.includes(sign);
  return createErrorAtOffset(
    reader,
    at,
    isStart ? `Put a space before the ${sign}.` : signProblem(sign),
  );
}

function createUnclosedError(reader: Reader): TemplateError {
  return createErrorAtOffset(reader, reader.tagAt, 'This tag is never closed: end it with }}.');
}

/** Whether a name can end before this character: one of =~}/.)| or a blank. */
function isWordEnd(source: string, at: number): boolean {
  return wordEnds.includes(source.charAt(at)) ? at < source.length : skipBlanks(source, at) > at;
}

const wordEnds = ' }.)=/|~';

function skipBlanks(source: string, at: number): number {
  const code = source.charCodeAt(at);
  // Most tokens have no blank between them, and running a pattern is slow.
  return code > 32 && code < 127 ? at : skip(blanks, source, at);
}

/** The end of the match at this position; the same position without a match. */
export function skip(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(source) ? pattern.lastIndex : at;
}

function countToken(reader: Reader, at: number): void {
  reader.budget.tokens -= 1;
  if (reader.budget.tokens < 0) {
    throw createErrorAtOffset(
      reader,
      at,
      `All tags together can have at most ${maxTokens} names and signs.`,
    );
  }
}

function signProblem(sign: string): string {
  return (
    signProblems.get(sign) ??
    `${sign} is not allowed inside a tag. If it is part of a name, write square brackets: [a name].`
  );
}

const signProblems = new Map([
  ['{', 'A tag cannot contain another: close the first one with }}.'],
  ['"', 'This quote is never closed: end it with ".'],
  ["'", "This quote is never closed: end it with '."],
  ['[', 'This square bracket is never closed: end it with ].'],
]);
