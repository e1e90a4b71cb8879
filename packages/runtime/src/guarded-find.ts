import { LRUCache } from 'lru-cache';

type GuardedFindOptions<Row> = {
  find(id: string): Promise<Row | undefined>;
  /** All ids that exist now. */
  readIds(): Promise<Iterable<string>>;
  /** Failed lookups of each network. `globalBucket`: of all networks together. */
  networkBuckets: TokenBuckets;
  globalBucket: TokenBuckets;
  /** The error to throw instead of a lookup. */
  refusal(): Error;
  now(): number;
};

const maxUnknownIds = 10_000;
const unknownForMs = 60_000;
const readIdsEveryMs = 1_000;

/**
 * Limits lookups of unknown ids by unauthenticated callers. Unknown ids are cached: ids are random, and a deleted one
 * never comes back. After too many failures, a network can only look up ids on a list of existing ones, which is read at
 * most once per second. So an attacker never locks out other users of the network, even with a cold cache. A new key
 * works there within a second.
 */
export function createGuardedFind<Row extends object>(
  options: GuardedFindOptions<Row>,
): (id: string, network: string) => Promise<Row | undefined> {
  const { find, networkBuckets, globalBucket, refusal } = options;
  const unknown = new LRUCache<string, true>({ max: maxUnknownIds, ttl: unknownForMs });
  const exists = createIdList(options);

  /** Takes the token before the result is known, so that concurrent attempts cannot exceed the limit. */
  function takeToken(network: string): boolean {
    if (!networkBuckets.take(network)) return false;
    if (globalBucket.take(globalBucketKey)) return true;
    networkBuckets.giveBack(network);
    return false;
  }

  function returnToken(network: string): void {
    networkBuckets.giveBack(network);
    globalBucket.giveBack(globalBucketKey);
  }

  async function findCounted(id: string, network: string): Promise<Row | undefined> {
    let isFailed = false;
    try {
      const row = await find(id);
      isFailed = row === undefined;
      return row;
    } finally {
      if (!isFailed) returnToken(network);
    }
  }

  return async function guardedFind(id, network) {
    if (unknown.has(id)) return undefined;
    const isCounted = takeToken(network);
    if (!isCounted && !(await exists(id))) throw refusal();
    const row = await (isCounted ? findCounted(id, network) : find(id));
    if (!row) unknown.set(id, true);
    return row;
  };
}

const globalBucketKey = '';

function createIdList({ readIds, now }: Pick<GuardedFindOptions<object>, 'readIds' | 'now'>) {
  let reading: Promise<ReadonlySet<string>> = Promise.resolve(new Set());
  let readAtMs = Number.NEGATIVE_INFINITY;

  return async function exists(id: string): Promise<boolean> {
    if ((await reading.catch(() => noIds)).has(id)) return true;
    if (now() - readAtMs >= readIdsEveryMs) {
      readAtMs = now();
      reading = readIds().then((ids) => new Set(ids));
    }
    return (await reading).has(id);
  };
}

const noIds: ReadonlySet<string> = new Set();

type TokenBucketsOptions = {
  /** Tokens of a full bucket. */
  burst: number;
  perSecond: number;
  /** Maximum number of buckets. The least recently used one is dropped, and is full if used again. */
  maxBuckets: number;
  /** A monotonic clock, in milliseconds. */
  now: () => number;
};

type TokenBuckets = {
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
