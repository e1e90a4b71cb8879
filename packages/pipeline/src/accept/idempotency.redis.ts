import { createRedisScript } from '@belfry/runtime';
import {
  entryCharacters,
  finishCharacters,
  tokenCharacters,
  tokenStart,
} from './idempotency-entry';

const tokenEnd = tokenStart + tokenCharacters - 1;

/** Whether the value `held` is a lock, and the lock of `owner`. */
const isLockOwnedBy = (owner: string) =>
  `(string.sub(held, 1, 1) == 'L' and string.sub(held, ${tokenStart}, ${tokenEnd}) == ${owner})`;

/** The piece of ARGV[1] that belongs to the key `i`. */
const sliceArgument = (characters: number) =>
  `string.sub(ARGV[1], (i - 1) * ${characters} + 1, i * ${characters})`;

// Each script takes keys of one account, and may be run twice: a command whose answer was lost may be sent again.

/** ARGV: fingerprint and token of each key; ring key; ms of the lock. Answers 1 where the caller has the lock, else what is there. */
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

/** ARGV: owner and new value of each key; ring key; ms to keep. Another one's lock, and what is done, stay as they are. */
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

/** ARGV: owner of each key. Only its own lock is removed. */
export const release = createRedisScript(`
for i = 1, #KEYS do
  local owner = ${sliceArgument(tokenCharacters)}
  local held = redis.call('GET', KEYS[i])
  if held and ${isLockOwnedBy('owner')} then
    redis.call('DEL', KEYS[i])
  end
end
return #KEYS`);
