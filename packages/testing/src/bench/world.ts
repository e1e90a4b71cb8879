import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { channels } from '@belfry/channels';
import { createDatabase, type Database, migrate } from '@belfry/database';
import { closeFolder, startPostgres, startRedis } from '@belfry/embedded';
import { createQueues, type Queues } from '@belfry/pipeline/relay';
import {
  createLogger,
  createRedis,
  newId,
  nodeOptions,
  type RedisConnection,
} from '@belfry/runtime';
import { channelVersion, createFactories, type Tenant, testKeyRing } from '../factories';
import { simulatedAuthToken } from '../simulators/twilio';
import { repositoryRoot } from '../test-stores';
import { type LoadProcess, startLoad } from './load-process';
import { type BenchMember, startMember } from './members';

export type BenchEvent = { name: string; eventId: string; versionId: string };

/** The stores of a bench, with a tenant to send for; no process of ours runs yet. */
export type BenchWorld = {
  postgresPid: number;
  postgresFolder: string;
  redisPid: number;
  database: Database;
  redis: RedisConnection;
  redisUrl: string;
  databaseUrl: string;
  queues: Queues;
  prefix: string;
  load: LoadProcess;
  tenant: Tenant;
  /** The two SMS integrations. Messages go through both with equal load. */
  integrationIds: readonly [string, string];
  events: { sms: readonly [BenchEvent, BenchEvent]; three: BenchEvent; all: BenchEvent };
  channelCount: number;
  startGateway(options?: StartOptions): Promise<BenchMember>;
  startWorker(roles: string, options?: StartOptions): Promise<BenchMember>;
  startDashboard(): Promise<BenchMember>;
  close(): Promise<void>;
};

export type StartOptions = {
  env?: Record<string, string>;
  /** Providers in the worker's own process, which accept everything at once. */
  isProviderInside?: boolean;
  databaseUrl?: string;
  redisUrl?: string;
  nodeOptions?: string[];
};

const prefix = 'bench';

