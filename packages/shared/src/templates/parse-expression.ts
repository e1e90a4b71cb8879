import { maxParenthesisLevels } from './limits';
import type {
  LiteralValue,
  SyntaxArguments,
  SyntaxExpression,
  SyntaxLiteral,
  SyntaxPair,
  SyntaxPath,
  SyntaxSubExpression,
} from './syntax';
import {
  createErrorAtOffset,
  isKey,
  locate,
  type Reader,
  readToken,
  type TokenKind,
} from './tag-tokens';
import { createErrorAt, quote, type TemplateError } from './template-error';

/** Reads from the token that is looked at on, and leaves the one behind the expression to be looked at. */
export function readExpression(reader: Reader, levels = 0): SyntaxExpression {
  return reader.token.kind === '(' ? readSubExpression(reader, levels) : readName(reader);
}

/** A path or literal, with which a block may begin. */
export function readName(reader: Reader): SyntaxPath | SyntaxLiteral {
  const { kind } = reader.token;
  if (kind === 'name' || kind === '@') return readPath(reader);
  if (kind === 'string' || kind === 'number' || kind === 'word') return readLiteral(reader, kind);
  throw createUnexpectedError(reader);
}

export function readArguments(reader: Reader, levels = 0): SyntaxArguments {
  const params: SyntaxExpression[] = [];
  while (beginners.has(reader.token.kind) && !isKey(reader)) {
    params.push(readExpression(reader, levels));
  }
  const hash: SyntaxPair[] = [];
  while (isKey(reader)) {
    const { at } = reader.token;
    const { line, column } = locate(reader, at);
    const key = unquoteName(reader.token.text);
    readToken(reader);
    readToken(reader);
    hash.push({ key, value: readExpression(reader, levels), line, column });
  }
  return { params, hash };
}

const beginners = new Set<TokenKind>(['name', '@', '(', 'string', 'number', 'word']);

function readSubExpression(reader: Reader, levels: number): SyntaxSubExpression {
  const { at } = reader.token;
  if (levels === maxParenthesisLevels) {
    throw createErrorAtOffset(reader, at, `Parentheses nest at most ${maxParenthesisLevels} deep.`);
  }
  const { line, column } = locate(reader, at);
  readToken(reader);
  const path = readExpression(reader, levels + 1);
  const { params, hash } = readArguments(reader, levels + 1);
  if (reader.token.kind !== ')') throw createUnexpectedError(reader);
  if (readToken(reader).kind === 'separator') {
    const problem = 'A path begins with a name: to go on from a helper, use {{#with (…)}}.';
    throw createErrorAtOffset(reader, at, problem);
  }
  return { type: 'call', path, params, hash, line, column };
}

function readPath(reader: Reader): SyntaxPath {
  const { kind, at } = reader.token;
  const { line, column } = locate(reader, at);
  const isData = kind === '@';
  if (isData) readToken(reader);
  const original = isData ? '@' : '';
  const path: SyntaxPath = { type: 'path', isData, depth: 0, parts: [], original, line, column };
  addStep(reader, path);
  while (readToken(reader).kind === 'separator') {
    path.original += reader.token.text;
    readToken(reader);
    addStep(reader, path);
  }
  return path;
}

function addStep(reader: Reader, path: SyntaxPath): void {
  const { kind, text } = reader.token;
  if (kind !== 'name') throw createPathError(reader);
  const name = unquoteName(text);
  path.original += name;
  if (!relativeSteps.has(text)) path.parts.push(name);
  else if (path.parts.length > 0) throw createErrorAt(path, formatStepProblem(path.original));
  else if (text === '..') path.depth += 1;
}

/** They stand for a value that is known, and name no member of it. */
const relativeSteps = new Set(['this', '.', '..']);

function formatStepProblem(path: string): string {
  return `"${quote(path)}" is no path: "this", "." and ".." stand only at its beginning.`;
}

/** A name without its square brackets. */
function unquoteName(text: string): string {
  return text.startsWith('[') ? text.replaceAll(/\\([\\\]])/g, '$1').slice(1, -1) : text;
}

function readLiteral(reader: Reader, kind: 'string' | 'number' | 'word'): SyntaxLiteral {
  const { at, text } = reader.token;
  const { line, column } = locate(reader, at);
  readToken(reader);
  return { type: 'literal', value: readValue(kind, text), line, column };
}

function readValue(kind: 'string' | 'number' | 'word', text: string): LiteralValue {
  if (kind === 'number') return Number(text);
  if (kind === 'word') return words.get(text);
  const sign = text.charAt(0);
  return text.slice(1, -1).replaceAll(`\\${sign}`, sign);
}

const words = new Map<string, LiteralValue>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['undefined', undefined],
]);

function createPathError(reader: Reader): TemplateError {
  const { kind, at } = reader.token;
  if (kind !== 'number' && kind !== 'word') return createUnexpectedError(reader);
  const problem =
    'A number, true, false, null or undefined inside a path stands in square brackets: list.[0].';
  return createErrorAtOffset(reader, at, problem);
}

/** For a token that cannot stand where it is. */
export function createUnexpectedError(reader: Reader): TemplateError {
  const { kind, at, text } = reader.token;
  const problem =
    problems.get(kind) ??
    `"${quote(text)}" does not fit here: a tag is {{a_name}} or {{helper value}}.`;
  return createErrorAtOffset(reader, at, problem);
}

const problems = new Map<TokenKind, string>([
  [
    '}}',
    'The tag ends too early: it needs a name, as in {{user_name}}, and what it opens must be closed.',
  ],
  [
    '}}}',
    'Three closing braces close only what three opened: put a space between }} and a brace of the text.',
  ],
  [')', 'This parenthesis closes nothing: remove it, or write a helper call such as (eq a b).'],
  ['|', 'Block parameters are written {{#each items as |item index|}}.'],
  ['=', 'Nothing can be named here: remove the =, or compare with (eq a b).'],
]);
