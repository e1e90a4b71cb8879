import { isUtf8 } from 'node:buffer';
import type { Json } from '../data';
import { AppError } from '../errors';
import { pathText } from './path-text';

const maxDepth = 32;
const maxSeparators = 200_000;
const maxKeysOfBody = 100_000;
const maxKeysOfItem = 2_000;

/** The text of `malformed_json`, to the letter what old clients know. */
export const unreadableJson = 'Unable to process JSON';

/**
 * The value of a body, or an AppError for what is not JSON or is hostile. One pass over the bytes
 * bounds depth and size first, so that neither JSON.parse nor the walk behind it can be made to
 * overflow or to hold the event loop. Of equal keys in one object the last one counts.
 */
export function parseJson(bytes: Buffer): Json {
  const { hasUnicodeEscape } = scan(bytes);
  const value = parse(bytes.toString('utf8'));
  const walked: Walk = { keys: 0, checksText: hasUnicodeEscape };
  const problem = walk(value, walked);
  if (problem) throw errorOf(problem);
  if (walked.keys > maxKeysOfItem) refuseLargeItems(value);
  return value;
}

/** As parseJson, for a body with a `batch`: between its steps and its elements others have their turn. */
export async function parseJsonInSteps(
  bytes: Buffer,
  yieldWhenDue: () => Promise<void> | undefined,
): Promise<Json> {
  const { hasUnicodeEscape } = scan(bytes);
  await yieldWhenDue();
  const text = bytes.toString('utf8');
  await yieldWhenDue();
  const value = parse(text);
  await yieldWhenDue();
  const walked: Walk = { keys: 0, checksText: hasUnicodeEscape };
  for (const part of partsOf(value)) {
    const problem = walk(part.value, walked);
    if (problem) throw errorOf({ ...problem, path: [...problem.path, ...part.outwards] });
    await yieldWhenDue();
  }
  if (walked.keys <= maxKeysOfItem) return value;
  for (const part of partsOf(value)) {
    refuseLargeItem(part.value);
    await yieldWhenDue();
  }
  return value;
}

/** A body as its head and the elements of its batch, each with the path from it outwards. */
function partsOf(body: Json): { value: Json; outwards: (string | number)[] }[] {
  const batch = isObject(body) ? body['batch'] : undefined;
  if (!isObject(body) || !Array.isArray(batch)) return [{ value: body, outwards: [] }];
  const elements = batch.map((value, index) => ({ value, outwards: [index, 'batch'] }));
  return [{ value: { ...body, batch: null }, outwards: [] }, ...elements];
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('malformed_json', unreadableJson, { cause });
  }
}

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

const kind = { string: 1, separator: 2, opening: 3, closing: 4 } as const;

/** What a byte outside a string begins or ends; 0 for all the others. A table of numbers, because it is read for every byte. */
const kindOfByte = new Uint8Array(256);
for (const byte of Buffer.from('"')) kindOfByte[byte] = kind.string;
for (const byte of Buffer.from(',:')) kindOfByte[byte] = kind.separator;
for (const byte of Buffer.from('[{')) kindOfByte[byte] = kind.opening;
for (const byte of Buffer.from(']}')) kindOfByte[byte] = kind.closing;

function scan(bytes: Buffer): { hasUnicodeEscape: boolean } {
  if (!isUtf8(bytes)) throw new AppError('malformed_json', unreadableJson);
  let depth = 0;
  let separators = 0;
  let hasUnicodeEscape = false;
  for (let at = 0; at < bytes.length; at += 1) {
    switch (kindOfByte[bytes[at] ?? 0]) {
      case kind.string: {
        const string = skipString(bytes, at + 1);
        at = string.end;
        hasUnicodeEscape ||= string.hasUnicodeEscape;
        break;
      }
      case kind.separator:
        separators += 1;
        break;
      case kind.opening:
        depth += 1;
        if (depth > maxDepth) throw hostile(`nested deeper than ${maxDepth} levels`);
        break;
      case kind.closing:
        depth -= 1;
    }
  }
  if (separators > maxSeparators) throw hostile(`over ${maxSeparators} commas and colons`);
  return { hasUnicodeEscape };
}

