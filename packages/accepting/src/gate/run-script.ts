import type { Redis } from 'ioredis';
import type { Script } from './scripts';

export type ScriptCall = { keys: string[]; args: (string | number)[] };

/** Runs a script by its hash; where Redis does not know it, after a restart or a flush, it is sent once in full. */
export async function runScript(
  redis: Redis,
  { lua, sha }: Script,
  { keys, args }: ScriptCall,
): Promise<unknown> {
  try {
    return await redis.evalsha(sha, keys.length, ...keys, ...args);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return redis.eval(lua, keys.length, ...keys, ...args);
  }
}
