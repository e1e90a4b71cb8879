import { isUtf8 } from 'node:buffer';
import { AppError } from '../errors';

const maxDepth = 32;
const maxSeparators = 200_000;
const maxOpenings = 200_000;
const maxKeysOfBody = 100_000;
export const maxKeysOfItem = 2_000;

/** The text of `malformed_json`, to the letter what old clients know. */
export const unreadableJson = 'Unable to process JSON';

const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

const kind = { string: 1, comma: 2, colon: 3, array: 4, object: 5, closing: 6 } as const;

/** What a byte outside a string begins or ends; 0 for all the others. A table of numbers, because it is read for every byte. */
const kindOfByte = new Uint8Array(256);
for (const byte of Buffer.from('"')) kindOfByte[byte] = kind.string;
for (const byte of Buffer.from(',')) kindOfByte[byte] = kind.comma;
for (const byte of Buffer.from(':')) kindOfByte[byte] = kind.colon;
for (const byte of Buffer.from('[')) kindOfByte[byte] = kind.array;
for (const byte of Buffer.from('{')) kindOfByte[byte] = kind.object;
for (const byte of Buffer.from(']}')) kindOfByte[byte] = kind.closing;

/** From its first byte up to the one behind it. */
export type Piece = { start: number; end: number };

export type Scan = {
  /** Looks at so many further bytes, and throws the AppError of the first limit that is met; true when it has seen all. */
  goOn(bytes: number): boolean;
  hasUnicodeEscape(): boolean;
  /** Of a batch: its elements that are objects. */
  elements: readonly Piece[];
};

export function createScan(bytes: Buffer, isBatch: boolean): Scan {
  const seen = createCounts(isBatch);
  let at = 0;
  let isInString = false;
  let hasUnicodeEscape = false;

  /** Up to the one behind the closing quote; an escape may lie across the limit. */
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
    const found = kindOfByte[bytes[at] ?? 0] ?? 0;
    isInString = found === kind.string;
    if (found > kind.string) countPart(found, seen, at);
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

  return { goOn, hasUnicodeEscape: () => hasUnicodeEscape, elements: seen.elements };
}

type Counts = {
  depth: number;
  separators: number;
  /** Objects and arrays. */
  openings: number;
  colons: number;
  /** By depth: the colons of the object that was opened there last. */
  colonsOfObject: number[];
  isBatch: boolean;
  /** Of a batch: whether a member of the body that is an array is being read, and an object in it. */
  isInList: boolean;
  isInElement: boolean;
  startOfElement: number;
  elements: Piece[];
  /** Of the body, and of the element that is being read: what lies within their members. */
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

function countPart(found: number, seen: Counts, at: number): void {
  switch (found) {
    case kind.comma:
      countSeparator(seen);
      break;
    case kind.colon:
      countSeparator(seen);
      countKey(seen);
      break;
    case kind.closing:
      if (seen.depth === depthOfElement) leaveItem(seen, at);
      seen.depth -= 1;
      break;
    default:
      countOpening(seen);
      if (seen.depth <= depthOfElement) enterItem(found === kind.array, seen, at);
  }
}

function countSeparator(seen: Counts): void {
  seen.separators += 1;
  if (seen.separators > maxSeparators) throw hostile(`over ${maxSeparators} commas and colons`);
}

function countOpening(seen: Counts): void {
  seen.openings += 1;
  if (seen.openings > maxOpenings) throw hostile(`over ${maxOpenings} objects and arrays`);
  seen.depth += 1;
  if (seen.depth > maxDepth) throw hostile(`nested deeper than ${maxDepth} levels`);
  seen.colonsOfObject[seen.depth] = 0;
}

/** The elements of a batch are counted each for itself. */
function enterItem(isArray: boolean, seen: Counts, at: number): void {
  if (seen.depth === depthOfMember) seen.isInList = seen.isBatch && isArray;
  if (seen.depth !== depthOfElement) return;
  seen.isInElement = seen.isInList && !isArray;
  seen.startOfElement = at;
  seen.keysOfElement = 0;
}

function leaveItem(seen: Counts, at: number): void {
  if (seen.isInElement) seen.elements.push({ start: seen.startOfElement, end: at + 1 });
  seen.isInElement = false;
}

/** Every key is behind a colon, so that what has too many need not be made. */
function countKey(seen: Counts): void {
  const { depth, colonsOfObject, isInElement } = seen;
  seen.colons += 1;
  if (seen.colons > maxKeysOfBody) throw hostile(`over ${maxKeysOfBody} keys in a body`);
  const keys = (colonsOfObject[depth] ?? 0) + 1;
  colonsOfObject[depth] = keys;
  if (keys > maxKeysOfItem) throw hostile(`over ${maxKeysOfItem} keys in one object`);
  if (isInElement && depth > depthOfElement) seen.keysOfElement += 1;
  else if (!isInElement && depth >= depthOfMember) seen.keysOfBody += 1;
  if (seen.keysOfElement > maxKeysOfItem || seen.keysOfBody > maxKeysOfItem) throw largeItem();
}

export function largeItem(): AppError {
  return hostile(`over ${maxKeysOfItem} keys in one user, data and override together`);
}

export function hostile(what: string): AppError {
  return new AppError('hostile_json', `The JSON is refused: ${what}`);
}
