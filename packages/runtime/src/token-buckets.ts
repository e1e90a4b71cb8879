import { LRUCache } from 'lru-cache';

export type TokenBucketsOptions = {
  /** Tokens of a bucket that was not used for a while. */
  burst: number;
  perSecond: number;
  /** Buckets that are remembered; the one used longest ago is forgotten first, and is full again. */
  maxBuckets: number;
  /** In ms, of a clock that only goes forward. */
  now: () => number;
};

export type TokenBuckets = {
  /** Takes a token; false where there is none. */
  take(name: string): boolean;
  giveBack(name: string): void;
};

/** Token buckets by name, in the memory of this process. */
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
