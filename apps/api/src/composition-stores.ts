import { createDatabase, createInstallationWatch, readServer } from '@belfry/database';
import { createQueues } from '@belfry/pipeline/accept';
import { createRedis, type Env, type Logger, type Shutdown } from '@belfry/runtime';

/** Opens PostgreSQL, Redis and the queues, and watches whether they are a restored copy that no operator has confirmed. */
export function openStores(env: Env<'api'>, log: Logger, shutdown: Shutdown) {
  const prefix = env.REDIS_PREFIX;
  const database = createDatabase({ ...readServer(env), poolSize: env.DATABASE_POOL_SIZE, log });
  const redis = createRedis({ url: env.REDIS_URL, log });
  shutdown.add('database', () => database.close());
  shutdown.add('redis', () => redis.disconnect());
  const watch = createInstallationWatch({ pool: database.lookUps, redis, prefix, log });
  shutdown.add('installation', watch.close);
  const queues = createQueues({ redis, prefix, log });
  shutdown.add('queues', () => queues.close());
  return {
    database,
    redis,
    queues,
    getInstallationId: () => watch.getState()?.id,
    installation: {
      startInstallationWatch: watch.start,
      isPaused: () => watch.getState()?.pause !== undefined,
    },
  };
}
