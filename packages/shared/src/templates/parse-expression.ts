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

/** Reads an expression from the current token on; afterwards the current token is the one after it. */
export function readExpression(reader: Reader, levels = 0): SyntaxExpression {
  return reader.token.kind === '(' ? readSubExpression(reader, levels) : readName(reader);
}

/** Reads the path or literal at the start of a block. */
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
    throw createErrorAtOffset(
      reader,
      at,
      `Parentheses can nest at most ${maxParenthesisLevels} deep.`,
    );
  }
  const { line, column } = locate(reader, at);
  readToken(reader);
  const path = readExpression(reader, levels + 1);
  const { params, hash } = readArguments(reader, levels + 1);
  if (reader.token.kind !== ')') throw createUnexpectedError(reader);
  if (readToken(reader).kind === 'separator') {
    const problem =
      'A path must start with a name. To use the result of a helper, write {{#with (…)}}.';
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

/** They refer to a scope, not to a member of it. */
const relativeSteps = new Set(['this', '.', '..']);

function formatStepProblem(path: string): string {
  return `"${quote(path)}" is not a path: "this", "." and ".." are allowed only at its start.`;
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
    'Write a number, true, false, null or undefined inside a path in square brackets: list.[0].';
  return createErrorAtOffset(reader, at, problem);
}

/** The error for a token that is not allowed here. */
export function createUnexpectedError(reader: Reader): TemplateError {
  const { kind, at, text } = reader.token;
  const problem =
    problems.get(kind) ??
    `"${quote(text)}" is not allowed here: write {{a_name}} or {{helper value}}.`;
  return createErrorAtOffset(reader, at, problem);
}

const problems = new Map<TokenKind, string>([
  ['}}', 'The tag ends too early: add a name, as in {{user_name}}, and close what it opens.'],
  [
    '}}}',
    'Three closing braces need three opening ones: put a space between }} and a brace of the text.',
  ],
  [')', 'This parenthesis closes nothing: remove it, or write a helper call such as (eq a b).'],
  ['|', 'Write block parameters as {{#each items as |item index|}}.'],
  ['=', 'No named argument is allowed here: remove the =, or compare with (eq a b).'],
]);
