import { type Database, readInstallation } from '@belfry/database';
import { createQueueFacts } from '@belfry/pipeline/operate';
import { createRedis, type Env, type Logger, type Shutdown } from '@belfry/runtime';
import { createReadStatus } from './status';

const gatewayTimeoutMs = 1_000;

type StatusServices = {
  env: Env<'dashboard'>;
  log: Logger;
  shutdown: Shutdown;
  database: Database;
};

/** Whether the stores and the gateway answer, and whether sending is paused. */
export function createStatus({
  env,
  log,
  shutdown,
  database,
}: StatusServices): () => ReturnType<ReturnType<typeof createReadStatus>> {
  const redis = env.REDIS_URL === '' ? undefined : createRedis({ url: env.REDIS_URL, log });
  if (redis) shutdown.add('redis', () => redis.disconnect());
  const facts = createQueueFacts(database.lookUps);
  return createReadStatus({
    pingPostgres: () => facts.ping(),
    pingRedis: async () => {
      if (!redis) throw new Error('REDIS_URL is not set');
      await redis.ping();
    },
    async pingGateway() {
      const signal = AbortSignal.timeout(gatewayTimeoutMs);
      const response = await fetch(new URL('livez', withSlash(env.PUBLIC_URL)), { signal });
      if (!response.ok) throw new Error(`The gateway answers ${response.status}`);
    },
    async readPause() {
      const row = await readInstallation(database.lookUps);
      return row?.pausedAt ? (row.pauseReason ?? 'operator') : undefined;
    },
    gatewayUrl: env.PUBLIC_URL,
    now: () => performance.now(),
  });
}

function withSlash(url: string): string {
  return url.endsWith('/') ? url : `${url}/`;
}
