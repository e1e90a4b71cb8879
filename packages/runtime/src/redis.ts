import { hash } from 'node:crypto';
import { Redis } from 'ioredis';
import type { Logger } from './log';

export type RedisOptions = { url: string; log: Logger };

const connectTimeoutMs = 1_000;
const defaultCommandTimeoutMs = 1_000;
const longestReconnectWaitMs = 2_000;

/** For commands that a caller waits for: they fail at once or after a timeout, and never hang. */
export function createRedis({
  url,
  log,
  commandTimeoutMs = defaultCommandTimeoutMs,
}: RedisOptions & { commandTimeoutMs?: number }): Redis {
  return watch(
    new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: commandTimeoutMs,
      connectTimeout: connectTimeoutMs,
      // ioredis ignores the failure of its own attempt after a reconnect, and an unhandled one ends the process.
      autoResubscribe: false,
      retryStrategy,
    }),
    log,
  );
}

/** Longer than a consumer blocks on an empty queue, so that only a dead connection reaches it. */
const silentLinkMs = 10_000;

/**
 * For queue consumers, whose commands block and must survive an outage. A silent connection is closed, and its commands
 * are sent again on the next one. A timeout per command would not work: BullMQ's loop does not survive a failed command.
 */
export function createConsumerRedis({ url, log }: RedisOptions): Redis {
  return watch(
    new Redis(url, {
      maxRetriesPerRequest: null,
      socketTimeout: silentLinkMs,
      connectTimeout: connectTimeoutMs,
      retryStrategy,
    }),
    log,
  );
}

/** Resolves when the connection is ready or the time is over; true if it is ready. */
export function waitForRedis(redis: Redis, timeoutMs: number): Promise<boolean> {
  if (redis.status === 'ready') return Promise.resolve(true);
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish(false), timeoutMs);
    const onReady = () => finish(true);
    function finish(isReady: boolean): void {
      clearTimeout(timer);
      redis.off('ready', onReady);
      resolve(isReady);
    }
    redis.once('ready', onReady);
  });
}

function retryStrategy(attempts: number): number {
  return Math.min(attempts * 50, longestReconnectWaitMs);
}

function watch(redis: Redis, log: Logger): Redis {
  let isLost = false;
  // One log line per outage, not per reconnect.
  redis.on('error', (error) => {
    if (!isLost) log.warn('redis.connection_lost', { error });
    isLost = true;
  });
  redis.on('ready', () => {
    if (isLost) log.info('redis.connection_restored');
    isLost = false;
  });
  return redis;
}

/** A Lua script and its SHA1 for EVALSHA. */
export type RedisScript = { lua: string; sha: string };

type ScriptCall = { keys: string[]; args: (string | number)[] };

export function createRedisScript(lua: string): RedisScript {
  return { lua, sha: hash('sha1', lua, 'hex') };
}

/** Runs a script by its hash. If Redis does not have it, after a restart or a flush, sends it in full once. */
export async function runRedisScript(
  redis: Redis,
  { lua, sha }: RedisScript,
  { keys, args }: ScriptCall,
): Promise<unknown> {
  try {
    return await redis.evalsha(sha, keys.length, ...keys, ...args);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return redis.eval(lua, keys.length, ...keys, ...args);
  }
}
