import { hash } from 'node:crypto';

const longStringCharacters = 65_536;

/**
 * Returns the same text for all bodies that mean the same request. Members are sorted, and null members are dropped
 * except inside `data`, where null is a value. Arrays keep their order. A string over 65,536 characters becomes its hash.
 */
export function canonicalJson(body: unknown): string {
  return write(body, false);
}

function write(value: unknown, isInData: boolean): string {
  if (typeof value === 'string') return writeString(value);
  if (Array.isArray(value)) return writeArray(value, isInData);
  if (typeof value === 'object' && value !== null) return writeObject(value, isInData);
  return JSON.stringify(value) ?? 'null';
}

function writeArray(array: readonly unknown[], isInData: boolean): string {
  // Plain elements are written in one call: writing 200,000 strings one by one blocks the event loop for too long.
  if (array.length > shortArrayElements) return writeLongArray(array, isInData);
  let text = '[';
  for (let at = 0; at < array.length; at += 1) {
    if (at > 0) text += ',';
    text += write(array[at], isInData);
  }
  return `${text}]`;
}

const shortArrayElements = 16;

function writeLongArray(array: readonly unknown[], isInData: boolean): string {
  const segments: string[] = [];
  for (let at = 0; at < array.length; ) {
    const end = findPlainEnd(array, at);
    if (end > at) segments.push(JSON.stringify(array.slice(at, end)).slice(1, -1));
    else segments.push(write(array[at], isInData));
    at = Math.max(end, at + 1);
  }
  return `[${segments.join(',')}]`;
}

function findPlainEnd(array: readonly unknown[], start: number): number {
  let end = start;
  while (end < array.length && isPlainElement(array[end])) end += 1;
  return end;
}

function isPlainElement(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= longStringCharacters;
  return typeof value !== 'object' || value === null;
}

function writeObject(object: object, isInData: boolean): string {
  // The object was parsed from JSON, so its members are JSON values.
  const members = object as Readonly<Record<string, unknown>>;
  let text = '';
  for (const name of sortNames(Object.keys(members))) {
    const member = members[name];
    if (member === null && !isInData) continue;
    if (text !== '') text += ',';
    text += `${quote(name)}:${write(member, isInData || name === 'data')}`;
  }
  return `{${text}}`;
}

/** Sorts by code units, like every gateway. Sorts short lists in place, because that is faster than a copy. */
function sortNames(names: string[]): string[] {
  if (names.length > fewNames) return names.sort();
  for (let at = 1; at < names.length; at += 1) {
    const name = names[at] ?? '';
    let to = at;
    for (; to > 0 && (names[to - 1] ?? '') > name; to -= 1) names[to] = names[to - 1] ?? '';
    names[to] = name;
  }
  return names;
}

const fewNames = 12;

function writeString(text: string): string {
  // No JSON starts with #, so a short string never equals the hash of a long one.
  return text.length > longStringCharacters ? `#${hash('sha256', text, 'base64')}` : quote(text);
}

/** Most strings need no escapes, and this test is faster than JSON.stringify. */
function quote(text: string): string {
  const isPlain = text.length <= plainCharacters && needsNoEscape.test(text);
  return isPlain ? `"${text}"` : JSON.stringify(text);
}

const plainCharacters = 64;
const needsNoEscape = /^[ !#-[\]-~]*$/;
