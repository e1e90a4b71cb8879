import { isUtf8 } from 'node:buffer';
import { AppError } from '../errors';

const maxDepth = 32;
const maxSeparators = 200_000;
const maxOpenings = 200_000;
const maxKeysOfBody = 100_000;
export const maxKeysOfItem = 2_000;

/** The text of `malformed_json`. Old clients depend on it, so it must stay exact. */
export const unreadableJson = 'Unable to process JSON';

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

const kind = { string: 1, comma: 2, colon: 3, array: 4, object: 5, closing: 6 } as const;

/** The token that a byte outside of a string starts or ends; 0 for all others. A numeric table, because it is read for every byte. */
const kindOfByte = new Uint8Array(256);
for (const byte of Buffer.from('"')) kindOfByte[byte] = kind.string;
for (const byte of Buffer.from(',')) kindOfByte[byte] = kind.comma;
for (const byte of Buffer.from(':')) kindOfByte[byte] = kind.colon;
for (const byte of Buffer.from('[')) kindOfByte[byte] = kind.array;
for (const byte of Buffer.from('{')) kindOfByte[byte] = kind.object;
for (const byte of Buffer.from(']}')) kindOfByte[byte] = kind.closing;

/** Byte range; `end` is exclusive. */
export type Piece = { start: number; end: number };

export type Scan = {
  /** Scans up to this many more bytes; true at the end. Throws an AppError at the first exceeded limit. */
  goOn(bytes: number): boolean;
  hasUnicodeEscape(): boolean;
  /** For a batch: its elements that are objects. */
  elements: readonly Piece[];
};

export function createScan(bytes: Buffer, isBatch: boolean): Scan {
  const counts = createCounts(isBatch);
  let at = 0;
  let isInString = false;
  let hasUnicodeEscape = false;

  /** Moves behind the closing quote; an escape may cross the limit. */
  function passString(limit: number): void {
    while (at < limit && bytes[at] !== quote) {
      if (bytes[at] === backslash) {
        at += 1;
        hasUnicodeEscape ||= bytes[at] === letterU;
      }
      at += 1;
    }
    isInString = at >= limit;
    if (!isInString) at += 1;
  }

  function passByte(): void {
    const byteKind = kindOfByte[bytes[at] ?? 0] ?? 0;
    isInString = byteKind === kind.string;
    if (byteKind > kind.string) countPart(byteKind, counts, at);
    at += 1;
  }

  function goOn(count: number): boolean {
    if (at === 0 && !isUtf8(bytes)) throw new AppError('malformed_json', unreadableJson);
    const limit = Math.min(at + count, bytes.length);
    while (at < limit) {
      if (isInString) passString(limit);
      else passByte();
    }
    return at >= bytes.length;
  }

  return { goOn, hasUnicodeEscape: () => hasUnicodeEscape, elements: counts.elements };
}

type Counts = {
  depth: number;
  separators: number;
  /** Number of objects and arrays. */
  openings: number;
  colons: number;
  /** By depth: the number of colons in the last object opened there. */
  colonsOfObject: number[];
  isBatch: boolean;
  /** For a batch: inside of an array that is a member of the body, and inside of an object in it. */
  isInList: boolean;
  isInElement: boolean;
  startOfElement: number;
  elements: Piece[];
  /** Keys inside of the members of the body, and of the current element. */
  keysOfBody: number;
  keysOfElement: number;
};

function createCounts(isBatch: boolean): Counts {
  return {
    isBatch,
    depth: 0,
    separators: 0,
    openings: 0,
    colons: 0,
    colonsOfObject: [],
    isInList: false,
    isInElement: false,
    startOfElement: 0,
    elements: [],
    keysOfBody: 0,
    keysOfElement: 0,
  };
}

const depthOfMember = 2;
const depthOfElement = 3;

function countPart(byteKind: number, counts: Counts, at: number): void {
  switch (byteKind) {
    case kind.comma:
      countSeparator(counts);
      break;
    case kind.colon:
      countSeparator(counts);
      countKey(counts);
      break;
    case kind.closing:
      if (counts.depth === depthOfElement) leaveItem(counts, at);
      counts.depth -= 1;
      break;
    default:
      countOpening(counts);
      if (counts.depth <= depthOfElement) enterItem(byteKind === kind.array, counts, at);
  }
}

function countSeparator(counts: Counts): void {
  counts.separators += 1;
  if (counts.separators > maxSeparators)
    throw createHostileError(`over ${maxSeparators} commas and colons`);
}

function countOpening(counts: Counts): void {
  counts.openings += 1;
  if (counts.openings > maxOpenings)
    throw createHostileError(`over ${maxOpenings} objects and arrays`);
  counts.depth += 1;
  if (counts.depth > maxDepth) throw createHostileError(`nested deeper than ${maxDepth} levels`);
  counts.colonsOfObject[counts.depth] = 0;
}

/** Each element of a batch has its own count. */
function enterItem(isArray: boolean, counts: Counts, at: number): void {
  if (counts.depth === depthOfMember) counts.isInList = counts.isBatch && isArray;
  if (counts.depth !== depthOfElement) return;
  counts.isInElement = counts.isInList && !isArray;
  counts.startOfElement = at;
  counts.keysOfElement = 0;
}

function leaveItem(counts: Counts, at: number): void {
  if (counts.isInElement) counts.elements.push({ start: counts.startOfElement, end: at + 1 });
  counts.isInElement = false;
}

/** Counts colons instead of keys, so that a hostile object need not be built. */
function countKey(counts: Counts): void {
  const { depth, colonsOfObject, isInElement } = counts;
  counts.colons += 1;
  if (counts.colons > maxKeysOfBody)
    throw createHostileError(`over ${maxKeysOfBody} keys in a body`);
  const keys = (colonsOfObject[depth] ?? 0) + 1;
  colonsOfObject[depth] = keys;
  if (keys > maxKeysOfItem) throw createHostileError(`over ${maxKeysOfItem} keys in one object`);
  if (isInElement && depth > depthOfElement) counts.keysOfElement += 1;
  else if (!isInElement && depth >= depthOfMember) counts.keysOfBody += 1;
  if (counts.keysOfElement > maxKeysOfItem || counts.keysOfBody > maxKeysOfItem)
    throw createLargeItemError();
}

export function createLargeItemError(): AppError {
  return createHostileError(`over ${maxKeysOfItem} keys in one user, data and override together`);
}

export function createHostileError(what: string): AppError {
  return new AppError('hostile_json', `The JSON is refused: ${what}`);
}
