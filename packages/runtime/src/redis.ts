import { hash } from 'node:crypto';
import { Cluster, type Redis } from 'ioredis';
import type { Logger } from './log';
import { openRedis, type RedisConnection } from './redis-connection';

/** `url` is REDIS_URL. */
export type RedisOptions = { url: string; log: Logger };

const defaultCommandTimeoutMs = 1_000;
/**
 * A primary whose machine is gone answers nothing and closes nothing. Without this limit, commands would go to it, and not to
 * the promoted replica, until the system gives up after 15 minutes.
 */
const silentServerMs = 2_000;

/** For commands that a caller waits for: they fail at once or after a timeout, and never hang. */
export function createRedis({
  url,
  log,
  commandTimeoutMs = defaultCommandTimeoutMs,
}: RedisOptions & { commandTimeoutMs?: number }): RedisConnection {
  const server = {
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    // ioredis ignores the failure of its own attempt after a reconnect, and an unhandled one ends the process.
    autoResubscribe: false,
  };
  const withReplicas = { socketTimeout: Math.max(silentServerMs, commandTimeoutMs) };
  return watch(openRedis(url, { server, withReplicas, isResent: false }), log);
}

/** Longer than a consumer blocks on an empty queue, so that only a dead connection reaches it. */
const silentLinkMs = 10_000;

/**
 * For queue consumers, whose commands block and must survive an outage. A silent connection is closed, and its commands
 * are sent again on the next one. A timeout per command would not work: BullMQ's loop does not survive a failed command.
 */
export function createConsumerRedis({ url, log }: RedisOptions): RedisConnection {
  const server = { maxRetriesPerRequest: null, socketTimeout: silentLinkMs };
  return watch(openRedis(url, { server, isResent: true }), log);
}

/** Resolves when the connection is ready or the time is over; true if it is ready. */
export function waitForRedis(redis: RedisConnection, timeoutMs: number): Promise<boolean> {
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

/** One log line per outage, not per reconnect. */
function watch(redis: RedisConnection, log: Logger): RedisConnection {
  let isLost = false;
  redis.on('error', (error: Error) => {
    if (!isLost) log.warn('redis.connection_lost', { error });
    isLost = true;
  });
  redis.on('ready', () => {
    if (isLost) log.info('redis.connection_restored');
    isLost = false;
  });
  if (redis instanceof Cluster) watchNodes(redis, log);
  return redis;
}

function watchNodes(cluster: Cluster, log: Logger): void {
  const lostNodes = new Set<string>();
  cluster.on('node error', (error: Error, node: string) => {
    if (!lostNodes.has(node)) log.warn('redis.node_lost', { node, error });
    lostNodes.add(node);
  });
  cluster.on('+node', (connection: Redis) => {
    const { host, port } = connection.options;
    const node = `${host}:${port}`;
    connection.on('ready', () => {
      if (lostNodes.delete(node)) log.info('redis.node_restored', { node });
    });
  });
}

/** A Lua script and its SHA1 for EVALSHA. */
export type RedisScript = { lua: string; sha: string };

type ScriptCall = { keys: string[]; args: (string | number)[] };

export function createRedisScript(lua: string): RedisScript {
  return { lua, sha: hash('sha1', lua, 'hex') };
}

/** Runs a script by its hash. If Redis does not have it, after a restart or a flush, sends it in full once. */
export async function runRedisScript(
  redis: RedisConnection,
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
