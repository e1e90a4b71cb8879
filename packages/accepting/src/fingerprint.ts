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

/** What can be written as it is, is written in one go: one by one 200,000 texts hold the event loop for too long. */
function writeArray(array: readonly unknown[], isInData: boolean): string {
  const parts: string[] = [];
  for (let at = 0; at < array.length; ) {
    const end = endOfPlain(array, at);
    if (end > at) parts.push(JSON.stringify(array.slice(at, end)).slice(1, -1));
    else parts.push(write(array[at], isInData));
    at = Math.max(end, at + 1);
  }
  return `[${parts.join(',')}]`;
}

function endOfPlain(array: readonly unknown[], start: number): number {
  let end = start;
  while (end < array.length && isPlain(array[end])) end += 1;
  return end;
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= longStringCharacters;
  return typeof value !== 'object' || value === null;
}

function writeObject(object: object, isInData: boolean): string {
  // Of an object that was parsed from JSON, whatever its members are.
  const members = object as Readonly<Record<string, unknown>>;
  let text = '';
  // By code units, as every gateway sorts them.
  for (const name of Object.keys(members).sort()) {
    const member = members[name];
    if (member === null && !isInData) continue;
    const comma = text === '' ? '' : ',';
    text += `${comma}${JSON.stringify(name)}:${write(member, isInData || name === 'data')}`;
  }
  return `{${text}}`;
}

function writeString(text: string): string {
  if (text.length <= longStringCharacters) return JSON.stringify(text);
  // No JSON begins with #, so no short string can pass for a long one.
  return `#${hash('sha256', text, 'base64')}`;
}
