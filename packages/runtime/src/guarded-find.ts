import { LRUCache } from 'lru-cache';
import type { TokenBuckets } from './token-buckets';

export type GuardedFindOptions<Row> = {
  find(id: string): Promise<Row | undefined>;
  /** The ids that `find` would find now. */
  readIds(): Promise<Iterable<string>>;
  /** Failed look-ups of each network, and of all together. */
  networkBuckets: TokenBuckets;
  globalBucket: TokenBuckets;
  /** Thrown in place of a look-up. */
  refusal(): Error;
  now(): number;
};

const maxUnknownIds = 10_000;
const unknownForMs = 60_000;
const readIdsEveryMs = 1_000;

/**
 * Bounds the look-ups of ids that do not exist, for strangers who may ask for any. An id that was not found is remembered
 * as such: ids are random, and one that is gone never comes back. When a network has failed too often, only ids that
 * exist are looked up for it, by a list of them that is read once a second at most. So whoever shares a network with an
 * attacker is never locked out: not by a cold cache, and for a key that was made just now no longer than that second.
 */
export function createGuardedFind<Row extends object>(
  options: GuardedFindOptions<Row>,
): (id: string, network: string) => Promise<Row | undefined> {
  const { find, networkBuckets, globalBucket, refusal } = options;
  const unknown = new LRUCache<string, true>({ max: maxUnknownIds, ttl: unknownForMs });
  const exists = createIdList(options);

  /** A try is counted before its outcome is known, so that many at once are not let through together. */
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
