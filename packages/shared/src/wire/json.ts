import type { Json } from '../data';
import { AppError, type FieldProblem, maxProblems } from '../errors';
import { formatPath } from './format-path';
import {
  createHostileError,
  createLargeItemError,
  createScan,
  maxKeysOfItem,
  type Piece,
  unreadableJson,
} from './json-scan';

/**
 * Parses a body, or throws an AppError for invalid or hostile JSON. One pass over the bytes limits depth and size
 * first. So neither JSON.parse nor the walk after it can overflow the stack or block the event loop.
 * The last of duplicate keys wins.
 */
export function parseJson(bytes: Buffer): Json {
  const scan = createScan(bytes, false);
  scan.goOn(bytes.length);
  const value = parse(bytes.toString('utf8'));
  const checksText = scan.hasUnicodeEscape();
  // The walk finds the path of a problem; almost no body needs it.
  if (!isSound(value, checksText)) createWalk(value, checksText)(Number.POSITIVE_INFINITY);
  return value;
}

/** Whether the walk would find no problem. Recursion is safe: the scan limits the depth. */
function isSound(value: Json, checksText: boolean): boolean {
  if (typeof value !== 'object' || value === null) return !findValueProblem(value, checksText);
  if (Array.isArray(value)) return value.every((element) => isSound(element, checksText));
  for (const key in value) {
    if (findKeyProblem(key, checksText) || !isSound(value[key] ?? null, checksText)) return false;
  }
  return true;
}

const bytesPerStep = 1024 * 1024;
const partsPerStep = 5_000;

export type JsonSteps = {
  /** Whether its `batch` holds items, which are counted separately. */
  isBatch: boolean;
  /** Called between steps, to yield to other requests. */
  yieldWhenDue(): Promise<void> | undefined;
};

/** Like parseJson, for a large body or a batch. */
export async function parseJsonInSteps(
  bytes: Buffer,
  { isBatch, yieldWhenDue }: JsonSteps,
): Promise<Json> {
  const scan = createScan(bytes, isBatch);
  while (!scan.goOn(bytesPerStep)) await yieldWhenDue();
  await yieldWhenDue();
  const checksText = scan.hasUnicodeEscape();
  const read = await parsePieces(bytes, scan.elements, { checksText, yieldWhenDue });
  if (!read.isSound) await refuseUnsound(read.value, checksText, yieldWhenDue);
  const { value } = read;
  if (isBatch) refuseLargeHead(value);
  return value;
}

/** The walk finds the path of the problem. */
async function refuseUnsound(
  value: Json,
  checksText: boolean,
  yieldWhenDue: JsonSteps['yieldWhenDue'],
): Promise<void> {
  const walkOn = createWalk(value, checksText);
  while (!walkOn(partsPerStep)) await yieldWhenDue();
}

type Pieces = { checksText: boolean; yieldWhenDue: JsonSteps['yieldWhenDue'] };

/** Parses elements that are objects in runs, and the rest of the body with element numbers in their places. */
async function parsePieces(
  bytes: Buffer,
  elements: readonly Piece[],
  { checksText, yieldWhenDue }: Pieces,
): Promise<{ value: Json; isSound: boolean }> {
  const texts: string[] = [];
  let at = 0;
  for (const [index, { start, end }] of elements.entries()) {
    texts.push(bytes.toString('utf8', at, start), `{"":${index}}`);
    at = end;
  }
  texts.push(await decode(bytes, { start: at, end: bytes.length }, yieldWhenDue));
  const value = parse(texts.join(''));
  let isWholeSound = isSound(value, checksText);
  await yieldWhenDue();
  const parsed: Json[] = [];
  for (const run of groupRuns(bytes, elements)) {
    // The scan counted brackets, so each element of this list is an element of the batch.
    const list = parse(`[${await decode(bytes, run, yieldWhenDue)}]`);
    isWholeSound &&= isSound(list, checksText);
    if (isList(list)) parsed.push(...list);
    await yieldWhenDue();
  }
  if (parsed.length > 0) Object.values(Object(value)).filter(isList).forEach(putElements);
  return { value, isSound: isWholeSound };

  function putElements(list: Json[]): void {
    for (const [place, element] of list.entries()) {
      // The only objects in this list are the numbered placeholders.
      if (isObject(element)) list[place] = parsed[Number(element[''])] ?? null;
    }
  }
}

const bytesPerRun = 16 * 1024;

/** Groups elements that only a comma separates, up to the length of a run. The scan recorded where each starts and ends. */
function groupRuns(bytes: Buffer, elements: readonly Piece[]): Piece[] {
  const runs: Piece[] = [];
  let run: Piece | undefined;
  for (const { start, end } of elements) {
    const goesOn = run && start === run.end + 1 && bytes[run.end] === comma;
    if (run && goesOn && end - run.start <= bytesPerRun) run.end = end;
    else {
      run = { start, end };
      runs.push(run);
    }
  }
  return runs;
}

