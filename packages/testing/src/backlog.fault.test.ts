import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '@belfry/database';
import { createLogger, createRedis, newId } from '@belfry/runtime';
import {
  channelVersion,
  createTwilioSimulator,
  eventually,
  type OwnStore,
  ownPostgres,
  ownRedis,
  type System,
  simulatedAuthToken,
  startSystem,
  type Tenant,
  type TwilioSimulator,
  writeBacklog,
} from '@belfry/testing';
import { repositoryRoot } from './test-stores';

jest.setTimeout(600_000);

const log = createLogger({ level: 'error', process: 'test' });
const windows = { channel: 3_000, app: 750 };

let postgres: OwnStore;
let store: OwnStore;
let redis: ReturnType<typeof createRedis>;
let twilio: TwilioSimulator;
let system: System;

beforeEach(async () => {
  [postgres, store] = await Promise.all([ownPostgres(), ownRedis()]);
  await migrate(postgres.url, path.join(repositoryRoot, 'prisma', 'migrations'));
  redis = createRedis({ url: store.url, log });
  twilio = await createTwilioSimulator({ isListing: false });
}, 180_000);

afterEach(async () => {
  await system.stop();
  await twilio.close();
  redis.disconnect();
  await Promise.all([postgres.remove(), store.remove()]);
}, 120_000);

async function start(workers: string[], env: Record<string, string> = {}): Promise<void> {
  system = await startSystem({
    databaseUrl: postgres.url,
    redisUrl: store.url,
    workers,
    env: { TWILIO_API_URL: twilio.url, RELAY_POLL_MS: '250', ...env },
  });
}

type App = {
  tenant: Tenant;
  event: { name: string; eventId: string; versionId: string };
  integrationId: string;
  accountSid: string;
};

async function createApp(): Promise<App> {
  const tenant = await system.factories.createTenant({ delivery: 'live' });
  const accountSid = `AC${newId().replaceAll('-', '')}`;
  const { id: integrationId } = await system.factories.createIntegration(tenant, {
    channel: 'sms',
    provider: 'twilio',
    settings: { sender: '+15005550009' },
    credentials: { account_sid: accountSid, auth_token: simulatedAuthToken },
  });
  const event = await system.factories.createEvent(tenant, {
    sms: channelVersion({ text: 'Hello' }, { integrationIds: [integrationId] }),
  });
  return { tenant, event, integrationId, accountSid };
}

function fill({ tenant, event, integrationId }: App, messages: number, isBulk: boolean) {
  return writeBacklog(system.database, {
    tenant,
    event,
    channel: 'sms',
    integrationId,
    messages,
    isBulk,
  });
}

async function sendSingle({ tenant, event }: App): Promise<void> {
  const { status } = await system.send(tenant, {
    event: event.name,
    user: { mobile: '+12025550123' },
  });
  expect(status).toBe(200);
}

type JobInRedis = { ids: string[]; fairnessKey: string };

/** Every delivery job in Redis. */
async function readJobs(): Promise<JobInRedis[]> {
  const keys = await scan('*:deliver-sms:????????-????-????-????-????????????');
  const jobs = await Promise.all(keys.map((key) => redis.hget(key, 'data')));
  // Written by us: see DeliverJob.
  return jobs.flatMap((data) => (data ? [JSON.parse(data) as JobInRedis] : []));
}

async function scan(pattern: string): Promise<string[]> {
  const matchingKeys = new Set<string>();
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', pattern, 'COUNT', 1_000);
    for (const key of keys) matchingKeys.add(key);
    cursor = next;
  } while (cursor !== '0');
  return [...matchingKeys];
}

function countByFairnessKey(jobs: JobInRedis[]): number[] {
  const counts = new Map<string, number>();
  for (const { fairnessKey, ids } of jobs)
    counts.set(fairnessKey, (counts.get(fairnessKey) ?? 0) + ids.length);
  return [...counts.values()];
}

describe('100,000 messages that wait for two minutes while no worker runs', () => {
  test('leave no more jobs in Redis than the windows allow, with two relays and a gateway, and give no message a second job', async () => {
    await start(['relay', 'relay']);
    const apps = await Promise.all(Array.from({ length: 8 }, createApp));
    for (const [index, app] of apps.entries()) await fill(app, 12_500, index % 2 === 0);
    const endAt = performance.now() + 120_000;
    const samples: { total: number; maxPerFairnessKey: number }[] = [];
    while (performance.now() < endAt) {
      await Promise.all(apps.flatMap((app) => Array.from({ length: 5 }, () => sendSingle(app))));
      const jobs = await readJobs();
      const counts = countByFairnessKey(jobs);
      samples.push({
        total: counts.reduce((sum, count) => sum + count, 0),
        maxPerFairnessKey: Math.max(0, ...counts),
      });
      await sleep(500);
    }
    const ids = (await readJobs()).flatMap((job) => job.ids);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(windows.channel / 2);
    expect(Math.max(...samples.map(({ total }) => total))).toBeLessThanOrEqual(windows.channel);
    expect(
      Math.max(...samples.map(({ maxPerFairnessKey }) => maxPerFairnessKey)),
    ).toBeLessThanOrEqual(windows.app);
  });
});

