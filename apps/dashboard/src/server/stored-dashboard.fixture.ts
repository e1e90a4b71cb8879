import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { createDatabase, type Database } from '@belfry/database';
import { createLogger, createShutdown, newId, readEnv } from '@belfry/runtime';
import {
  createFactories,
  type Factories,
  type Tenant,
  testDatabase,
  testKeyRing,
} from '@belfry/testing';
import type { Express } from 'express';
import request, { type Agent } from 'supertest';
import { createDashboard } from './app';
import { createDashboardParts, type DashboardParts } from './parts';

export const password = 'a sentence of their own';

/** A dashboard on the store of the tests, with one account and its operator signed in. */
export type StoredDashboard = {
  app: Express;
  server: Server;
  url: string;
  database: Database;
  factories: Factories;
  parts: DashboardParts;
  tenant: Tenant;
  email: string;
  /** Calls as the operator, from the page's own origin. */
  call(method: Method, path: string, body?: object): Promise<Answer>;
  /** Another account, its operator signed in. */
  createNeighbour(): Promise<Neighbour>;
  close(): Promise<void>;
};

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
// biome-ignore lint/suspicious/noExplicitAny: what a test asks of an answer's JSON is the test.
export type Answer = { status: number; body: any; headers: Record<string, string> };
export type Neighbour = {
  tenant: Tenant;
  call: StoredDashboard['call'];
  /** The same operator at another machine. */
  signInAgain(): Promise<StoredDashboard['call']>;
};

export async function createStoredDashboard(
  env: Record<string, string> = {},
): Promise<StoredDashboard> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const log = createLogger({ level: 'error', process: 'test', stream: nowhere });
  const shutdown = createShutdown({ log, timeoutMs: 5_000 });
  const { url: databaseUrl } = await testDatabase();
  const settings = readEnv('dashboard', {
    DATABASE_URL: databaseUrl,
    BELFRY_KEYS: testKeyRing,
    PUBLIC_URL: 'http://127.0.0.1:9',
    ALLOW_HTTP: 'true',
    ...env,
  });
  const parts = createDashboardParts(settings, log, shutdown);
  const app = createDashboard(parts);
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const database = createDatabase({ url: databaseUrl, poolSize: 2, log });
  const factories = createFactories(database);
  const passwordHash = await parts.passwords.hash(password);

  const signUp = createSignUp({ url, database, factories, passwordHash });
  const first = await signUp();
  return {
    app,
    server,
    url,
    database,
    factories,
    parts,
    tenant: first.tenant,
    email: first.email,
    call: callAs(first.agent, url),
    async createNeighbour() {
      const { tenant, email, agent } = await signUp();
      return {
        tenant,
        call: callAs(agent, url),
        signInAgain: async () => callAs(await signIn(url, email), url),
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

type SignUpDeps = { url: string; database: Database; factories: Factories; passwordHash: string };

function createSignUp({ url, database, factories, passwordHash }: SignUpDeps) {
  return async function signUp(): Promise<{ tenant: Tenant; email: string; agent: Agent }> {
    const tenant = await factories.createTenant();
    const email = `${newId()}@example.com`;
    await database.prisma.operator.create({
      data: { id: newId(), accountId: tenant.accountId, email, passwordHash, role: 'owner' },
    });
    return { tenant, email, agent: await signIn(url, email) };
  };
}

async function signIn(url: string, email: string): Promise<Agent> {
  const agent = request.agent(url);
  const sent = agent.post('/api/session').set('Origin', url).send({ email, password });
  const { status } = await sent;
  if (status !== 200) throw new Error(`The operator could not sign in: ${status}`);
  return agent;
}

function callAs(agent: Agent, url: string): StoredDashboard['call'] {
  return async (method, path, body) => {
    const sent = agent[method](`/api/${path}`).set('Origin', url);
    const answer = await (body ? sent.send(body) : sent);
    return { status: answer.status, body: answer.body, headers: answer.headers };
  };
}
