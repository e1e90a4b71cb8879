import { LRUCache } from 'lru-cache';
import type { Awaitable } from './awaitable';

export type CacheOptions = {
  /** How long an answer may be given from memory. */
  ttlMs: number;
  /** Entries, at most. */
  maxEntries: number;
};

/**
 * Remembers what `find` found; what it did not find, or what is not to be kept, is asked again each time.
 * Callers that ask for the same key at once share one look-up; what is in memory is given at once. `context` is handed on
 * to `find`, and is no part of the key.
 */
export function createCache<Value extends object, Context = void>(
  find: (key: string, context: Context) => Promise<Value | undefined>,
  { ttlMs, maxEntries }: CacheOptions,
  isKept: (value: Value) => boolean = () => true,
): (key: string, context: Context) => Awaitable<Value | undefined> {
  // lru-cache takes a ttl of 0 for "never ends".
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
