import {
  channelVersion,
  createSlackSimulator,
  eventually,
  type ReaderSecret,
  type RedisGroup,
  type SlackSimulator,
  type System,
  signReaderToken,
  startProcess,
  startRedisCluster,
  startSystem,
  type Tenant,
  testEnvironment,
} from '@belfry/testing';
import { EventSource } from 'eventsource';

jest.setTimeout(120_000);

const callsPerSecond = 30;
let cluster: RedisGroup;
let slack: SlackSimulator;
let system: System;
let tenant: Tenant;
let secret: ReaderSecret;
let event: string;

beforeAll(async () => {
  cluster = await startRedisCluster({ hasReplicas: false });
  slack = await createSlackSimulator();
  system = await startSystem({
    redisUrl: cluster.url,
    env: { SLACK_API_URL: slack.url, RATE_LIMIT_PER_SECOND: String(callsPerSecond) },
  });
  tenant = await system.factories.createTenant({ delivery: 'live' });
  secret = await system.factories.createInboxSecret(tenant);
  const integration = await system.factories.createIntegration(tenant, {
    channel: 'slack',
    provider: 'slack',
    credentials: { access_token: 'xoxb-1111-2222-integration' },
  });
  const versions = {
    slack: channelVersion({ text: 'Hello' }, { integrationIds: [integration.id] }),
    in_app: channelVersion({ title: 'Hello' }),
  };
  event = (await system.factories.createEvent(tenant, versions)).name;
}, 120_000);

afterAll(async () => {
  await system?.stop();
  await slack?.close();
  await cluster?.remove();
}, 60_000);

const toSlack = { slack: { channel_id: 'C0CLUSTER01' } };

describe('on a Cluster of three Redis primaries', () => {
  test('a send reaches its provider, through a rate-limited integration', async () => {
    const requestId = await system.sendAccepted(tenant, { event, user: toSlack });
    const [message] = await system.settled(requestId, ['sent']);
    expect(slack.sends.map(({ messageId }) => messageId)).toContain(message?.id);
  });

  test('every recipient of a bulk gets a message', async () => {
    const batch = Array.from({ length: 200 }, (_, index) => ({ user: { user_id: `b-${index}` } }));
    const answer = await fetch(`${system.apiUrl}/v1/apps/${tenant.appId}/events/bulk_send`, {
      method: 'POST',
      headers: { Authorization: `AuthKey ${tenant.apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ event, batch }),
    });
    expect(answer.status).toBe(200);
    await eventually(
      async () => {
        const where = { appId: tenant.appId, channel: 'in_app', settledAt: { not: null } };
        expect(await system.database.prisma.message.count({ where })).toBe(batch.length);
      },
      { timeoutMs: 30_000 },
    );
  });

  test('calls with one idempotency key at the same time are accepted once', async () => {
    const call = () =>
      system.send(tenant, { event, user: toSlack }, { 'Idempotency-Key': 'cluster-1' });
    const together = await Promise.all([call(), call(), call()]);
    const later = await call();
    expect(later.headers.get('idempotent-replayed')).toBe('true');
    const answers = [...together, later];
    // The lock in Redis refuses a call with 409 while another one runs.
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    const accepted = answers.filter(({ status }) => status === 200);
    expect(new Set(accepted.map(({ body }) => body.request_id)).size).toBe(1);
  });

  test('an account above its rate limit is refused', async () => {
    const other = await system.factories.createTenant();
    const { name } = await system.factories.createEvent(other, {
      in_app: channelVersion({ title: 'Hello' }),
    });
    const body = { event: name, user: { user_id: 'u-1' } };
    const calls = Array.from({ length: callsPerSecond * 3 }, () => system.send(other, body));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  });

  test('a new item reaches an open stream of an inbox at once', async () => {
    const userId = 'streamed';
    const token = signReaderToken(secret, { appId: tenant.appId, userId });
    const received: string[] = [];
    let hasBegun = false;
    const url = `${system.apiUrl}/v1/apps/${tenant.appId}/in_app_notifications/stream`;
    const source = new EventSource(url, {
      fetch: (input, init) =>
        fetch(input, { ...init, headers: { ...init.headers, Authorization: `Bearer ${token}` } }),
    });
    source.addEventListener('item', ({ data }) => received.push(data));
    source.addEventListener('counts', () => {
      hasBegun = true;
    });
    try {
      await eventually(() => expect(hasBegun).toBe(true));
      await system.sendAccepted(tenant, { event, user: { user_id: userId } });
      await eventually(() => expect(received).toHaveLength(1));
    } finally {
      source.close();
    }
  });

  test('all three primaries hold keys', async () => {
    const sizes = await Promise.all(cluster.servers.map(({ ask }) => ask('dbsize')));
    expect(sizes.map((size) => Number(size) > 0)).toEqual([true, true, true]);
  });
});

test('belfry doctor names the mode', async () => {
  const env = await testEnvironment({ redisUrl: cluster.url, databaseUrl: system.databaseUrl });
  const doctor = startProcess('apps/cli/dist/main.js', env, { entryArgs: ['doctor'] });
  await doctor.waitForEnd();
  const output = doctor.output.join('\n');
  expect(output).toContain('Cluster of 3 primaries with 0 replicas.');
  expect(output).toContain('3 primaries without a connected replica');
});

test('a process that is told to use the Cluster as Sentinels does not start: exit 78, with the right URL', async () => {
  const hosts = cluster.servers.map(({ port }) => `127.0.0.1:${port}`).join();
  const redisUrl = `redis+sentinel://:secret@${hosts}/main?sentinel_password=secret`;
  const env = await testEnvironment({ redisUrl, databaseUrl: system.databaseUrl });
  const refused = startProcess('apps/api/dist/main.js', env);
  expect(await refused.waitForEnd()).toBe(78);
  expect(refused.output.join('\n')).toContain('is not a Sentinel. Use redis+cluster://127.0.0.1:');
});
