import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { migrate } from '@belfry/database';
import {
  closeFolder,
  createDatabase,
  dropDatabase,
  listDatabases,
  type OnProgress,
  startPostgres,
  startRedis,
  withDatabase,
} from '@belfry/embedded';

export type TestStores = {
  /** The variables that `testDatabase()` and `testRedis()` read in every Jest worker. */
  env: { TEST_DATABASE_TEMPLATE_URL: string; TEST_REDIS_URL: string };
  stop(): Promise<void>;
};

export type TestStoresOptions = {
  /** The data folder of the embedded servers. */
  folder: string;
  /** A server that runs already. It is left running, and the databases of this run are removed. */
  databaseUrl?: string | undefined;
  redisUrl?: string | undefined;
  onProgress?: OnProgress;
};

export const repositoryRoot = path.resolve(__dirname, '..', '..', '..');
const migrationsDir = path.join(repositoryRoot, 'prisma', 'migrations');
const namePrefix = 'belfry_test_';

/**
 * A PostgreSQL with one migrated database to clone from, and a Redis.
 * @public scripts/test.mjs loads the build.
 */
export async function startTestStores(options: TestStoresOptions): Promise<TestStores> {
  const closers: (() => Promise<void>)[] = [];
  async function stop() {
    for (const close of closers.reverse()) await close();
  }
  try {
    await closeFolder(options.folder);
    const template = await startTemplate(options, closers);
    const redis = await findRedisUrl(options, closers);
    return { env: { TEST_DATABASE_TEMPLATE_URL: template, TEST_REDIS_URL: redis }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Closers = (() => Promise<void>)[];

async function startTemplate(options: TestStoresOptions, closers: Closers): Promise<string> {
  const { folder, databaseUrl, ...rest } = options;
  const name = `${namePrefix}${randomBytes(4).toString('hex')}`;
  if (databaseUrl) {
    closers.push(() => dropAll(databaseUrl, name));
    return migrated(databaseUrl, name);
  }
  const postgres = await startPostgres({
    ...rest,
    dataDir: path.join(folder, 'postgres'),
    canCreateDatabases: true,
  });
  closers.push(postgres.stop);
  await dropAll(postgres.url, namePrefix);
  return migrated(postgres.url, name);
}

async function migrated(serverUrl: string, name: string): Promise<string> {
  await createDatabase(serverUrl, name);
  const url = withDatabase(serverUrl, name);
  await migrate(url, migrationsDir);
  return url;
}

async function dropAll(serverUrl: string, prefix: string): Promise<void> {
  for (const name of await listDatabases(serverUrl)) {
    if (name.startsWith(prefix)) await dropDatabase(serverUrl, name);
  }
}

async function findRedisUrl(options: TestStoresOptions, closers: Closers): Promise<string> {
  const { folder, redisUrl, onProgress } = options;
  if (redisUrl) return redisUrl;
  const redis = await startRedis({
    dataDir: path.join(folder, 'redis'),
    cacheDir: path.join(repositoryRoot, '.belfry', 'cache'),
    persistence: false,
    ...(onProgress ? { onProgress } : {}),
  });
  closers.push(redis.stop);
  return redis.url;
}
