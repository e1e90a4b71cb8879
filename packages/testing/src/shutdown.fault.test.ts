import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '@belfry/database';
import {
  channelVersion,
  createSlackSimulator,
  eventually,
  type OwnStore,
  ownPostgres,
  ownRedis,
  type SlackSimulator,
  type System,
  startSystem,
  type Tenant,
} from '@belfry/testing';
import { repositoryRoot } from './test-stores';

jest.setTimeout(120_000);

/** Longer than an idle consumer needs to notice the outage and to give up. */
const outageMs = 12_000;

let postgres: OwnStore;
let redis: OwnStore;
let slack: SlackSimulator;
let system: System;
let tenant: Tenant;
let eventName: string;

beforeAll(async () => {
  [postgres, redis] = await Promise.all([ownPostgres(), ownRedis()]);
  await migrate(postgres.url, path.join(repositoryRoot, 'prisma', 'migrations'));
  slack = await createSlackSimulator();
  system = await startSystem({
    databaseUrl: postgres.url,
    redisUrl: redis.url,
    workers: [],
    env: { SLACK_API_URL: slack.url, SEND_TIMEOUT_MS: '20000', SHUTDOWN_TIMEOUT_MS: '10000' },
  });
  tenant = await system.factories.createTenant({ delivery: 'live' });
  const integration = await system.factories.createIntegration(tenant, {
    channel: 'slack',
    provider: 'slack',
    credentials: { access_token: 'xoxb-1111-2222-integration' },
  });
  const event = await system.factories.createEvent(tenant, {
    slack: channelVersion({ text: 'Hello' }, { integrationIds: [integration.id] }),
  });
  eventName = event.name;
});

afterAll(async () => {
  await system.stop();
  await slack.close();
  await Promise.all([postgres.remove(), redis.remove()]);
});

async function send(channelId: string): Promise<string> {
  const { body } = await system.send(tenant, {
    event: eventName,
    user: { slack: { channel_id: channelId } },
  });
  return body.request_id ?? '';
}

async function restore(store: OwnStore): Promise<void> {
  store.resume();
  await store.stop();
  await store.start();
}

describe('a worker that receives SIGTERM', () => {
  test('exits with 0 and removes its heartbeat', async () => {
    const worker = await system.startWorker();
    const { workerHeartbeat } = system.database.prisma;
    await eventually(async () => expect(await workerHeartbeat.count()).toBe(1));
    expect(await worker.stop()).toBe(0);
    expect(await workerHeartbeat.count()).toBe(0);
  });

  test.each([
    ['Redis is down', () => redis.stop(), () => restore(redis)],
    ['Redis does not answer', () => redis.pause(), () => restore(redis)],
    ['PostgreSQL is down', () => postgres.stop(), () => restore(postgres)],
    ['PostgreSQL does not answer', () => postgres.pause(), () => restore(postgres)],
  ])('exits with 0 while %s', async (_what, begin, end) => {
    const worker = await system.startWorker();
    await begin();
    try {
      expect(await worker.stop()).toBe(0);
    } finally {
      await end();
    }
  });

  test('interrupts calls that exceed its time limit, and records them as unknown', async () => {
    slack.fail({ hang: true });
    const worker = await system.startWorker();
    const requestId = await send('C0HANGS00001');
    await eventually(async () => {
      expect(await system.readMessages(requestId)).toMatchObject([{ state: 'sending' }]);
      expect(slack.sends.length).toBeGreaterThan(0);
    });
    expect(await worker.stop()).toBe(0);
    const [message] = await system.readMessages(requestId);
    expect(message?.attemptRows).toMatchObject([{ outcome: 'unknown', reason: 'timeout' }]);
  });
});

describe('an idle worker', () => {
  test.each([
    ['was down', () => redis.stop(), () => redis.start()],
    ['did not answer', () => redis.pause(), async () => redis.resume()],
  ])('delivers later messages after Redis %s for 12 s', async (_what, begin, end) => {
    const worker = await system.startWorker();
    await begin();
    await sleep(outageMs);
    await end();
    const requestId = await send('C0RETURNED01');
    await eventually(
      async () => expect(await system.readMessages(requestId)).toMatchObject([{ state: 'sent' }]),
      { timeoutMs: 30_000 },
    );
    expect(await worker.stop()).toBe(0);
  });
});

describe('a gateway that receives SIGTERM', () => {
  test.each([
    ['Redis is down', () => redis.stop(), () => restore(redis)],
    ['PostgreSQL does not answer', () => postgres.pause(), () => restore(postgres)],
  ])('exits with 0 while %s', async (_what, begin, end) => {
    const gateway = await system.startGateway();
    await begin();
    try {
      expect(await gateway.stop()).toBe(0);
    } finally {
      await end();
    }
  });
});