describe('Redis that is emptied twice while 10,000 messages wait', () => {
  test('loses no message, and sends none twice', async () => {
    await start(['deliver-sms', 'relay', 'deliver-sms,relay']);
    const apps = await Promise.all(Array.from({ length: 4 }, createApp));
    for (const app of apps) await fill(app, 2_500, false);
    for (const part of [1_000, 4_000]) {
      await eventually(() => expect(twilio.sends.length).toBeGreaterThan(part), {
        timeoutMs: 120_000,
      });
      await redis.flushall();
    }
    await eventually(() => expect(twilio.sends.length).toBeGreaterThanOrEqual(10_000), {
      timeoutMs: 300_000,
      intervalMs: 250,
    });
    const open = { notIn: ['sent'] };
    await eventually(
      async () =>
        expect(await system.database.prisma.message.count({ where: { state: open } })).toBe(0),
      { timeoutMs: 60_000 },
    );
    const declared = await system.database.prisma.attempt.count({
      where: { isPossibleDuplicate: true },
    });
    expect(new Set(twilio.sends.map(({ messageId }) => messageId)).size).toBe(10_000);
    expect(twilio.sends.length - 10_000).toBeLessThanOrEqual(declared);
  });
});

describe('a single send of one app', () => {
  const sends = 10;
  const boundMs = 2_000;

  /** Time from its answer to the provider call, for each single send. */
  async function measure(app: App): Promise<number[]> {
    const waitsMs: number[] = [];
    const countSent = () =>
      twilio.requests.filter(({ path: url }) => url.includes(app.accountSid)).length;
    const already = countSent();
    for (let sent = already; sent < already + sends; sent += 1) {
      await sendSingle(app);
      const answeredAt = performance.now();
      await eventually(() => expect(countSent()).toBeGreaterThan(sent), {
        timeoutMs: 60_000,
        intervalMs: 10,
      });
      waitsMs.push(performance.now() - answeredAt);
      await sleep(300);
    }
    return waitsMs;
  }

  function expectFair(waitsMs: number[]): void {
    expect(waitsMs).toHaveLength(sends);
    expect(waitsMs.filter((waitMs) => waitMs > boundMs)).toEqual([]);
  }

  test.each([
    { what: '100,000 by bulk', messages: 100_000, isBulk: true },
    { what: '20,000 single sends', messages: 20_000, isBulk: false },
  ])('reaches its provider within 2 s while another app has $what waiting', async (backlog) => {
    await start(['deliver-sms', 'relay']);
    const [a, b] = [await createApp(), await createApp()];
    await fill(a, backlog.messages, backlog.isBulk);
    await eventually(() => expect(twilio.sends.length).toBeGreaterThan(100), {
      timeoutMs: 60_000,
    });
    expectFair(await measure(b));
  });

  test('reaches its provider within 2 s while another app’s provider hangs', async () => {
    await start(['deliver-sms', 'relay'], { MESSAGES_IN_FLIGHT: '20', SEND_TIMEOUT_MS: '6000' });
    const [a, b] = [await createApp(), await createApp()];
    const on = `${a.accountSid}/Messages.json`;
    twilio.fail(...Array.from({ length: 5_000 }, () => ({ on, hang: true }) as const));
    await fill(a, 5_000, false);
    await eventually(() => expect(twilio.requests.length).toBe(10), { timeoutMs: 60_000 });
    const before = await measure(b);
    // The circuit of the hanging integration is open by now.
    await eventually(
      async () => {
        const where = { integrationId: a.integrationId, waits: 'circuit' };
        expect(await system.database.prisma.message.count({ where })).toBeGreaterThan(0);
      },
      { timeoutMs: 60_000 },
    );
    expectFair(before);
    const calls = twilio.requests.length;
    expectFair(await measure(b));
    const callsOfA = twilio.requests.length - calls - sends;
    expect(callsOfA).toBeLessThanOrEqual(10);
  });
});
