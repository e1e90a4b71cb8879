import { createBatcher, createRedisScript, runRedisScript } from '@belfry/runtime';
import type { Redis } from 'ioredis';

/** A token bucket: one token each `intervalMs`, up to `burst`. An interval of 0 means no limit, only pauses. */
export type Bucket = { key: string; intervalMs: number; burst: number };

export type TokenRequest = {
  /** Takes a token from every bucket, or from none. */
  buckets: Bucket[];
  /** Waiting requests of one queue get times one after the other. `again` is for messages that waited before. */
  queue: 'again' | 'single' | 'bulk';
};

export type Pause = {
  key: string;
  waitMs: number;
  /** Paused as well after three pauses of its keys within 10 s. */
  parentKey?: string;
};

/** If granted, the tokens are valid after `waitMs`. Otherwise retry after `waitMs`. */
export type TokenAnswer = { isGranted: boolean; waitMs: number };

/** Token buckets that all workers share, in Redis and by its clock. */
export type Buckets = {
  /** Rejects if Redis is unavailable. */
  requestTokens(request: TokenRequest): Promise<TokenAnswer>;
  pause(pause: Pause): Promise<void>;
};

const requestsPerScript = 100;
const maxRequestsWaiting = 100_000;

export function createBuckets({ redis, prefix }: { redis: Redis; prefix: string }): Buckets {
  const buildKey = (key: string) => `${prefix}:limit:${key}`;
  const batcher = createBatcher<TokenRequest, TokenAnswer>({
    async flush(requests) {
      const keys = [...new Set(requests.flatMap(({ buckets }) => buckets.map(({ key }) => key)))];
      const answers = await runRedisScript(redis, requestScript, {
        keys: ['since', ...keys].map(buildKey),
        args: [JSON.stringify(requests.map((request) => toWire(request, keys)))],
      });
      // The script returns a number for each request; a negative one means not granted.
      return (answers as number[]).map((wait) => ({
        isGranted: wait >= 0,
        waitMs: Math.abs(wait),
      }));
    },
    maxBatch: requestsPerScript,
    maxWaiting: maxRequestsWaiting,
  });
  return {
    requestTokens: (request) => batcher.add(request),
    async pause({ key, waitMs, parentKey }) {
      const keys = parentKey === undefined ? [key] : [key, parentKey, `${parentKey}:paused`];
      await runRedisScript(redis, pauseScript, { keys: keys.map(buildKey), args: [waitMs] });
    },
  };
}

/** `k` is the index in the script's KEYS, whose first one is `since`. */
function toWire({ buckets, queue: line }: TokenRequest, keys: string[]) {
  return {
    line,
    // Bulk leaves the last token to single sends.
    need: line === 'bulk' ? 2 : 1,
    buckets: buckets.map(({ key, intervalMs, burst }) => ({
      k: keys.indexOf(key) + 2,
      interval: intervalMs,
      burst,
    })),
  };
}

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
const requestScript = createRedisScript(`
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
const pauseScript = createRedisScript(`
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
