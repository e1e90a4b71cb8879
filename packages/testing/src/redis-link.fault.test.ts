import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '@belfry/database';
import {
  channelVersion,
  createSlackSimulator,
  createTcpProxy,
  eventually,
  type OwnStore,
  ownPostgres,
  ownRedis,
  type SlackSimulator,
  type System,
  startSystem,
  type TcpProxy,
  type Tenant,
} from '@belfry/testing';
import { repositoryRoot } from './test-stores';

jest.setTimeout(180_000);

let postgres: OwnStore;
let redis: OwnStore;
let link: TcpProxy;
let slack: SlackSimulator;
let system: System;
let tenant: Tenant;
let eventName: string;

beforeEach(async () => {
  [postgres, redis] = await Promise.all([ownPostgres(), ownRedis()]);
  await migrate(postgres.url, path.join(repositoryRoot, 'prisma', 'migrations'));
  link = await createTcpProxy(redis.url);
  slack = await createSlackSimulator();
}, 180_000);

afterEach(async () => {
  await system.stop();
  await slack.close();
  await link.close();
  await Promise.all([postgres.remove(), redis.remove()]);
}, 120_000);

/** Every process reaches Redis through this proxy. */
async function start(workers: string[]): Promise<void> {
  system = await startSystem({
    databaseUrl: postgres.url,
    redisUrl: link.url,
    workers,
    env: { SLACK_API_URL: slack.url },
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
}

const send = () =>
  system.sendAccepted(tenant, { event: eventName, user: { slack: { channel_id: 'C0REDISLINK' } } });

/** The messages once they are sent, and how often Slack was called for each. */
async function readCalls(requestIds: string[]): Promise<number[]> {
  const messages = await eventually(
    async () => {
      const where = { requestId: { in: requestIds }, state: 'sent' };
      const sentMessages = await system.database.prisma.message.findMany({ where });
      expect(sentMessages).toHaveLength(requestIds.length);
      return sentMessages;
    },
    { timeoutMs: 60_000 },
  );
  return messages.map(({ id }) => slack.sends.filter(({ messageId }) => messageId === id).length);
}

const cuts = 20;
const betweenCutsMs = 400;
const sendsBetweenCuts = 10;

describe('20 interruptions of the Redis link under load', () => {
  test('prevent no call from being accepted, and no message from being sent exactly once', async () => {
    await start(['all', 'all']);
    const requestIds: string[] = [];
    for (let cut = 0; cut < cuts; cut += 1) {
      const sent = Array.from({ length: sendsBetweenCuts }, send);
      await sleep(betweenCutsMs);
      if (cut % 2 === 0) link.cut();
      else link.reset();
      requestIds.push(...(await Promise.all(sent)));
    }
    // A dead link may look alive: the idle workers must receive what comes later.
    expect(await readCalls(requestIds)).toEqual(requestIds.map(() => 1));
    expect(await readCalls([await send()])).toEqual([1]);
  });
});

describe('Redis that is down when everything starts', () => {
  test('prevents no call from being accepted, and accepted messages are sent once Redis starts', async () => {
    await redis.stop();
    await start(['all']);
    const requestIds = await Promise.all(Array.from({ length: sendsBetweenCuts }, send));
    expect(slack.sends).toHaveLength(0);
    await redis.start();
    expect(await readCalls(requestIds)).toEqual(requestIds.map(() => 1));
  });
});
