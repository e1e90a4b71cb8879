import { createBatcher, createRedisScript, runRedisScript } from '@belfry/runtime';
import type { Redis } from 'ioredis';

/** Fills by one token each `intervalMs`, up to `burst`; an interval of 0 is no limit, only a place for a pause. */
export type Bucket = { key: string; intervalMs: number; burst: number };

export type TokenRequest = {
  /** A token is taken from each of them, or from none. */
  buckets: Bucket[];
  /** Those who wait in one line get times one after the other: who waited before, single sends, bulk. */
  queue: 'again' | 'single' | 'bulk';
};

export type Pause = {
  key: string;
  waitMs: number;
  /** Paused as well once several keys that name it were, within seconds. */
  parentKey?: string;
};

/** `given`: the tokens are the caller's, `waitMs` from now. Otherwise it is worth asking again then. */
export type TokenAnswer = { isGranted: boolean; waitMs: number };

/** Token buckets that all workers share, in Redis and by its clock. */
export type Buckets = {
  /** Rejects without Redis. */
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
      // The script answers a number for each: below nothing where nothing was given.
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

/** `k` is the place among the script's KEYS, which begin with one of our own. */
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
 * Tokens of the next moments are given away before they are there: who gets one waits in its worker. So they are used up
 * evenly, however unevenly the relay brings those who ask; and who comes back from PostgreSQL may come a little late.
 */
const aheadMs = 1_000;
const earlyMs = 750;

/**
 * Only the first bucket of an ask gives ahead: what waits for another one, or for the end of a pause, waits in PostgreSQL.
 * A bucket is a hash: `t`, when it will be full again; `p`, until when it is paused; and for each line the time that the
 * next one in it gets. A bucket that is not there is full; but after a flush, which took KEYS[1] too, it begins empty.
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

/** Of a bot whose chats are refused one after the other it is the bot that is too fast. */
const pausesOfParent = 3;
const pausesWithinMs = 10_000;

/** ARGV[1]: ms. KEYS: what is paused; or a part, its whole, and the count of the parts that were paused lately. */
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
