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
  if (Array.isArray(value)) return `[${value.map((member) => write(member, isInData)).join(',')}]`;
  if (typeof value === 'object' && value !== null) return writeObject(value, isInData);
  return JSON.stringify(value) ?? 'null';
}

function writeObject(object: object, isInData: boolean): string {
  const members = Object.entries(object)
    .filter(([, member]) => isInData || member !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, member]) => `${JSON.stringify(name)}:${write(member, isInData || name === 'data')}`,
    );
  return `{${members.join(',')}}`;
}

function writeString(text: string): string {
  if (text.length <= longStringCharacters) return JSON.stringify(text);
  // No JSON begins with #, so no short string can pass for a long one.
  return `#${hash('sha256', text, 'base64')}`;
}
