import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import type { Database } from '@belfry/database';
import { createLogger, createShutdown, newId, readEnv } from '@belfry/runtime';
import {
  createFactories,
  type Factories,
  openDatabase,
  type Tenant,
  testDatabase,
  testKeyRing,
} from '@belfry/testing';
import type { Express } from 'express';
import request, { type Agent } from 'supertest';
import { createDashboard } from './app';
import { createDashboardServices, type DashboardServices } from './composition';
import type { Method } from './route';
import { findAnswerProblems } from './routes.fixture';
import { createDashboardServer } from './server';
import { hashToken } from './sessions';

export const password = 'a sentence of their own';

/** Operators of a test confirm hundreds of changes, and each hash would take 150 ms of a core. */
const quickCost = { N: 2, r: 1, p: 1 };

/** A dashboard on the test database, with one account and a signed-in operator. */
export type StoredDashboard = {
  app: Express;
  server: Server;
  url: string;
  database: Database;
  factories: Factories;
  services: DashboardServices;
  tenant: Tenant;
  email: string;
  /** Calls as the operator, from the origin of the page. A 200 answer that differs from the contract fails the test. */
  call(method: Method, path: string, body?: object): Promise<Answer>;
  /** Another account with a signed-in operator. */
  createNeighbour(): Promise<Neighbour>;
  close(): Promise<void>;
};

// biome-ignore lint/suspicious/noExplicitAny: tests assert the JSON themselves.
export type Answer = { status: number; body: any; headers: Record<string, string> };
export type Neighbour = {
  tenant: Tenant;
  email: string;
  call: StoredDashboard['call'];
  /** The same operator on another machine. */
  signInAgain(): Promise<StoredDashboard['call']>;
  /** The cookie of another session, for raw calls. */
  signInForCookie(): Promise<string>;
};

export async function createStoredDashboard(
  env: Record<string, string> = {},
): Promise<StoredDashboard> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const log = createLogger({ level: 'error', process: 'test', stream: nowhere });
  const shutdown = createShutdown({ log, timeoutMs: 5_000 });
  const databaseUrl = env['DATABASE_URL'] ?? (await testDatabase()).url;
  const settings = readEnv('dashboard', {
    DATABASE_URL: databaseUrl,
    BELFRY_KEYS: testKeyRing,
    PUBLIC_URL: 'http://127.0.0.1:9',
    ALLOW_HTTP: 'true',
    ...env,
  });
  const services = createDashboardServices(settings, log, shutdown, quickCost);
  const app = createDashboard(services);
  const { isTrustedProxy } = services.connections;
  const server = createDashboardServer(app, { isTrustedProxy, log }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const database = openDatabase({ url: databaseUrl, poolSize: 2 });
  const factories = createFactories(database);
  const passwordHash = await services.passwords.hash('everybody@example.com', password);

  const signIn = createSignIn(services);
  const signUp = createSignUp({ url, database, factories, passwordHash, signIn });
  const first = await signUp();
  return {
    app,
    server,
    url,
    database,
    factories,
    services,
    tenant: first.tenant,
    email: first.email,
    call: createCaller(first.agent, url),
    async createNeighbour() {
      const { tenant, email, operatorId, agent } = await signUp();
      return {
        tenant,
        email,
        call: createCaller(agent, url),
        signInAgain: async () =>
          createCaller(request.agent(url).set('Cookie', await signIn(operatorId)), url),
        signInForCookie: () => signIn(operatorId),
      };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await shutdown.run('test');
      await database.close();
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: see `Answer`.
type AuditEntries = any[];

/** The audit entries of operators. The entries of the factories have no operator. */
export async function listOperatorEntries({
  call,
}: Pick<Neighbour, 'call'>): Promise<AuditEntries> {
  const { body } = await call('get', 'audit');
  return body.entries.filter(({ operator }: { operator: string | null }) => operator !== null);
}

type SignIn = (operatorId: string) => Promise<string>;
type SignUpDeps = {
  url: string;
  database: Database;
  factories: Factories;
  passwordHash: string;
  signIn: SignIn;
};

function createSignUp({ url, database, factories, passwordHash, signIn }: SignUpDeps) {
  return async function signUp() {
    const tenant = await factories.createTenant();
    const [operatorId, email] = [newId(), `${newId()}@example.com`];
    await database.prisma.operator.create({
      data: { id: operatorId, accountId: tenant.accountId, email, passwordHash, role: 'owner' },
    });
    const agent = request.agent(url).set('Cookie', await signIn(operatorId));
    return { tenant, email, operatorId, agent };
  };
}

const hourMs = 60 * 60_000;

/** Creates a session like a sign-in, but without the slow password hash. */
function createSignIn({ access }: DashboardServices): SignIn {
  return async function signIn(operatorId) {
    const token = randomBytes(32).toString('base64url');
    const times = { idleMs: hourMs, longestMs: hourMs };
    await access.createSession(operatorId, hashToken(token), times);
    return `belfry_session=${token}`;
  };
}

function createCaller(agent: Agent, url: string): StoredDashboard['call'] {
  return async (method, path, body) => {
    const sent = agent[method](`/api/${path}`).set('Origin', url);
    const answer = await (body ? sent.send(body) : sent);
    if (answer.status === 200) expect(findAnswerProblems(method, path, answer.body)).toEqual([]);
    return { status: answer.status, body: answer.body, headers: answer.headers };
  };
}
