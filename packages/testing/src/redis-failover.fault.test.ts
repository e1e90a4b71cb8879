import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '@belfry/database';
import {
  channelVersion,
  createSlackSimulator,
  eventually,
  type OwnStore,
  ownPostgres,
  type RedisGroup,
  type RedisServer,
  type SlackSimulator,
  type System,
  startRedisCluster,
  startSentinelGroup,
  startSystem,
  type Tenant,
} from '@belfry/testing';
import { createCertificates } from './test-certificates';
import { repositoryRoot } from './test-stores';

jest.setTimeout(240_000);

const prefix = 'failover';
/** In a Cluster, this queue's keys are on one primary. */
const queueKey = `{${prefix}:deliver-slack}:deliver-slack:wait`;

let postgres: OwnStore;
let slack: SlackSimulator;
let group: RedisGroup;
let system: System;
let tenant: Tenant;
let eventName: string;

beforeEach(async () => {
  postgres = await ownPostgres();
  await migrate(postgres.url, path.join(repositoryRoot, 'prisma', 'migrations'));
  slack = await createSlackSimulator();
}, 180_000);

afterEach(async () => {
  await system?.stop();
  await slack.close();
  await group?.remove();
  await postgres.remove();
}, 120_000);

async function start(startGroup: () => Promise<RedisGroup>): Promise<void> {
  group = await startGroup();
  system = await startSystem({
    databaseUrl: postgres.url,
    redisUrl: group.url,
    workers: ['all', 'all'],
    env: { SLACK_API_URL: slack.url, REDIS_PREFIX: prefix, LOOKUP_CACHE_MS: '5000' },
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

const callers = 10;
const pauseMs = 50;
const retryMs = 100;

type Load = {
  /** By idempotency key: the requests that were returned for it. */
  requestIds: Map<string, Set<string>>;
  /** Answers that were not 200, by status. */
  refused: Record<string, number>;
  acceptedAtMs: number[];
};

/** Every key is sent twice at the same time, and each call is repeated until it is accepted, as a careful client does. */
async function sendUntil(ended: Promise<void>): Promise<Load> {
  const load: Load = { requestIds: new Map(), refused: {}, acceptedAtMs: [] };
  let isOver = false;
  void ended.finally(() => {
    isOver = true;
  });
  let keys = 0;
  async function call(): Promise<void> {
    while (!isOver) {
      keys += 1;
      const key = `FAILOVER${keys}`;
      await Promise.all([sendOne(load, key), sendOne(load, key)]);
      await sleep(pauseMs);
    }
  }
  await Promise.all([ended, ...Array.from({ length: callers }, call)]);
  return load;
}

async function sendOne({ requestIds, refused, acceptedAtMs }: Load, key: string): Promise<void> {
  const user = { slack: { channel_id: `C0${key}` } };
  for (;;) {
    const headers = { 'Idempotency-Key': key };
    const { status, body } = await system.send(tenant, { event: eventName, user }, headers);
    if (status === 200) {
      acceptedAtMs.push(performance.now());
      requestIds.set(key, (requestIds.get(key) ?? new Set()).add(String(body.request_id)));
      return;
    }
    refused[status] = (refused[status] ?? 0) + 1;
    await sleep(retryMs);
  }
}

/** How often Slack was called for each message, once all are sent. */
async function readCalls(requests: number): Promise<number[]> {
  const messages = await eventually(
    async () => {
      const where = { appId: tenant.appId, state: 'sent' };
      const sentMessages = await system.database.prisma.message.findMany({ where });
      expect(sentMessages).toHaveLength(requests);
      return sentMessages;
    },
    { timeoutMs: 90_000 },
  );
  const calls = new Map<string, number>();
  for (const { messageId = '' } of slack.sends) {
    calls.set(messageId, (calls.get(messageId) ?? 0) + 1);
  }
  return messages.map(({ id }) => calls.get(id) ?? 0);
}

const beforeFaultMs = 3_000;
const afterFaultMs = 5_000;
const failoverTimeoutMs = 60_000;

async function waitForOther(failed: RedisServer): Promise<void> {
  await eventually(
    async () => expect((await group.findPrimary(queueKey)).port).not.toBe(failed.port),
    { timeoutMs: failoverTimeoutMs },
  );
}

/** The machine of the primary is gone: its connections stay open and answer nothing. It comes back as a replica. */
async function freezePrimary(): Promise<void> {
  await sleep(beforeFaultMs);
  const primary = await group.findPrimary(queueKey);
  primary.pause();
  await waitForOther(primary);
  await sleep(afterFaultMs);
  primary.resume();
  await sleep(afterFaultMs);
}

/** Each of the two is killed once, the second after the first came back as its replica. */
async function killPrimaries(): Promise<void> {
  for (let kill = 0; kill < 2; kill += 1) {
    await sleep(beforeFaultMs);
    const primary = await group.findPrimary(queueKey);
    await primary.kill();
    await waitForOther(primary);
    await sleep(afterFaultMs);
    await primary.start();
    await waitForReplica();
  }
  await sleep(afterFaultMs);
}

async function waitForReplica(): Promise<void> {
  await eventually(
    async () => {
      const { ask } = await group.findPrimary(queueKey);
      expect(String(await ask('info', 'replication'))).toMatch(/slave0:.*state=online/);
    },
    { timeoutMs: failoverTimeoutMs },
  );
}

/** The times at which Slack was called, to 20 ms. */
function watchSends(): { timesMs: number[]; stop(): void } {
  const timesMs: number[] = [];
  let sends = 0;
  const timer = setInterval(() => {
    if (slack.sends.length > sends) timesMs.push(performance.now());
    sends = slack.sends.length;
  }, 20);
  return { timesMs, stop: () => clearInterval(timer) };
}

function findLongestGap(timesMs: number[]): number {
  const sorted = timesMs.toSorted((a, b) => a - b);
  return Math.max(...sorted.slice(1).map((time, index) => time - (sorted[index] ?? 0)));
}

const folder = mkdtempSync(path.join(tmpdir(), 'belfry-failover-'));
afterAll(() => rmSync(folder, { recursive: true }));

type Faults = [string, () => Promise<void>][];
const kills: Faults = [['primaries are killed', killPrimaries]];
const faults: Faults = [...kills, ['the primary is frozen', freezePrimary]];
const certificates = createCertificates(folder);

describe.each<[string, () => Promise<RedisGroup>, Faults]>([
  ['Sentinel', startSentinelGroup, faults],
  ['Cluster', () => startRedisCluster({ hasReplicas: true }), faults],
  ['Sentinel over TLS', () => startSentinelGroup({ certificates }), kills],
  ['Cluster over TLS', () => startRedisCluster({ hasReplicas: true, certificates }), kills],
])('with %s, calls while', (mode, startGroup, ownFaults) => {
  test.each(ownFaults)(
    '%s are accepted once, and every message is sent once',
    async (fault, cause) => {
      await start(startGroup);
      const watch = watchSends();
      const load = await sendUntil(cause());
      const keys = load.requestIds.size;
      const calls = await readCalls(keys);
      watch.stop();
      const figures = {
        ...{ mode, fault, keys, refused: load.refused },
        longestWithoutAcceptanceMs: Math.round(findLongestGap(load.acceptedAtMs)),
        longestWithoutSendMs: Math.round(findLongestGap(watch.timesMs)),
      };
      process.stdout.write(`${JSON.stringify(figures)}\n`);
      expect(keys).toBeGreaterThan(100);
      expect([...load.requestIds.values()].filter((ids) => ids.size > 1)).toEqual([]);
      const where = { appId: tenant.appId };
      expect(await system.database.prisma.request.count({ where })).toBe(keys);
      expect(calls.filter((count) => count !== 1)).toEqual([]);
    },
  );
});
