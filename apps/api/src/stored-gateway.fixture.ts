import { createDatabase, type Database } from '@belfry/database';
import { createLogger, createShutdown, newId, readEnv } from '@belfry/runtime';
import {
  createFactories,
  type Factories,
  type Tenant,
  testDatabase,
  testKeyRing,
  testRedis,
} from '@belfry/testing';
import request, { type Test } from 'supertest';
import { createApi } from './app';
import { createApiDeps } from './parts';
import { createApiServer } from './server';

type Method = 'get' | 'post' | 'put' | 'delete';

export type StoredCall = {
  method: Method;
  /** Below the app. */
  path: string;
  body?: string | object;
  headers?: Record<string, string>;
  app?: string;
  apiKey?: string;
};

/** A gateway on the stores of the tests, with one account of its own. */
export type StoredGateway = {
  database: Database;
  factories: Factories;
  tenant: Tenant;
  call(call: StoredCall): Test;
  close(): Promise<void>;
};

export async function createStoredGateway(): Promise<StoredGateway> {
  const log = createLogger({ level: 'error', process: 'test' });
  const shutdown = createShutdown({ log, timeoutMs: 5_000 });
  const { url } = await testDatabase();
  const redis = testRedis();
  const env = readEnv('api', {
    DATABASE_URL: url,
    REDIS_URL: redis.url,
    REDIS_PREFIX: `${redis.prefix}-${newId()}`,
    BELFRY_KEYS: testKeyRing,
    PUBLIC_URL: 'http://127.0.0.1',
    ALLOW_HTTP: 'true',
    LOOKUP_CACHE_MS: '0',
  });
  const server = createApiServer(createApi(createApiDeps(env, log, shutdown)), { newId, log });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const database = createDatabase({ url, poolSize: 2, log });
  const factories = createFactories(database);
  const tenant = await factories.createTenant();
  return {
    database,
    factories,
    tenant,
    call({ method, path, body, headers = {}, app = tenant.appId, apiKey = tenant.apiKey }) {
      const test = request(server)
        [method](`/v1/apps/${app}${path}`)
        .set({ Authorization: `AuthKey ${apiKey}`, ...headers });
      return body === undefined ? test : test.type('json').send(body);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await shutdown.run('test');
      await database.close();
    },
  };
}
