import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** A Lua script and its SHA1 for EVALSHA. */
export type RedisScript = { lua: string; sha: string };

export type ScriptCall = { keys: string[]; args: (string | number)[] };

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
