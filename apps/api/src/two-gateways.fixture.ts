import path from 'node:path';
import { type Database, migrate } from '@belfry/database';
import { createLogger, createRedis, newId } from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  createTcpProxy,
  type OwnStore,
  openDatabase,
  ownPostgres,
  ownRedis,
  startProcess,
  type TcpProxy,
  type Tenant,
  type TestProcess,
  testKeyRing,
} from '@belfry/testing';

/** A gateway process whose connections to each store go through a proxy. */
export type Gateway = { url: string; process: TestProcess; postgres: TcpProxy; redis: TcpProxy };

export type Answer = { status: number; text: string; isReplay: boolean; retryAfter: string | null };

const migrations = path.resolve(__dirname, '../../../prisma/migrations');
const log = createLogger({ level: 'error', process: 'test' });

/** Two gateways on dedicated stores, which tests kill, pause, flush and restart. */
export async function startTwoGateways() {
  const [postgres, redis] = await Promise.all([ownPostgres(), ownRedis({ persistence: false })]);
  await migrate(postgres.url, migrations);
  const database = openDatabase({ url: postgres.url, poolSize: 2 });
  const factories = createFactories(database);
  const tenant = await factories.createTenant();
  const { name: event } = await factories.createEvent(tenant, {
    email: channelVersion({ subject: 'Hi', text: 'Hello' }),
  });
  const client = createRedis({ url: redis.url, log, commandTimeoutMs: 5_000 });
  const stores = { postgres, redis };
  const gateways: Gateway[] = [];

  async function startGateway(): Promise<Gateway> {
    const gateway = await startOne(stores);
    gateways.push(gateway);
    // Fill the look-up caches, so that the next call goes straight to its key.
    await send(gateway, newId(), { tenant, event });
    return gateway;
  }

  return {
    postgres,
    redis,
    client,
    database,
    tenant,
    startGateway,
    send: (gateway: Gateway, key: string | undefined, data: object = {}) =>
      send(gateway, key, { tenant, event, data }),
    countRequests: (key: string) => countRequests(database, key),
    async close() {
      await Promise.all(gateways.map((gateway) => gateway.process.stop('SIGKILL')));
      await Promise.all(
        gateways.flatMap(({ postgres: postgresProxy, redis: redisProxy }) => [
          postgresProxy.close(),
          redisProxy.close(),
        ]),
      );
      client.disconnect();
      await database.close();
      await Promise.all([postgres.remove(), redis.remove()]);
    },
  };
}

export type TwoGateways = Awaited<ReturnType<typeof startTwoGateways>>;

type Stores = { postgres: OwnStore; redis: OwnStore };

async function startOne({ postgres, redis }: Stores): Promise<Gateway> {
  const proxy = await createTcpProxy(postgres.url);
  const redisProxy = await createTcpProxy(redis.url);
  const process = startProcess('apps/api/dist/main.js', {
    DATABASE_URL: proxy.url,
    REDIS_URL: redisProxy.url,
    BELFRY_KEYS: testKeyRing,
    PUBLIC_URL: 'http://127.0.0.1',
    ALLOW_HTTP: 'true',
    API_PORT: '0',
    LOOKUP_CACHE_MS: '5000',
  });
  const ready = await process.waitForLine('api.ready');
  return { url: String(ready['url']), process, postgres: proxy, redis: redisProxy };
}

type Sent = { tenant: Tenant; event: string; data?: object };

async function send(
  { url }: Gateway,
  key: string | undefined,
  { tenant, event, data = {} }: Sent,
): Promise<Answer> {
  const response = await fetch(new URL(`/v1/apps/${tenant.appId}/events/send`, url), {
    method: 'POST',
    headers: {
      Authorization: `AuthKey ${tenant.apiKey}`,
      'Content-Type': 'application/json',
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    },
    body: JSON.stringify({ event, user: { email: 'a@example.com' }, data }),
    signal: AbortSignal.timeout(60_000),
  });
  return {
    status: response.status,
    text: await response.text(),
    isReplay: response.headers.get('idempotent-replayed') === 'true',
    retryAfter: response.headers.get('retry-after'),
  };
}

function countRequests({ prisma }: Database, idempotencyKey: string): Promise<number> {
  return prisma.request.count({ where: { idempotencyKey } });
}
