import { hash } from 'node:crypto';
import type { HostConnections } from '@belfry/channels';
import { createRedisScript, type Logger, runRedisScript } from '@belfry/runtime';
import type { Redis } from 'ioredis';

export type HostConnectionsDeps = {
  redis: Redis;
  prefix: string;
  /** Connections to one host that may be open at once, over all workers. */
  max: number;
  /** For how long a connection of a worker that is gone still counts; longer than one mail may take. */
  ttlMs: number;
  log: Logger;
};

/** A connection that nobody asked for lately waits no more: its worker is gone. */
const waitingTtlMs = 2_000;

/**
 * Counts connections by host in Redis, and gives the ones that get free to whoever waits longest. Without Redis each one is
 * granted: what workers bound by themselves holds on.
 */
export function createHostConnections(deps: HostConnectionsDeps): HostConnections {
  const { redis, prefix, max, ttlMs, log } = deps;

  /** A host is what an operator typed. */
  function getKeys(host: string): string[] {
    const key = `${prefix}:connections:${hash('sha256', host, 'base64url')}`;
    return [key, `${key}:line`, `${key}:asked`];
  }

  return {
    async take(host, connectionId) {
      const call = { keys: getKeys(host), args: [connectionId, max, ttlMs, waitingTtlMs] };
      const answer = await runRedisScript(redis, takeScript, call).catch((error: unknown) => {
        log.debug('host_connections.not_counted', { error });
        return granted;
      });
      if (answer === grantedAndAwaited) return 'wanted';
      return answer === granted ? 'granted' : 'refused';
    },
    release(host, connectionId) {
      runRedisScript(redis, releaseScript, { keys: getKeys(host), args: [connectionId] }).catch(
        (error: unknown) => log.debug('host_connections.not_released', { error }),
      );
    },
  };
}

const granted = 1;
const grantedAndAwaited = 2;

/**
 * KEYS: connections by when they stop to count; those that wait, by when they asked first, and by when they asked last.
 * ARGV: connection, how many may be open, for how long one counts, for how long one waits without asking again.
 */
const takeScript = createRedisScript(`
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local id, max, ttl, patience = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local function touch()
  for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ttl + patience) end
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now - patience)) do
  redis.call('ZREM', KEYS[2], gone)
  redis.call('ZREM', KEYS[3], gone)
end
if not redis.call('ZSCORE', KEYS[1], id) then
  redis.call('ZADD', KEYS[2], 'NX', now, id)
  redis.call('ZADD', KEYS[3], now, id)
  if redis.call('ZRANK', KEYS[2], id) >= max - redis.call('ZCARD', KEYS[1]) then
    touch()
    return 0
  end
  redis.call('ZREM', KEYS[2], id)
  redis.call('ZREM', KEYS[3], id)
end
redis.call('ZADD', KEYS[1], now + ttl, id)
touch()
if redis.call('ZCARD', KEYS[2]) > 0 and redis.call('ZCARD', KEYS[1]) >= max then return ${grantedAndAwaited} end
return ${granted}`);

const releaseScript = createRedisScript(`
for _, key in ipairs(KEYS) do redis.call('ZREM', key, ARGV[1]) end
return 1`);
