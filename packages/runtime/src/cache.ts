import { LRUCache } from 'lru-cache';
import type { Awaitable } from './awaitable';

export type CacheOptions = {
  /** How long a cached value is used. */
  ttlMs: number;
  /** Maximum number of entries. */
  maxEntries: number;
};

/**
 * Caches values that `find` returns; a missing value is not cached. Concurrent callers of the same key share one lookup,
 * and a cached value is returned synchronously. `context` is passed to `find` and is not part of the key.
 */
export function createCache<Value extends object, Context = void>(
  find: (key: string, context: Context) => Promise<Value | undefined>,
  { ttlMs, maxEntries }: CacheOptions,
  isKept: (value: Value) => boolean = () => true,
): (key: string, context: Context) => Awaitable<Value | undefined> {
  // lru-cache treats a ttl of 0 as unlimited.
  if (ttlMs === 0) return find;
  const cache = new LRUCache<string, Value>({ max: maxEntries, ttl: ttlMs });
  const pending = new Map<string, Promise<Value | undefined>>();

  async function load(key: string, context: Context): Promise<Value | undefined> {
    try {
      const value = await find(key, context);
      if (value !== undefined && isKept(value)) cache.set(key, value);
      return value;
    } finally {
      pending.delete(key);
    }
  }

  return function lookUp(key, context) {
    const value = cache.get(key);
    if (value !== undefined) return value;
    const pendingValue = pending.get(key) ?? load(key, context);
    pending.set(key, pendingValue);
    return pendingValue;
  };
}

/** Like createCache, for callers that need a promise. */
export function createAsyncCache<Value extends object>(
  find: (key: string) => Promise<Value | undefined>,
  options: CacheOptions,
): (key: string) => Promise<Value | undefined> {
  const lookUp = createCache(find, options);
  return async (key) => lookUp(key);
}
