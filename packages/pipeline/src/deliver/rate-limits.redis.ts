import { createRedisScript } from '@belfry/runtime';

/**
 * Tokens of the next second are granted in advance, and the worker waits for their time. So tokens are used evenly, however
 * unevenly requests arrive. Messages that waited in PostgreSQL may also return a little late.
 */
const aheadMs = 1_000;
const earlyMs = 750;

/**
 * Only the first bucket of a request grants in advance; waits for other buckets, or for the end of a pause, are spent in
 * PostgreSQL. A bucket is a hash: `t` is when it is full again, `p` is the end of its pause, and each queue has a field with
 * the time that its next request gets. A missing bucket is full, unless Redis was flushed, which removes KEYS[1] too: then
 * it starts empty.
 */
export const requestScript = createRedisScript(`
local clock = redis.call('TIME')
local now = clock[1] * 1000 + clock[2] / 1000
local since = tonumber(redis.call('GET', KEYS[1]) or '')
if not since then
  since = now
  redis.call('SET', KEYS[1], now)
end
local function set(key, field, time)
  redis.call('HSET', key, field, time)
  local left = math.ceil(time - now) + 1000
  if redis.call('PTTL', key) < left then redis.call('PEXPIRE', key, left) end
end
local answers = {}
for i, ask in ipairs(cjson.decode(ARGV[1])) do
  local at = now
  local isGiven = true
  local isFirstAlone = true
  local seen = {}
  for j, bucket in ipairs(ask.buckets) do
    local held = redis.call('HMGET', KEYS[bucket.k], 't', 'p', ask.line)
    local full = math.max(tonumber(held[1] or '') or since + bucket.burst * bucket.interval, now)
    local spare = bucket.burst - math.min(ask.need, bucket.burst)
    local paused = tonumber(held[2] or '') or 0
    local free = math.max(full - spare * bucket.interval, paused)
    seen[j] = { full = full, free = free, tail = tonumber(held[3] or '') or 0 }
    local ahead = 0
    if j == 1 and paused <= now and bucket.interval > 0 then ahead = ${aheadMs} end
    if free > now + ahead then
      isGiven = false
      if ahead == 0 then isFirstAlone = false end
    end
    at = math.max(at, free)
  end
  if isGiven then
    for j, bucket in ipairs(ask.buckets) do
      if bucket.interval > 0 then set(KEYS[bucket.k], 't', seen[j].full + bucket.interval) end
    end
    answers[i] = math.floor(at - now)
  else
    for j, bucket in ipairs(ask.buckets) do
      if seen[j].free > now then at = math.max(at, seen[j].tail) end
    end
    local early = 0
    if isFirstAlone then early = ${earlyMs} end
    for j, bucket in ipairs(ask.buckets) do
      if seen[j].free > now and bucket.interval > 0 then
        set(KEYS[bucket.k], ask.line, at + bucket.interval)
      end
    end
    answers[i] = -math.max(1, math.ceil(at - now - early))
  end
end
return answers`);

/** If several chats of a bot are refused in a short time, the bot itself is too fast. */
const pausesOfParent = 3;
const pausesWithinMs = 10_000;

/** ARGV[1]: ms. KEYS: the key to pause; optionally its parent, and the count of the parent's recent pauses. */
export const pauseScript = createRedisScript(`
local clock = redis.call('TIME')
local now = clock[1] * 1000 + clock[2] / 1000
local function pause(key)
  local paused = tonumber(redis.call('HGET', key, 'p') or '') or 0
  redis.call('HSET', key, 'p', math.max(paused, now + ARGV[1]))
  local left = ARGV[1] + 1000
  if redis.call('PTTL', key) < left then redis.call('PEXPIRE', key, left) end
end
pause(KEYS[1])
if KEYS[2] then
  local count = redis.call('INCR', KEYS[3])
  if count == 1 then redis.call('PEXPIRE', KEYS[3], ${pausesWithinMs}) end
  if count >= ${pausesOfParent} then pause(KEYS[2]) end
end
return 1`);
