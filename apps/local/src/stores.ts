import { type OnProgress, startPostgres, startRedis } from '@belfry/embedded';
import type { Choices } from './choices';
import type { Places } from './places';

export type Stores = {
  databaseUrl: string;
  redisUrl: string;
  processes: { name: string; pid: number }[];
};

type Closers = { add(name: string, close: () => Promise<void>): void };

/** The stores that were given, else embedded ones; both start at once. */
export async function startStores(
  { places, choices }: { places: Places; choices: Choices },
  closers: Closers,
  onProgress: OnProgress,
): Promise<Stores> {
  const processes: Stores['processes'] = [];

  async function database(): Promise<string> {
    if (choices.databaseUrl) return choices.databaseUrl;
    const { url, pid, stop } = await startPostgres({ dataDir: places.postgres, onProgress });
    closers.add('postgres', stop);
    processes.push({ name: 'postgres', pid });
    return url;
  }

  async function redis(): Promise<string> {
    if (choices.redisUrl) return choices.redisUrl;
    const options = { dataDir: places.redis, cacheDir: places.cache, persistence: true };
    const { url, pid, stop } = await startRedis({ ...options, onProgress });
    closers.add('redis', stop);
    processes.push({ name: 'redis', pid });
    return url;
  }

  // Both are waited for, so that one that starts after the other has failed is still stopped.
  const [first, second] = await Promise.allSettled([database(), redis()]);
  if (first.status === 'rejected') throw first.reason;
  if (second.status === 'rejected') throw second.reason;
  return { databaseUrl: first.value, redisUrl: second.value, processes };
}