export async function openBenchWorld(): Promise<BenchWorld> {
  const closers: (() => unknown)[] = [];
  async function close(): Promise<void> {
    for (const each of closers.splice(0).reverse()) await each();
  }
  try {
    return { ...(await build(closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Closers = (() => unknown)[];

async function build(closers: Closers): Promise<Omit<BenchWorld, 'close'>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'belfry-bench-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  await closeFolder(folder);
  const postgres = await startPostgres({
    dataDir: path.join(folder, 'postgres'),
    canCreateDatabases: true,
    canUseServerFiles: true,
    canCheckpoint: true,
  });
  closers.push(postgres.stop);
  const cacheDir = path.join(repositoryRoot, '.belfry', 'cache');
  const dataDir = path.join(folder, 'redis');
  const redisServer = await startRedis({ dataDir, cacheDir, persistence: false });
  closers.push(redisServer.stop);
  await migrate(postgres.url, path.join(repositoryRoot, 'prisma', 'migrations'));
  const log = createLogger({ level: 'error', process: 'bench' });
  const database = createDatabase({ url: postgres.url, poolSize: 2, log });
  closers.push(() => database.close());
  const redis = createRedis({ url: redisServer.url, log, commandTimeoutMs: 30_000 });
  closers.push(() => redis.disconnect());
  const queues = createQueues({ redis, prefix, log });
  closers.push(() => queues.close());
  const load = startLoad();
  closers.push(() => load.close());
  const logFolder = path.join(folder, 'logs');
  mkdirSync(logFolder);
  const urls = { DATABASE_URL: postgres.url, REDIS_URL: redisServer.url };
  return {
    ...{ postgresPid: postgres.pid, postgresFolder: postgres.folder, redisPid: redisServer.pid },
    ...{ redisUrl: redisServer.url, databaseUrl: postgres.url },
    ...{ database, redis, queues, prefix, load },
    ...(await createTenant(database)),
    ...createStarters({ urls, logFolder, closers }),
  };
}

type Starters = { urls: Record<string, string>; logFolder: string; closers: Closers };

function createStarters({ urls, logFolder, closers }: Starters) {
  async function start(
    kind: { name: string; entry: string; readyEvent: string },
    env: Record<string, string>,
    options: StartOptions,
  ): Promise<BenchMember> {
    const { databaseUrl, redisUrl, isProviderInside, nodeOptions } = options;
    const member = await startMember({
      ...kind,
      logFolder,
      env: {
        ...settings,
        ...urls,
        ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
        ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
        ...env,
        ...options.env,
      },
      ...(isProviderInside ? { preload: path.join(__dirname, 'provider-inside.js') } : {}),
      ...(nodeOptions ? { nodeOptions } : {}),
    });
    closers.push(() => member.stop());
    return member;
  }

  return {
    startGateway: (options: StartOptions = {}) =>
      start(
        { name: 'gateway', entry: 'apps/api/dist/main.js', readyEvent: 'api.ready' },
        {},
        { ...options, nodeOptions: [...nodeOptions.api, ...(options.nodeOptions ?? [])] },
      ),
    startWorker: (roles: string, options: StartOptions = {}) =>
      start(
        { name: 'worker', entry: 'apps/worker/dist/main.js', readyEvent: 'worker.ready' },
        { WORKER_ROLES: roles },
        { ...options, nodeOptions: [...nodeOptions.worker, ...(options.nodeOptions ?? [])] },
      ),
    startDashboard: () =>
      start(
        {
          name: 'dashboard',
          entry: 'apps/dashboard/dist/server/main.js',
          readyEvent: 'dashboard.ready',
        },
        { DASHBOARD_PORT: '0' },
        { nodeOptions: [...nodeOptions.dashboard] },
      ),
  };
}

const settings: Record<string, string> = {
  REDIS_PREFIX: prefix,
  BELFRY_KEYS: testKeyRing,
  PUBLIC_URL: 'http://127.0.0.1',
  ALLOW_HTTP: 'true',
  ALLOWED_PRIVATE_HOSTS: '127.0.0.1',
  API_PORT: '0',
};

async function createTenant(database: Database) {
  const factories = createFactories(database);
  const tenant = await factories.createTenant({ delivery: 'live' });
  const names = Object.keys(channels);
  const integrations: Record<string, string> = {};
  for (const channel of names) integrations[channel] = (await integrate(channel)).id;
  const second = (await integrate('sms')).id;

  function integrate(channel: string) {
    const { provider = 'none', settings, credentials } = providers[channel] ?? {};
    return factories.createIntegration(tenant, {
      channel,
      provider,
      ...(settings ? { settings } : {}),
      ...(credentials ? { credentials } : {}),
    });
  }
  function createEvent(eventChannels: string[], smsIntegration = integrations['sms']) {
    const versions = eventChannels.map((channel) => {
      const id = channel === 'sms' ? smsIntegration : integrations[channel];
      return [channel, channelVersion(createTemplate(channel), { integrationIds: id ? [id] : [] })];
    });
    return factories.createEvent(tenant, Object.fromEntries(versions), { name: `e_${newId()}` });
  }
  return {
    tenant,
    integrationIds: [String(integrations['sms']), second] as const,
    events: {
      sms: [await createEvent(['sms']), await createEvent(['sms'], second)] as const,
      three: await createEvent(['sms', 'whatsapp', 'telegram']),
      all: await createEvent(names),
    },
    channelCount: names.length,
  };
}

const twilio = {
  provider: 'twilio',
  settings: { sender: '+15005550009' },
  credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: simulatedAuthToken },
};

/** Only SMS is delivered. The other channels only measure accepting. */
const providers: Record<
  string,
  { provider: string; settings?: Record<string, unknown>; credentials?: Record<string, unknown> }
> = {
  sms: twilio,
  email: { provider: 'smtp' },
  whatsapp: { provider: 'meta' },
  slack: { provider: 'slack' },
  telegram: { provider: 'telegram' },
  push: { provider: 'fcm' },
  onesignal: { provider: 'onesignal' },
  in_app: { provider: 'inbox' },
};

function createTemplate(channel: string): unknown {
  const text = 'Hello {{name}}, order {{order}} is on its way';
  if (channel === 'email') return { subject: text, html: text };
  if (channel === 'in_app' || channel === 'push') return { title: text, body: text };
  return { text };
}
