import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '@belfry/database';
import { createLogger, createRedis } from '@belfry/runtime';
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

jest.setTimeout(180_000);

const messageCount = 300;

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
    workers: ['all', 'all'],
    env: {
      SLACK_API_URL: slack.url,
      // A longer call has an unknown outcome, and some take seconds on a busy machine.
      SEND_TIMEOUT_MS: '6000',
      MESSAGES_IN_FLIGHT: '10',
      LOOKUP_CACHE_MS: '5000',
    },
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

const log = createLogger({ level: 'error', process: 'test' });
const callsAtOnce = 20;
const faultAfterCalls = 100;
/** Longer than a lease, which is 11 s here. */
const outageMs = 13_000;

/** Sends 300 messages with one fault meanwhile; returns the IDs of the requests that were answered 200. */
async function sendThrough(fault: () => Promise<void>): Promise<string[]> {
  const ids: string[] = [];
  let ended: Promise<void> = Promise.resolve();
  for (let sent = 0; sent < messageCount; sent += callsAtOnce) {
    if (sent === faultAfterCalls) ended = fault();
    const calls = Array.from({ length: callsAtOnce }, (_, index) => sendOne(sent + index));
    ids.push(...(await Promise.all(calls)).flatMap((id) => id ?? []));
  }
  await ended;
  return ids;
}

async function sendOne(number: number): Promise<string | undefined> {
  const user = { slack: { channel_id: `C0OUTAGE${String(number).padStart(4, '0')}` } };
  const { status, body } = await system.send(tenant, { event: eventName, user });
  return status === 200 ? body.request_id : undefined;
}

/** The messages of the requests once they are sent: how often Slack was called, and whether duplicates are marked. */
async function readDelivered(ids: string[]) {
  const messages = await eventually(
    async () => {
      const sentMessages = await system.database.prisma.message.findMany({
        where: { requestId: { in: ids }, state: 'sent' },
        include: { attemptRows: true },
      });
      expect(sentMessages).toHaveLength(ids.length);
      return sentMessages;
    },
    { timeoutMs: 60_000 },
  );
  return messages.map(({ id, attemptRows }) => ({
    calls: slack.sends.filter(({ messageId }) => messageId === id).length,
    isMarked: attemptRows.some(({ isPossibleDuplicate }) => isPossibleDuplicate),
    // Printed to explain a failed test.
    ends: attemptRows.map(({ outcome, reason }) => `${outcome} ${reason}`),
  }));
}

async function emptyRedis(): Promise<void> {
  const client = createRedis({ url: redis.url, log });
  await eventually(() => client.flushall(), { timeoutMs: 5_000 });
  client.disconnect();
}

async function restart(store: OwnStore): Promise<void> {
  await store.kill();
  await sleep(outageMs);
  await store.start();
}

async function endWorker(signal: NodeJS.Signals): Promise<void> {
  await system.workers.at(-1)?.stop(signal);
  await system.startWorker();
}

async function freezeWorkers(): Promise<void> {
  for (const worker of system.workers) worker.signal('SIGSTOP');
  await sleep(outageMs);
  for (const worker of system.workers) worker.signal('SIGCONT');
}

async function freezePostgres(): Promise<void> {
  await postgres.pause();
  await sleep(outageMs);
  postgres.resume();
}

describe('messages that were accepted while', () => {
  test.each([
    ['Redis is emptied', emptyRedis],
    ['Redis is killed and restarted', () => restart(redis)],
    ['a worker receives SIGTERM', () => endWorker('SIGTERM')],
    ['PostgreSQL is killed and restarted', () => restart(postgres)],
  ])('%s are sent exactly once', async (_fault, fault) => {
    const delivered = await readDelivered(await sendThrough(fault));
    expect(delivered.length).toBeGreaterThanOrEqual(faultAfterCalls);
    expect(delivered.filter(({ calls }) => calls !== 1)).toEqual([]);
  });

  test.each([
    ['a worker is killed', () => endWorker('SIGKILL')],
    ['the workers are frozen', freezeWorkers],
    ['PostgreSQL is frozen', freezePostgres],
  ])('%s are all sent, and possible duplicates are marked', async (_fault, fault) => {
    const delivered = await readDelivered(await sendThrough(fault));
    expect(delivered.length).toBeGreaterThanOrEqual(faultAfterCalls);
    expect(delivered.filter(({ calls }) => calls === 0)).toEqual([]);
    expect(delivered.filter(({ calls, isMarked }) => calls > 1 && !isMarked)).toEqual([]);
  });
});
