import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** A new key: `key` is shown to the user, `id` and `secretHash` are stored. */
export type NewApiKey = { key: string; id: string; secretHash: Buffer };

export type ParsedApiKey = { id: string; secretHash: Buffer };

const prefix = 'bk_';
const idCharacters = 22;
const secretCharacters = 32;
const checksumCharacters = 6;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const idEnd = prefix.length + idCharacters;
const secretEnd = idEnd + secretCharacters;
const shape = new RegExp(
  `^${prefix}[0-9A-Za-z]{${idCharacters + secretCharacters + checksumCharacters}}$`,
);

/** `bk_`, an id for the lookup, a secret of 190 bits, and a checksum that detects a typo without a lookup. */
export function createApiKey(): NewApiKey {
  const id = randomBase62(idCharacters);
  const secret = randomBase62(secretCharacters);
  const body = `${prefix}${id}${secret}`;
  return { key: `${body}${computeChecksum(body)}`, id, secretHash: hashSecret(secret) };
}

/** The parts of a well-formed key; undefined for anything else. */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  // Every API call runs this: no capture groups, and no checksum string built for the comparison.
  if (!shape.test(text)) return undefined;
  if (crc32(text.slice(0, secretEnd)) !== parseChecksum(text.slice(secretEnd))) return undefined;
  return {
    id: text.slice(prefix.length, idEnd),
    secretHash: hashSecret(text.slice(idEnd, secretEnd)),
  };
}

/** Compares in constant time. */
export function isSameSecret(candidate: Buffer, stored: Buffer): boolean {
  return candidate.length === stored.length && timingSafeEqual(candidate, stored);
}

function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}

function randomBase62(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

function computeChecksum(body: string): string {
  let remainder = crc32(body);
  let text = '';
  for (let place = 0; place < checksumCharacters; place += 1) {
    text = alphabet.charAt(remainder % alphabet.length) + text;
    remainder = Math.floor(remainder / alphabet.length);
  }
  return text;
}

/** The inverse of the checksum's base 62 encoding. */
function parseChecksum(checksum: string): number {
  let number = 0;
  for (let place = 0; place < checksumCharacters; place += 1) {
    number = number * alphabet.length + alphabet.indexOf(checksum.charAt(place));
  }
  return number;
}