/** `end` is where the closing quote is, or the end of the bytes. */
function skipString(bytes: Buffer, start: number): { end: number; hasUnicodeEscape: boolean } {
  let hasUnicodeEscape = false;
  let at = start;
  while (at < bytes.length && bytes[at] !== quote) {
    if (bytes[at] === backslash) {
      at += 1;
      hasUnicodeEscape ||= bytes[at] === letterU;
    }
    at += 1;
  }
  return { end: at, hasUnicodeEscape };
}

type Walk = {
  keys: number;
  /** Raw bytes were checked as UTF-8 and JSON allows no raw U+0000, so only an escape can bring in a bad character. */
  checksText: boolean;
};

type Problem = {
  code: 'hostile_json' | 'validation_failed';
  text: string;
  /** From the value outwards. */
  path: (string | number)[];
};

/** May recurse: the scan bounded the depth. */
function walk(value: Json, walked: Walk): Problem | undefined {
  if (typeof value === 'string') return walked.checksText ? problemOfText(value) : undefined;
  if (typeof value === 'number') return problemOfNumber(value);
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.isArray(value) ? walkArray(value, walked) : walkObject(value, walked);
}

function walkArray(array: Json[], walked: Walk): Problem | undefined {
  for (let index = 0; index < array.length; index += 1) {
    const problem = walk(array[index] ?? null, walked);
    if (problem) return within(problem, index);
  }
  return undefined;
}

function walkObject(object: { [key: string]: Json }, walked: Walk): Problem | undefined {
  for (const key of Object.keys(object)) {
    walked.keys += 1;
    if (walked.keys > maxKeysOfBody) return problemOf(`over ${maxKeysOfBody} keys in a body`);
    const problem = problemOfKey(key, walked) ?? walk(object[key] ?? null, walked);
    if (problem) return within(problem, key);
  }
  return undefined;
}

function within(problem: Problem, step: string | number): Problem {
  problem.path.push(step);
  return problem;
}

const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

function problemOfKey(key: string, walked: Walk): Problem | undefined {
  if (forbiddenKeys.has(key)) return problemOf('a key that is not allowed');
  return walked.checksText ? problemOfText(key) : undefined;
}

const badCharacter = /[\0\ud800-\udfff]/u;

function problemOfText(text: string): Problem | undefined {
  return badCharacter.test(text) ? problemOf('U+0000 or a lone surrogate') : undefined;
}

/**
 * An integer beyond 2^53 - 1 was rounded by JSON.parse, so its digits are gone; all of them are still
 * seen, because rounding never brings one back below 2^53. A fraction that large has become an integer too.
 */
function problemOfNumber(value: number): Problem | undefined {
  if (!Number.isFinite(value)) return problemOf('a number that is not finite');
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return undefined;
  return { code: 'validation_failed', text: 'must be sent as a string', path: [] };
}

function problemOf(text: string): Problem {
  return { code: 'hostile_json', text, path: [] };
}

function errorOf({ code, text, path }: Problem): AppError {
  const at = pathText(path.reverse());
  if (code === 'hostile_json') return hostile(`${text}, at ${at}`);
  const sentence = `${at} ${text}`;
  return new AppError(code, sentence, { errors: [sentence] });
}

function hostile(what: string): AppError {
  return new AppError('hostile_json', `The JSON is refused: ${what}`);
}

const itemMembers = ['user', 'data', 'override'];

function refuseLargeItems(body: Json): void {
  const batch = isObject(body) ? body['batch'] : undefined;
  for (const item of [body, ...(Array.isArray(batch) ? batch : [])]) refuseLargeItem(item);
}

function refuseLargeItem(item: Json): void {
  if (isObject(item) && keysOfItem(item) > maxKeysOfItem) {
    throw hostile(`over ${maxKeysOfItem} keys in one user, data and override together`);
  }
}

function keysOfItem(item: { [key: string]: Json }): number {
  return itemMembers.reduce((sum, member) => sum + countKeys(item[member]), 0);
}

function countKeys(value: Json | undefined): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + countKeys(one), 0);
  if (!isObject(value)) return 0;
  const members = Object.values(value);
  return members.reduce<number>((sum, member) => sum + countKeys(member), members.length);
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
