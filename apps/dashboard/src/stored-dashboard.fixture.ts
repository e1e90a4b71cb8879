import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import {
  createDatabase,
  createOperatorSessions,
  createOperators,
  type Database,
} from '@belfry/database';
import { createLogger, createShutdown, readEnv } from '@belfry/runtime';
import {
  createFactories,
  type Factories,
  type Tenant,
  testDatabase,
  testKeyRing,
} from '@belfry/testing';
import request, { type Test } from 'supertest';
import { createDashboard } from './app';
import { createDashboardDeps } from './parts';
import { createDashboardServer } from './server';
import { createPasswords } from './sessions/password';
import { createToken, hashOfToken } from './sessions/sessions';

type Method = 'get' | 'post' | 'put' | 'delete';

export type DashboardCall = {
  method: Method;
  path: string;
  body?: object;
  cookie?: string;
  headers?: Record<string, string>;
};

/** Someone who is signed in, with an account of their own. */
export type SignedIn = Tenant & { operatorId: string; email: string; cookie: string };

export type StoredDashboard = {
  server: Server;
  /** As a page of the dashboard calls it: with its origin. */
  call(call: DashboardCall): Test;
  database: Database;
  factories: Factories;
  /** Every route, such as `GET /livez`. */
  routes: string[];
  signedIn(options?: { delivery?: 'sandbox' | 'live' }): Promise<SignedIn>;
  createSetUpLink(accountId: string, lifetimeMs?: number): Promise<string>;
  ensureAdministrator(): Promise<boolean>;
  close(): Promise<void>;
};

export const testPassword = 'the password of every test';

export async function createStoredDashboard(
  changes: Record<string, string> = {},
): Promise<StoredDashboard> {
  const log = createLogger({ level: 'error', process: 'test', stream: nowhere() });
  const shutdown = createShutdown({ log, timeoutMs: 5_000 });
  const { url } = await testDatabase();
  const env = readEnv('dashboard', {
    DATABASE_URL: url,
    BELFRY_KEYS: testKeyRing,
    PUBLIC_URL: 'https://notify.example.com',
    ALLOW_HTTP: 'true',
    ALLOWED_PRIVATE_HOSTS: '127.0.0.1',
    ...changes,
  });
  const deps = createDashboardDeps(env, log, shutdown);
  const dashboard = createDashboard(deps);
  const server = createDashboardServer(dashboard);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address with one.
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const database = createDatabase({ url, poolSize: 2, log });
  const factories = createFactories(database);
  const people = await createPeople(database, factories);

  return {
    server,
    database,
    factories,
    routes: dashboard.router.stack.flatMap(({ route }) =>
      route
        ? [...new Set(route.stack.map(({ method }) => `${method.toUpperCase()} ${route.path}`))]
        : [],
    ),
    ...people,
    ensureAdministrator: () => deps.ensureAdministrator(),
    call({ method, path, body, cookie, headers = {} }) {
      const test = request(`http://${host}`)
        [method](path)
        .set({ Origin: `http://${host}`, ...(cookie ? { Cookie: cookie } : {}), ...headers });
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

const sessionLimits = { maxIdleMs: 60_000, maxAgeMs: 600_000 };

async function createPeople(
  database: Database,
  factories: Factories,
): Promise<Pick<StoredDashboard, 'createSetUpLink' | 'signedIn'>> {
  const operators = createOperators(database.accepting);
  const sessions = createOperatorSessions(database.accepting, sessionLimits);
  // Hashing is dear, and one hash does for everybody.
  const passwordHash = await createPasswords().hash(testPassword);

  async function createSetUpLink(accountId: string, lifetimeMs = 60_000): Promise<string> {
    const token = createToken();
    await operators.createSetUpLink({ accountId, tokenHash: hashOfToken(token), lifetimeMs });
    return token;
  }

  return {
    createSetUpLink,
    async signedIn(options) {
      const tenant = await factories.createTenant(options);
      const email = `${randomBytes(8).toString('hex')}@example.com`;
      const tokenHash = hashOfToken(await createSetUpLink(tenant.accountId));
      const made = await operators.setUp(tokenHash, { email, passwordHash });
      if (!('operator' in made)) throw new Error(made.refused);
      const token = createToken();
      const operatorId = made.operator.id;
      await sessions.createSession({ ...tenant, operatorId }, hashOfToken(token));
      return { ...tenant, operatorId, email, cookie: `belfry_session=${token}` };
    },
  };
}

/** Faults that a test asks for need no line. */
function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
