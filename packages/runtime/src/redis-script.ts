import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** A Lua script with the hash by which Redis knows it. */
export type RedisScript = { lua: string; sha: string };

export type ScriptCall = { keys: string[]; args: (string | number)[] };

export function createRedisScript(lua: string): RedisScript {
  return { lua, sha: hash('sha1', lua, 'hex') };
}

/** Runs a script by its hash; where Redis does not know it, after a restart or a flush, it is sent once in full. */
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
