import { confirmInstallation, createInstallationWatch, pauseByOperator } from '@belfry/database';
import { createLogger, createRedis, newId } from '@belfry/runtime';
import { testRedis } from '@belfry/testing';
import type { World } from './world.fixture';

/** Starts, pauses and confirms the installation. */
export async function useInstallationRow({ database }: World): Promise<void> {
  const { url, prefix } = testRedis();
  const log = createLogger({ level: 'error', process: 'test' });
  const redis = createRedis({ url, log });
  const deps = { pool: database.accepting, redis, prefix: `${prefix}-${newId()}`, log };
  const watch = createInstallationWatch(deps);
  try {
    await watch.start();
    await watch.close();
    await pauseByOperator(deps.pool);
    await confirmInstallation(deps);
  } finally {
    await redis.del(`${deps.prefix}:installation`);
    redis.disconnect();
  }
}
