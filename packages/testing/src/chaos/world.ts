import path from 'node:path';
import { channelNames } from '@belfry/channels';
import { createDatabase, type Database, migrate } from '@belfry/database';
import { createLogger, createRedis } from '@belfry/runtime';
import { fanOutQueue, getDeliverQueue } from '@belfry/shared';
import { channelVersion, createFactories, testKeyRing } from '../factories';
import { type OwnStore, ownPostgres, ownRedis } from '../own-stores';
import { type SimulatedChannels, startSimulatedChannels } from '../simulated-channels';
import { repositoryRoot } from '../test-stores';
import { type Member, type MemberSpec, startMember } from './member';
import type { Entry } from './recording';
import { createSlowPlaces, type SlowPlaces } from './slow-places';
import { createEndpoints, startWebhookReceiver, watchStates } from './webhooks';
import { eventName, inboxChannel, listChannelSets, type Tenant, tenantCount } from './workload';

/** The whole system under test, with everything around it that can fail. */
export type World = {
  postgres: OwnStore;
  redis: OwnStore;
  simulated: SimulatedChannels;
  /** Those of the simulators, and the inbox. */
  channels: string[];
  members: Member[];
  tenants: Tenant[];
  slowPlaces: SlowPlaces;
  /** Our own links to the stores, without faults. */
  database: Database;
  redisClient: ReturnType<typeof createRedis>;
  close(): Promise<void>;
};

/** Short, so that a run recovers quickly from its faults, but long enough for a busy machine. */
export const deadlineMs = 7_000;
/** See `getLeaseMs` of the worker. */
export const leaseMs = deadlineMs + 5_000;
export const policy = { attempts: 20, unknownResends: 8 };
/** The lock time of the idempotency store. */
export const lockMs = 10_000;
const redisCommandTimeoutMs = 2_000;

export async function openWorld(isFull: boolean, record: (entry: Entry) => void): Promise<World> {
  const closers: (() => unknown)[] = [];
  async function close(): Promise<void> {
    for (const each of closers.splice(0).reverse()) await each();
  }
  try {
    return { ...(await build(isFull, record, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Closers = (() => unknown)[];

async function build(isFull: boolean, record: (entry: Entry) => void, closers: Closers) {
  const postgres = await ownPostgres();
  closers.push(() => postgres.remove());
  const redis = await ownRedis();
  closers.push(() => redis.remove());
  await migrate(postgres.url, path.join(repositoryRoot, 'prisma', 'migrations'));
  const log = createLogger({ level: 'error', process: 'chaos' });
  const database = createDatabase({ url: postgres.url, poolSize: 3, log });
  closers.push(() => database.close());
  const redisClient = createRedis({
    url: redis.url,
    log,
    commandTimeoutMs: redisCommandTimeoutMs,
  });
  closers.push(() => redisClient.disconnect());
  const simulated = await startSimulatedChannels();
  closers.push(() => simulated.close());
  const slowPlaces = createSlowPlaces(simulated);
  const channels = [...Object.keys(simulated.channels), inboxChannel];
  const tenants = await createTenants(database, simulated, channels);
  const receiver = await startWebhookReceiver(record);
  closers.push(receiver.close);
  await createEndpoints(database, tenants, receiver.url);
  await watchStates(database);
  const env = { ...settings, ...simulated.env };
  const members = await Promise.all(
    listSpecs(isFull).map(async (spec) => {
      const urls = { postgresUrl: postgres.url, redisUrl: redis.url };
      const member = await startMember(spec, { ...urls, env, record });
      closers.push(() => member.stop());
      return member;
    }),
  );
  const stores = { postgres, redis, database, redisClient };
  return { ...stores, simulated, channels, members, tenants, slowPlaces };
}

const settings: Record<string, string> = {
  REDIS_PREFIX: 'chaos',
  BELFRY_KEYS: testKeyRing,
  PUBLIC_URL: 'http://127.0.0.1',
  ALLOW_HTTP: 'true',
  ALLOWED_PRIVATE_HOSTS: '127.0.0.1',
  API_PORT: '0',
  DATABASE_POOL_SIZE: '4',
  SEND_TIMEOUT_MS: String(deadlineMs),
  RETRY_BASE_MS: '20',
  RETRY_CAP_MS: '200',
  RELAY_POLL_MS: '100',
  RELAY_REQUEUE_AFTER_MS: '1000',
  // A killed worker should have jobs.
  MESSAGES_IN_FLIGHT: '10',
};

/** Two gateways, two workers with every role, a relay and one for webhooks; in full mode, one process per role, and a second one for one role. */
function listSpecs(isFull: boolean): MemberSpec[] {
  const gateways = [1, 2].map((number): MemberSpec => {
    return { name: `gateway-${number}`, kind: 'gateway', roles: '' };
  });
  const relay: MemberSpec = { name: 'relay', kind: 'relay', roles: 'relay' };
  const webhooks: MemberSpec = { name: 'webhooks', kind: 'webhooks', roles: 'webhooks' };
  const workers = isFull
    ? listRoleWorkers()
    : ['worker-1', 'worker-2'].map(createWorkerSpec('all'));
  return [...gateways, ...workers, relay, webhooks];
}

function listRoleWorkers(): MemberSpec[] {
  const roles = [...channelNames.map(getDeliverQueue), fanOutQueue];
  // Two workers of one role must also meet here.
  const second = createWorkerSpec(getDeliverQueue('slack'))(`${getDeliverQueue('slack')}-2`);
  return [...roles.map((role) => createWorkerSpec(role)(role)), second];
}

function createWorkerSpec(roles: string): (name: string) => MemberSpec {
  return (name) => ({ name, kind: 'worker', roles });
}

async function createTenants(
  database: Database,
  { channels: simulated }: SimulatedChannels,
  channels: string[],
): Promise<Tenant[]> {
  const factories = createFactories(database);

  async function createTenant(): Promise<Tenant> {
    const tenant = await factories.createTenant({ delivery: 'live' });
    const integrationIds: Record<string, string> = {};
    for (const [channel, { provider, settings: channelSettings, credentials }] of Object.entries(
      simulated,
    )) {
      const integration = { channel, provider, settings: channelSettings, credentials };
      integrationIds[channel] = (await factories.createIntegration(tenant, integration)).id;
    }
    for (const set of listChannelSets(channels)) {
      for (const onUnknown of ['resend', 'hold'] as const) {
        const versions = set.map((channel) => {
          const id = integrationIds[channel];
          const template = simulated[channel]?.template(text) ?? { title: text };
          const options = { integrationIds: id ? [id] : [], policy: { ...policy, onUnknown } };
          return [channel, channelVersion(template, options)] as const;
        });
        const name = eventName(set, onUnknown);
        await factories.createEvent(tenant, Object.fromEntries(versions), { name });
      }
    }
    return tenant;
  }

  return Promise.all(Array.from({ length: tenantCount }, createTenant));
}

const text = 'Hello {{name}}';
