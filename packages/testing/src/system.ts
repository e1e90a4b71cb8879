import type { Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { startProcess, type TestProcess } from './child-process';
import { openDatabase, ownDatabase, testDatabase } from './database';
import { eventually } from './eventually';
import { createFactories, type Factories, type Tenant, testKeyRing } from './factories';
import { testRedis } from './redis';
import { repositoryRoot } from './test-stores';

export type SystemOptions = {
  /** Settings beyond the defaults of all tests, for gateway and worker alike. */
  env?: Record<string, string>;
  /** By default a database of its own: a relay would also deliver what other test files left in a shared one. */
  databaseUrl?: string;
  redisUrl?: string;
  /** The roles of each worker process; one process with all roles by default. */
  workers?: string[];
  /** Node options for the workers. */
  workerNodeOptions?: readonly string[];
  /** The checkout whose build runs; this one by default. */
  root?: string;
};

/** The built gateway and workers as processes. */
export type System = {
  apiUrl: string;
  api: TestProcess;
  workers: TestProcess[];
  databaseUrl: string;
  database: Database;
  factories: Factories;
  startWorker(roles?: string): Promise<TestProcess>;
  /** A second gateway, on another port. */
  startGateway(): Promise<TestProcess>;
  startDashboard(): Promise<TestProcess>;
  /** POSTs a single send as a backend service would. */
  send(tenant: Tenant, body: unknown, headers?: Record<string, string>): Promise<SendAnswer>;
  /** Like `send`, but it must be accepted; returns the request's ID. */
  sendAccepted(tenant: Tenant, body: unknown): Promise<string>;
  /** The request's messages with their attempts, by channel. */
  readMessages(requestId: string): Promise<MessageRow[]>;
  /** Like `messages`, once they are in these states. */
  settled(requestId: string, states: string[], timeoutMs?: number): Promise<MessageRow[]>;
  stop(): Promise<void>;
};

export type SendAnswer = { status: number; headers: Headers; body: { request_id?: string } };

export type MessageRow = Awaited<ReturnType<typeof readMessages>>[number];

/** Short retry delays and a lease of 5.5 s, to keep tests short. */
const quick = {
  RETRY_BASE_MS: '20',
  RETRY_CAP_MS: '200',
  RELAY_POLL_MS: '50',
  RELAY_REQUEUE_AFTER_MS: '500',
  LOOKUP_CACHE_MS: '0',
};

export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const own = options.databaseUrl === undefined ? await ownDatabase() : undefined;
  const databaseUrl = own?.url ?? String(options.databaseUrl);
  const env = await testEnvironment({ ...options, databaseUrl });
  const database = openDatabase({ url: databaseUrl, poolSize: 2 });
  const { workerNodeOptions: nodeOptions = [], root = repositoryRoot } = options;
  const api = startProcess('apps/api/dist/main.js', env, { root });
  const workers: TestProcess[] = [];

  async function startWorker(roles = 'all'): Promise<TestProcess> {
    const workerEnv = { ...env, WORKER_ROLES: roles };
    const worker = startProcess('apps/worker/dist/main.js', workerEnv, { nodeOptions, root });
    workers.push(worker);
    await worker.waitForLine('worker.ready');
    return worker;
  }

  const gateways: TestProcess[] = [];

  async function startMore(app: 'api' | 'dashboard', more: Record<string, string> = {}) {
    const entry = app === 'api' ? 'apps/api/dist/main.js' : 'apps/dashboard/dist/server/main.js';
    const started = startProcess(entry, { ...env, ...more }, { root });
    gateways.push(started);
    await started.waitForLine(`${app}.ready`);
    return started;
  }

  async function stop(): Promise<void> {
    await Promise.all([api, ...gateways, ...workers].map((each) => each.stop()));
    await database.close();
    await own?.drop();
  }

  const apiUrl = await startAll().catch(async (error: unknown) => {
    await stop();
    throw error;
  });

  async function startAll(): Promise<string> {
    await Promise.all((options.workers ?? ['all']).map(startWorker));
    return String((await api.waitForLine('api.ready'))['url']);
  }

  return {
    apiUrl,
    api,
    workers,
    databaseUrl,
    database,
    factories: createFactories(database),
    startWorker,
    startGateway: () => startMore('api'),
    startDashboard: () => startMore('dashboard', { PUBLIC_URL: apiUrl, DASHBOARD_PORT: '0' }),
    send: (tenant, body, headers) => send(apiUrl, tenant, { body, headers }),
    sendAccepted: (tenant, body) => sendAccepted(apiUrl, tenant, body),
    readMessages: (requestId) => readMessages(database, requestId),
    settled: (requestId, states, timeoutMs = settleTimeoutMs) =>
      eventually(() => readSettled(database, requestId, states), { timeoutMs }),
    stop,
  };
}

/** The settings of a process that runs on the stores of this Jest worker. */
export async function testEnvironment(
  options: SystemOptions = {},
): Promise<Record<string, string>> {
  const redis = testRedis();
  return {
    DATABASE_URL: options.databaseUrl ?? (await testDatabase()).url,
    REDIS_URL: options.redisUrl ?? redis.url,
    REDIS_PREFIX: `${redis.prefix}-${newId()}`,
    BELFRY_KEYS: testKeyRing,
    PUBLIC_URL: 'http://127.0.0.1',
    ALLOW_HTTP: 'true',
    ALLOWED_PRIVATE_HOSTS: 'localhost,127.0.0.1,::1',
    API_PORT: '0',
    ...quick,
    ...options.env,
  };
}

async function send(
  apiUrl: string,
  { apiKey, appId }: Tenant,
  call: { body: unknown; headers: Record<string, string> | undefined },
): Promise<SendAnswer> {
  const response = await fetch(new URL(`/v1/apps/${appId}/events/send`, apiUrl), {
    method: 'POST',
    headers: {
      Authorization: `AuthKey ${apiKey}`,
      'Content-Type': 'application/json',
      ...call.headers,
    },
    body: JSON.stringify(call.body),
  });
  // Every answer of the gateway is a JSON object.
  const body = (await response.json()) as SendAnswer['body'];
  return { status: response.status, headers: response.headers, body };
}

async function sendAccepted(apiUrl: string, tenant: Tenant, body: unknown): Promise<string> {
  const answer = await send(apiUrl, tenant, { body, headers: undefined });
  const { request_id: requestId } = answer.body;
  if (answer.status !== 200 || !requestId) throw new Error(`Refused: ${answer.status}`);
  return requestId;
}

/** Generous, for a busy machine. */
const settleTimeoutMs = 15_000;

async function readSettled(
  database: Database,
  requestId: string,
  expectedStates: string[],
): Promise<MessageRow[]> {
  const messages = await readMessages(database, requestId);
  const states = messages.map(({ state }) => state);
  if (states.join() === expectedStates.join()) return messages;
  const attempts = messages.flatMap(({ channel, attemptRows }) =>
    attemptRows.map(({ outcome, reason, detail }) => ({ channel, outcome, reason, detail })),
  );
  throw new Error(
    `The messages are ${states.join(', ')}, not ${expectedStates.join(', ')}; attempts: ${JSON.stringify(attempts)}`,
  );
}

function readMessages({ prisma }: Database, requestId: string) {
  return prisma.message.findMany({
    where: { requestId },
    orderBy: { channel: 'asc' },
    include: { attemptRows: { orderBy: { number: 'asc' } } },
  });
}
