import type { Server } from 'node:http';
import { Writable } from 'node:stream';
import type { Database } from '@belfry/database';
import { createLogger, createRedis, createShutdown, newId, readEnv } from '@belfry/runtime';
import {
  createFactories,
  type Factories,
  openDatabase,
  type Tenant,
  testDatabase,
  testKeyRing,
  testRedis,
} from '@belfry/testing';
import request, { type Test } from 'supertest';
import { type ApiDeps, createApi } from './app';
import { createApiDeps } from './composition';
import { listRoutes } from './routes.fixture';
import { type Api, createApiServer } from './server';
import { createSlackRouter } from './slack/router';

type Method = 'get' | 'post' | 'put' | 'delete';

export type StoredCall = {
  method: Method;
  /** Path relative to the app. */
  path: string;
  body?: string | object;
  headers?: Record<string, string>;
  app?: string;
  apiKey?: string;
};

/** A gateway on the test stores, with a new account. */
export type StoredGateway = {
  api: Api;
  server: Server;
  /** Every route of the gateway, such as `GET /livez`, with Express parameters. */
  routes: string[];
  /** The gateway's metrics in Prometheus format. */
  readMetrics(): Promise<string>;
  /** A separate connection, to inspect the gateway's keys. */
  redis: ReturnType<typeof createRedis>;
  redisPrefix: string;
  database: Database;
  factories: Factories;
  tenant: Tenant;
  call(call: StoredCall): Test;
  /** Ends the streams of inboxes, as the gateway does first when it shuts down. */
  closeStreams(): Promise<void>;
  close(): Promise<void>;
};

export async function createStoredGateway({
  env: changes = {},
  deps = {},
  databaseUrl,
}: {
  /** Settings of the gateway. The test itself uses the test database. */
  env?: Record<string, string>;
  deps?: Partial<ApiDeps>;
  /** Replaces the test database for the gateway and the test. */
  databaseUrl?: string;
} = {}): Promise<StoredGateway> {
  const log = createLogger({ level: 'error', process: 'test', stream: createNullStream() });
  const shutdown = createShutdown({ log, timeoutMs: 5_000 });
  const url = databaseUrl ?? (await testDatabase()).url;
  const store = testRedis();
  const env = readEnv('api', {
    DATABASE_URL: url,
    REDIS_URL: store.url,
    REDIS_PREFIX: `${store.prefix}-${newId()}`,
    BELFRY_KEYS: testKeyRing,
    PUBLIC_URL: 'http://127.0.0.1',
    ALLOW_HTTP: 'true',
    LOOKUP_CACHE_MS: '0',
    ...changes,
  });
  const apiDeps = createApiDeps(env, log, shutdown);
  const slack = apiDeps.slackDeps && (await createSlackRouter(apiDeps.slackDeps));
  const api = createApi({ ...apiDeps, ...(slack ? { slack } : {}), ...deps });
  const server = createApiServer(api, { ...apiDeps.https, newId, log });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const database = openDatabase({ url, poolSize: 2 });
  const redis = createRedis({ url: store.url, log });
  const factories = createFactories(database);
  const tenant = await factories.createTenant();
  return {
    api,
    server,
    routes: listRoutes(api),
    readMetrics: () => apiDeps.metrics.read(),
    redis,
    redisPrefix: env.REDIS_PREFIX,
    database,
    factories,
    tenant,
    call({ method, path, body, headers = {}, app = tenant.appId, apiKey = tenant.apiKey }) {
      const test = request(server)
        [method](`/v1/apps/${app}${path}`)
        .set({ Authorization: `AuthKey ${apiKey}`, ...headers });
      return body === undefined ? test : test.type('json').send(body);
    },
    closeStreams: apiDeps.inboxStreams.close,
    async close() {
      await apiDeps.inboxStreams.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await shutdown.run('test');
      redis.disconnect();
      await database.close();
    },
  };
}

/** Omits expected errors from the log. */
function createNullStream(): Writable {
  return new Writable({ write: (_chunk, _encoding, callback) => callback() });
}
