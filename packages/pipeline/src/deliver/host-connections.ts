import { hash } from 'node:crypto';
import type { HostConnections } from '@belfry/channels';
import {
  addHashTag,
  createRedisScript,
  type Logger,
  type RedisConnection,
  runRedisScript,
} from '@belfry/runtime';

export type HostConnectionsDeps = {
  redis: RedisConnection;
  prefix: string;
  /** Maximum open connections to one host, over all workers. */
  max: number;
  /** How long a connection of a dead worker still counts; longer than one mail may take. */
  ttlMs: number;
  log: Logger;
};

/** A connection request that is not repeated for this long is dropped, because its worker is dead. */
const waitingTtlMs = 2_000;

/**
 * Counts connections by host in Redis, and gives a free one to the connection that has waited longest. Without Redis every
 * connection is granted; each worker's own limit still applies.
 */
export function createHostConnections(deps: HostConnectionsDeps): HostConnections {
  const { redis, prefix, max, ttlMs, log } = deps;

  /** The host is hashed, because an operator may have typed anything. */
  function getKeys(host: string): string[] {
    const name = hash('sha256', host, 'base64url');
    const key = `${addHashTag(prefix, name)}:connections:${name}`;
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
 * KEYS: connections by expiry; waiting ones by their first request; waiting ones by their last request.
 * ARGV: connection id, maximum open, ms that an open one counts, ms that one waits without a new request.
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
