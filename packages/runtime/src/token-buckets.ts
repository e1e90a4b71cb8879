import { LRUCache } from 'lru-cache';

export type TokenBucketsOptions = {
  /** Tokens of a full bucket. */
  burst: number;
  perSecond: number;
  /** Maximum number of buckets. The least recently used one is dropped, and is full if used again. */
  maxBuckets: number;
  /** A monotonic clock, in milliseconds. */
  now: () => number;
};

export type TokenBuckets = {
  /** Takes a token; false if there is none. */
  take(name: string): boolean;
  giveBack(name: string): void;
};

/** Named token buckets in the memory of this process. */
export function createTokenBuckets(options: TokenBucketsOptions): TokenBuckets {
  const { burst, perSecond, maxBuckets, now } = options;
  const buckets = new LRUCache<string, { tokens: number; atMs: number }>({ max: maxBuckets });

  function refill(name: string) {
    const bucket = buckets.get(name) ?? { tokens: burst, atMs: now() };
    const newTokens = ((now() - bucket.atMs) / 1_000) * perSecond;
    bucket.tokens = Math.min(burst, bucket.tokens + newTokens);
    bucket.atMs = now();
    buckets.set(name, bucket);
    return bucket;
  }

  return {
    take(name) {
      const bucket = refill(name);
      if (bucket.tokens < 1) return false;
      bucket.tokens -= 1;
      return true;
    },
    giveBack(name) {
      const bucket = refill(name);
      bucket.tokens = Math.min(burst, bucket.tokens + 1);
    },
  };
}
