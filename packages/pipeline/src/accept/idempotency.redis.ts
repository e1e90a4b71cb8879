import { createRedisScript } from '@belfry/runtime';
import {
  entryCharacters,
  finishCharacters,
  tokenCharacters,
  tokenStart,
} from './idempotency-entry';

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
