import { createInstallationWatch, type Database } from '@belfry/database';
import type { Env, Logger, RedisConnection, Shutdown } from '@belfry/runtime';

type InstallationServices = {
  env: Env<'api'>;
  log: Logger;
  shutdown: Shutdown;
  database: Database;
  redis: RedisConnection;
};

/** Which installation this gateway belongs to, and whether it is a restored copy that no operator has confirmed. */
export function createInstallation({ env, log, shutdown, database, redis }: InstallationServices) {
  const watch = createInstallationWatch({
    pool: database.lookUps,
    redis,
    prefix: env.REDIS_PREFIX,
    log,
  });
  shutdown.add('installation', watch.close);
  return {
    getInstallationId: () => watch.getState()?.id,
    installation: {
      startInstallationWatch: watch.start,
      isPaused: () => watch.getState()?.pause !== undefined,
    },
  };
}
