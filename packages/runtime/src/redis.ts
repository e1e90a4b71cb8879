import { Redis } from 'ioredis';
import type { Logger } from './log';

export type RedisOptions = { url: string; log: Logger };

const connectTimeoutMs = 1_000;
const defaultCommandTimeoutMs = 1_000;
const longestReconnectWaitMs = 2_000;

/** For commands that a caller waits for: they fail at once, or after their time, and never hang. */
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
      retryStrategy,
    }),
    log,
  );
}

/** Longer than a consumer blocks on an empty queue, so that only a link that went silent reaches it. */
const silentLinkMs = 10_000;

/**
 * For a queue's consumer, whose commands block and must outlive an outage. It is the link that ends when nothing comes,
 * and its commands go out again on the next one: BullMQ's loop does not survive a command that ends by itself.
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

/** Resolves when the connection is usable or the time is over; true when it is usable. */
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
  // One line an outage, not one a reconnect.
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
