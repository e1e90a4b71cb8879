import { createRedisScript } from '@belfry/runtime';

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
const tokenStart = 1 + fingerprintCharacters + 1;
const entryCharacters = fingerprintCharacters + tokenCharacters;
const finishCharacters = tokenCharacters + 1 + entryCharacters;

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

const tokenEnd = tokenStart + tokenCharacters - 1;

/** Lua: whether the value `held` is a lock of `owner`. */
const isLockOwnedBy = (owner: string) =>
  `(string.sub(held, 1, 1) == 'L' and string.sub(held, ${tokenStart}, ${tokenEnd}) == ${owner})`;

/** Lua: the part of ARGV[1] for the key `i`. */
const sliceArgument = (characters: number) =>
  `string.sub(ARGV[1], (i - 1) * ${characters} + 1, i * ${characters})`;

// Each script takes keys of one account. It may run twice, because a command whose reply was lost may be resent.

/**
 * ARGV: fingerprint and token of each key; ring key; lock time in ms. Returns 1 if the caller has the lock, else the
 * stored value.
 */
export const begin = createRedisScript(`
local answers = {}
for i = 1, #KEYS do
  local mine = ${sliceArgument(entryCharacters)}
  if redis.call('SET', KEYS[i], 'L' .. mine .. ARGV[2], 'NX', 'PX', ARGV[3]) then
    answers[i] = 1
  else
    local held = redis.call('GET', KEYS[i])
    if ${isLockOwnedBy(`string.sub(mine, ${entryCharacters - tokenCharacters + 1})`)} then
      answers[i] = 1
    else
      answers[i] = held
    end
  end
end
return answers`);

/** ARGV: owner and new value of each key; ring key; expiry in ms. Keeps another owner's lock and finished values. */
export const finish = createRedisScript(`
for i = 1, #KEYS do
  local piece = ${sliceArgument(finishCharacters)}
  local owner = string.sub(piece, 1, ${tokenCharacters})
  local held = redis.call('GET', KEYS[i])
  if not held or ${isLockOwnedBy('owner')} then
    redis.call('SET', KEYS[i], string.sub(piece, ${tokenCharacters + 1}) .. ARGV[2], 'PX', ARGV[3])
  end
end
return #KEYS`);

/** ARGV: owner of each key. Removes only this owner's lock. */
export const release = createRedisScript(`
for i = 1, #KEYS do
  local owner = ${sliceArgument(tokenCharacters)}
  local held = redis.call('GET', KEYS[i])
  if held and ${isLockOwnedBy('owner')} then
    redis.call('DEL', KEYS[i])
  end
end
return #KEYS`);