const comma = 0x2c;

function isList(value: unknown): value is Json[] {
  return Array.isArray(value);
}

async function decode(
  bytes: Buffer,
  { start, end }: Piece,
  yieldWhenDue: JsonSteps['yieldWhenDue'],
): Promise<string> {
  const texts: string[] = [];
  for (let at = start; at < end; ) {
    const next = Math.min(findCharacterStart(bytes, at + bytesPerStep), end);
    texts.push(bytes.toString('utf8', at, next));
    at = next;
    if (at < end) await yieldWhenDue();
  }
  return texts.join('');
}

/** The next byte where a UTF-8 character starts, so that the bytes can be cut there. */
function findCharacterStart(bytes: Buffer, from: number): number {
  let at = Math.min(from, bytes.length);
  while (at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;
  return at;
}

function parse(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('malformed_json', unreadableJson, { cause });
  }
}

type Problem = { code: 'hostile_json' | 'validation_failed'; text: string };

/** Checks up to this many more values; true at the end. Throws at once for hostile values, at the end for other problems. */
type WalkOn = (parts: number) => boolean;

/** Position of the walk: an object or array, and the index of the current member. */
type Place = { keys: string[] | undefined; values: Json[]; at: number };

/**
 * `checksText` means that the body has a Unicode escape. The raw bytes are valid UTF-8 and JSON allows no raw U+0000, so
 * only an escape can produce a bad character.
 */
function createWalk(body: Json, checksText: boolean): WalkOn {
  const places: Place[] = [{ keys: undefined, values: [body], at: -1 }];
  const problems: FieldProblem[] = [];

  function enter(value: Json): void {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      places.push({ keys: undefined, values: value, at: -1 });
      return;
    }
    places.push({ keys: Object.keys(value), values: Object.values(value), at: -1 });
  }

  function lookAt(key: string | undefined, value: Json): void {
    const problem = findKeyProblem(key, checksText) ?? findValueProblem(value, checksText);
    if (problem) refuse(problem);
    enter(value);
  }

  function refuse({ code, text }: Problem): void {
    // The first place is the body itself.
    const at = formatPath(places.slice(1).map((place) => place.keys?.[place.at] ?? place.at));
    if (code === 'hostile_json') throw createHostileError(`${text}, at ${at}`);
    if (problems.length < maxProblems) problems.push({ path: at, problem: text });
  }

  function end(): true {
    const [first] = problems;
    if (!first) return true;
    throw new AppError('validation_failed', `${first.path} ${first.problem}`, { problems });
  }

  return function walkOn(parts) {
    for (let remaining = parts; remaining > 0; remaining -= 1) {
      const place = places.at(-1);
      if (!place) return end();
      place.at += 1;
      if (place.at < place.values.length) {
        lookAt(place.keys?.[place.at], place.values[place.at] ?? null);
      } else places.pop();
    }
    return false;
  };
}

function findValueProblem(value: Json, checksText: boolean): Problem | undefined {
  if (typeof value === 'string') return checksText ? findTextProblem(value) : undefined;
  return typeof value === 'number' ? findNumberProblem(value) : undefined;
}

function findKeyProblem(key: string | undefined, checksText: boolean): Problem | undefined {
  if (key === undefined) return undefined;
  // `constructor` and `prototype` are safe: only this key changes an object when assigned.
  if (key === '__proto__') return createHostileProblem('a key that is not allowed');
  return checksText ? findTextProblem(key) : undefined;
}

const badCharacter = /[\0\ud800-\udfff]/u;

function findTextProblem(text: string): Problem | undefined {
  return badCharacter.test(text) ? createHostileProblem('U+0000 or a lone surrogate') : undefined;
}

/**
 * JSON.parse rounds an integer beyond 2^53 - 1, so its digits are lost. Rounding never moves one below 2^53, so this
 * check finds all of them. It also finds fractions that large, which become integers.
 */
function findNumberProblem(value: number): Problem | undefined {
  if (!Number.isFinite(value)) return createHostileProblem('a number that is not finite');
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return undefined;
  return { code: 'validation_failed', text: 'must be sent as a string' };
}

function createHostileProblem(text: string): Problem {
  return { code: 'hostile_json', text };
}

/** The scan counted the elements of lists outside of the batch one by one. */
function refuseLargeHead(body: Json): void {
  if (!isObject(body)) return;
  const { batch: _, ...head } = body;
  if (countRemainingKeys(Object.values(head), maxKeysOfItem) < 0) throw createLargeItemError();
}

/** How many of `maxKeys` are left; stops counting at zero. */
function countRemainingKeys(value: Json, maxKeys: number): number {
  if (typeof value !== 'object' || value === null) return maxKeys;
  const members = Object.values(value);
  let remaining = Array.isArray(value) ? maxKeys : maxKeys - members.length;
  for (const member of members) {
    if (remaining < 0) return remaining;
    remaining = countRemainingKeys(member, remaining);
  }
  return remaining;
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
