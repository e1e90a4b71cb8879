import { hash } from 'node:crypto';

const longStringCharacters = 65_536;

/**
 * One text for every body that means the same call: members sorted, those that are null left out
 * (but not inside `data`, where null is a value), array order kept, a very long string by its hash.
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
  // What can be written as it is, is written in one go: one by one 200,000 texts hold the event loop for too long.
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
  // Of an object that was parsed from JSON, whatever its members are.
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

/** By code units, as every gateway sorts them; in place, since few names are moved faster than copied. */
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
  // No JSON begins with #, so no short string can pass for a long one.
  return text.length > longStringCharacters ? `#${hash('sha256', text, 'base64')}` : quote(text);
}

/** In nearly every text of a call there is nothing to escape; to have JSON.stringify see that takes longer than the rest. */
function quote(text: string): string {
  const isPlain = text.length <= plainCharacters && needsNoEscape.test(text);
  return isPlain ? `"${text}"` : JSON.stringify(text);
}

const plainCharacters = 64;
const needsNoEscape = /^[ !#-[\]-~]*$/;
