/**
 * The Redis value of a key: no body, no name. It holds a state letter, the fingerprint, the request id (also the lock
 * owner's token) and the id of the ring key that made the fingerprint.
 * L: locked. D: done, the response follows from the request id. R: done, the response is in PostgreSQL.
 */
export type Entry = {
  state: EntryState;
  fingerprint: Buffer;
  requestId: string;
  ringKeyId: string;
};

export type EntryState = 'locked' | 'done' | 'done_in_row';

/** SHA-256 and a UUID in base64url. */
const fingerprintCharacters = 43;
export const tokenCharacters = 22;
/** The start of the token in a value; Lua counts from 1. */
export const tokenStart = 1 + fingerprintCharacters + 1;
export const entryCharacters = fingerprintCharacters + tokenCharacters;
export const finishCharacters = tokenCharacters + 1 + entryCharacters;

const letters = { locked: 'L', done: 'D', done_in_row: 'R' } as const;

export function writeEntry({ fingerprint, requestId }: Omit<Entry, 'ringKeyId' | 'state'>): string {
  return fingerprint.toString('base64url') + writeToken(requestId);
}

export function writeState(state: EntryState): string {
  return letters[state];
}

export function writeToken(requestId: string): string {
  return Buffer.from(requestId.replaceAll('-', ''), 'hex').toString('base64url');
}

/** Undefined if the value is not an entry. */
export function readEntry(value: unknown): Entry | undefined {
  const match = typeof value === 'string' ? pattern.exec(value)?.groups : undefined;
  if (!match) return undefined;
  const { letter = '', fingerprint = '', token = '', ring = '' } = match;
  return {
    state: parseState(letter),
    fingerprint: Buffer.from(fingerprint, 'base64url'),
    requestId: readToken(token),
    ringKeyId: ring,
  };
}

const pattern =
  /^(?<letter>[LDR])(?<fingerprint>[\w-]{43})(?<token>[\w-]{22})(?<ring>[\w-]{1,32})$/;

function parseState(letter: string): EntryState {
  if (letter === letters.locked) return 'locked';
  return letter === letters.done ? 'done' : 'done_in_row';
}

function readToken(token: string): string {
  const hex = Buffer.from(token, 'base64url').toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
