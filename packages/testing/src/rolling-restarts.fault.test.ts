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

// Fifty processes start, on a machine that may be busy.
jest.setTimeout(1_800_000);

const restarts = 50;
const sendsAtOnce = 5;
const betweenSendsMs = 100;
/** Slack answers slowly, so that a worker has calls in flight when it receives SIGTERM. */
const slow = { on: 'chat.postMessage', slowMs: 150 } as const;

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
    workers: ['deliver-slack,relay', 'deliver-slack,relay'],
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
}, 180_000);

afterAll(async () => {
  await system.stop();
  await slack.close();
  await Promise.all([postgres.remove(), redis.remove()]);
}, 120_000);

/** Sends until the restarts are over; returns the IDs of the requests. */
async function sendUntil(isOver: () => boolean): Promise<string[]> {
  const ids: string[] = [];
  const user = { slack: { channel_id: 'C0RESTARTS01' } };
  const send = () => system.sendAccepted(tenant, { event: eventName, user });
  while (!isOver()) {
    slack.fail(...Array.from({ length: sendsAtOnce }, () => slow));
    ids.push(...(await Promise.all(Array.from({ length: sendsAtOnce }, send))));
    await sleep(betweenSendsMs);
  }
  return ids;
}

/** Restarts one after the other: the next one runs before the oldest receives SIGTERM. Returns the exit codes. */
async function restartWorkers(): Promise<(number | null)[]> {
  const ended: Promise<number | null>[] = [];
  for (let restart = 0; restart < restarts; restart += 1) {
    const [oldest] = system.workers.slice(restart);
    await system.startWorker('deliver-slack,relay');
    if (oldest) ended.push(oldest.stop());
  }
  return Promise.all(ended);
}

describe('50 rolling restarts of the workers under load', () => {
  test('send every message once, and interrupt no attempt', async () => {
    let isOver = false;
    const sending = sendUntil(() => isOver);
    const ended = await restartWorkers().finally(() => {
      isOver = true;
    });
    const requestIds = await sending;
    expect(ended).toEqual(Array(restarts).fill(0));
    const messages = await eventually(
      async () => {
        const sentMessages = await system.database.prisma.message.findMany({
          where: { state: 'sent' },
          include: { attemptRows: true },
        });
        expect(sentMessages).toHaveLength(requestIds.length);
        return sentMessages;
      },
      { timeoutMs: 120_000 },
    );
    const calls = new Map<string, number>();
    for (const { messageId = '' } of slack.sends) {
      calls.set(messageId, (calls.get(messageId) ?? 0) + 1);
    }
    expect(messages.filter(({ id }) => calls.get(id) !== 1)).toEqual([]);
    const unacceptedAttempts = messages
      .flatMap(({ attemptRows }) => attemptRows)
      .filter(({ outcome }) => outcome !== 'accepted');
    expect(unacceptedAttempts).toEqual([]);
    expect(requestIds.length).toBeGreaterThan(restarts * sendsAtOnce);
  });
});
