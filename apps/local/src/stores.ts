import { type OnProgress, startPostgres, startRedis } from '@belfry/embedded';
import type { Choices } from './choices';
import type { LocalPaths } from './local-paths';
import { refuseUnreachable } from './reach';

export type Stores = {
  databaseUrl: string;
  redisUrl: string;
  /** Data folders of embedded servers; absent for external ones. */
  folders: { database?: string; redis?: string };
  processes: { name: string; pid: number }[];
};

const postgresPort = 5432;
const redisPort = 6379;

type Closers = { add(name: string, close: () => Promise<void>): void };

/** Uses external servers if configured, else starts embedded ones, both concurrently. */
export async function startStores(
  { paths, choices }: { paths: LocalPaths; choices: Choices },
  closers: Closers,
  onProgress: OnProgress,
): Promise<Stores> {
  const processes: Stores['processes'] = [];
  const folders: Stores['folders'] = {};

  async function database(): Promise<string> {
    const externalUrl = choices.databaseUrl;
    if (externalUrl) return refuseUnreachable('DATABASE_URL', externalUrl, postgresPort);
    const { url, pid, folder, stop } = await startPostgres({
      dataDir: paths.postgres,
      onProgress,
    });
    closers.add('postgres', stop);
    folders.database = folder;
    processes.push({ name: 'postgres', pid });
    return url;
  }

  async function redis(): Promise<string> {
    const externalUrl = choices.redisUrl;
    // The processes report what is wrong with Sentinels and Clusters.
    if (externalUrl)
      return /^\w+\+/.test(externalUrl)
        ? externalUrl
        : refuseUnreachable('REDIS_URL', externalUrl, redisPort);
    const options = { dataDir: paths.redis, cacheDir: paths.cache, persistence: true };
    const { url, pid, folder, stop } = await startRedis({ ...options, onProgress });
    closers.add('redis', stop);
    folders.redis = folder;
    processes.push({ name: 'redis', pid });
    return url;
  }

  // Waits for both, so that a server that starts after the other failed is stopped too.
  const [first, second] = await Promise.allSettled([database(), redis()]);
  if (first.status === 'rejected') throw first.reason;
  if (second.status === 'rejected') throw second.reason;
  return { databaseUrl: first.value, redisUrl: second.value, folders, processes };
}
