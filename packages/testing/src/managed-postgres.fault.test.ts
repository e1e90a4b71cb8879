import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase, migrate } from '@belfry/database';
import { createLogger, newId } from '@belfry/runtime';
import {
  channelVersion,
  createSlackSimulator,
  eventually,
  type OwnStore,
  ownPostgres,
  ownRedis,
  type SlackSimulator,
  type System,
  startProcess,
  startSystem,
  type Tenant,
  testKeyRing,
} from '@belfry/testing';
import {
  hasDebianPostgres,
  type Pooler,
  query,
  startPgBouncer,
  startReplicatedPostgres,
} from './debian-postgres';
import { repositoryRoot } from './test-stores';

jest.setTimeout(240_000);

// Without the packages these tests would test nothing, so CI fails.
const describeServers =
  hasDebianPostgres || process.env['CI'] === 'true' ? describe : describe.skip;

const migrations = path.join(repositoryRoot, 'prisma', 'migrations');
const log = createLogger({ level: 'error', process: 'test' });
const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
}, 120_000);

function later<T>(value: T, cleanUp: (value: T) => Promise<unknown>): T {
  cleanUps.push(() => cleanUp(value));
  return value;
}

type World = { system: System; slack: SlackSimulator; send(key: string): Promise<number> };

/** Gateway and worker on these stores, with an event that calls Slack. */
async function openWorld(
  { databaseUrl, redisUrl }: { databaseUrl: string; redisUrl: string },
  env: Record<string, string>,
): Promise<World> {
  const slack = later(await createSlackSimulator(), (each) => each.close());
  const system = later(
    await startSystem({
      databaseUrl,
      redisUrl,
      workers: ['all'],
      env: { SLACK_API_URL: slack.url, ...env },
    }),
    (each) => each.stop(),
  );
  const tenant = await system.factories.createTenant({ delivery: 'live' });
  const integration = await system.factories.createIntegration(tenant, {
    channel: 'slack',
    provider: 'slack',
    credentials: { access_token: 'xoxb-1111-2222-integration' },
  });
  const event = await system.factories.createEvent(tenant, {
    slack: channelVersion({ text: 'Hello' }, { integrationIds: [integration.id] }),
  });
  return { system, slack, send: (key) => send(system, tenant, { event: event.name, key }) };
}

/** Sends one message under this key; the status, 0 if there was no answer. */
async function send(
  system: System,
  tenant: Tenant,
  { event, key }: { event: string; key: string },
): Promise<number> {
  const body = { event, user: { slack: { channel_id: 'C0MANAGED' } } };
  const answer = await system
    .send(tenant, body, { 'Idempotency-Key': key })
    .catch(() => ({ status: 0 }));
  return answer.status;
}

describeServers('a pooler in transaction mode with ten connections', () => {
  let postgres: OwnStore;
  let redis: OwnStore;
  let pooler: Pooler;

  beforeEach(async () => {
    postgres = later(await ownPostgres(), (each) => each.remove());
    redis = later(await ownRedis(), (each) => each.remove());
    await migrate(postgres.url, migrations);
    pooler = later(await startPgBouncer(postgres.url, { mode: 'transaction' }), (each) =>
      each.stop(),
    );
  });

  test('serves gateway, worker and dashboard: 500 keyed sends, each repeated, are accepted and delivered once', async () => {
    const {
      system,
      slack,
      send: sendOne,
    } = await openWorld(
      { databaseUrl: postgres.url, redisUrl: redis.url },
      { DATABASE_URL: pooler.url, DATABASE_POOLING: 'transaction' },
    );
    const keys = Array.from({ length: 500 }, () => newId());
    const statuses: number[] = [];
    for (let sent = 0; sent < keys.length; sent += 50) {
      const some = keys.slice(sent, sent + 50);
      statuses.push(...(await Promise.all([...some, ...some].map(sendOne))));
    }
    // A repeat beside its first call may get a 409.
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect(await Promise.all(keys.map(sendOne))).toEqual(keys.map(() => 200));
    await eventually(() => expect(slack.sends).toHaveLength(keys.length), { timeoutMs: 60_000 });
    expect(await system.database.prisma.message.count({ where: { state: 'sent' } })).toBe(500);
    const dashboard = await system.startDashboard();
    expect(dashboard.output.join('\n')).not.toContain('error');
    const logged = [system.api, ...system.workers].flatMap(({ lines }) => lines);
    expect(logged.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('keeps the settings of each pool within a transaction, and leaves none behind', async () => {
    const database = later(
      createDatabase({ url: pooler.url, poolSize: 4, pooling: 'transaction', log }),
      (each) => each.close(),
    );
    const readPlan = `SELECT current_setting('enable_seqscan') AS seqscan, current_setting('statement_timeout') AS timeout`;
    const read = async (pool: 'hot' | 'lookUps') =>
      (await database[pool].query({ name: 'read-plan', text: readPlan })).rows[0];
    for (let count = 0; count < 20; count += 1) {
      expect(await Promise.all([read('hot'), read('lookUps')])).toEqual([
        { seqscan: 'off', timeout: '30s' },
        { seqscan: 'on', timeout: '10s' },
      ]);
    }
    expect(await query(pooler.url, readPlan)).toEqual([{ seqscan: 'on', timeout: '0' }]);
  });

  test('fails a statement that fails, and commits nothing of it', async () => {
    const { lookUps, close } = createDatabase({
      url: pooler.url,
      poolSize: 1,
      pooling: 'transaction',
      log,
    });
    cleanUps.push(close);
    await lookUps.query('CREATE TABLE pooled (id int PRIMARY KEY)');
    await lookUps.query('INSERT INTO pooled VALUES ($1)', [1]);
    await expect(lookUps.query('INSERT INTO pooled VALUES ($1), ($2)', [2, 1])).rejects.toThrow(
      'duplicate key',
    );
    expect((await lookUps.query('SELECT id FROM pooled')).rows).toEqual([{ id: 1 }]);
  });
});

describeServers('a pooler that does not fit', () => {
  test.each([
    [
      'is not named in the settings',
      { mode: 'transaction' },
      {},
      'Set DATABASE_POOLING=transaction',
    ],
    [
      'drops the settings of connections',
      { mode: 'session', more: 'ignore_startup_parameters = options' },
      {},
      'Set DATABASE_POOLING=transaction',
    ],
    [
      'is in statement mode',
      { mode: 'statement' },
      { DATABASE_POOLING: 'transaction' },
      'Set its pool_mode to transaction',
    ],
  ] as const)('stops the start with exit 78 if it %s', async (_title, options, env, text) => {
    const postgres = later(await ownPostgres(), (each) => each.remove());
    const redis = later(await ownRedis(), (each) => each.remove());
    await migrate(postgres.url, migrations);
    const pooler = later(await startPgBouncer(postgres.url, options), (each) => each.stop());
    const child = later(
      startProcess('apps/api/dist/main.js', {
        DATABASE_URL: pooler.url,
        REDIS_URL: redis.url,
        BELFRY_KEYS: testKeyRing,
        PUBLIC_URL: 'http://127.0.0.1',
        API_PORT: '0',
        ...env,
      }),
      (each) => each.stop('SIGKILL'),
    );
    expect(await child.waitForEnd()).toBe(78);
    expect(child.output.join('\n')).toContain(text);
  });
});

describeServers('a primary that is killed under load', () => {
  test('is replaced by its promoted replica: what was accepted is there and delivered, and nothing is accepted twice', async () => {
    const servers = later(await startReplicatedPostgres(), (each) => each.remove());
    const redis = later(await ownRedis(), (each) => each.remove());
    await migrate(servers.url, migrations);
    const { system, send: sendOne } = await openWorld(
      { databaseUrl: servers.url, redisUrl: redis.url },
      {},
    );
    const accepted: string[] = [];
    const refused: string[] = [];
    let isEnding = false;
    async function sendOn(): Promise<void> {
      while (!isEnding) {
        const key = newId();
        ((await sendOne(key)) === 200 ? accepted : refused).push(key);
        await sleep(5);
      }
    }
    const senders = Array.from({ length: 8 }, sendOn);
    await eventually(() => expect(accepted.length).toBeGreaterThan(200), { timeoutMs: 30_000 });
    await servers.killPrimary();
    await servers.promote();
    const before = accepted.length;
    await eventually(() => expect(accepted.length).toBeGreaterThan(before + 200), {
      timeoutMs: 60_000,
    });
    isEnding = true;
    await Promise.all(senders);
    // A caller repeats what got no answer: after this, each key has one request.
    for (const key of refused) {
      await eventually(async () => expect(await sendOne(key)).toBe(200), { timeoutMs: 30_000 });
    }
    const requests = await query<{ count: number }>(
      servers.replicaUrl,
      'SELECT key_hash, count(*)::int AS count FROM idempotency_key GROUP BY key_hash',
    );
    expect(requests.filter(({ count }) => count !== 1)).toEqual([]);
    expect(requests).toHaveLength(accepted.length + refused.length);
    await eventually(
      async () => {
        const open = { notIn: ['sent'] };
        expect(await system.database.prisma.message.count({ where: { state: open } })).toBe(0);
      },
      { timeoutMs: 90_000 },
    );
    expect(await system.database.prisma.message.count()).toBe(requests.length);
  });

  test('a replica named as the primary stops the start with exit 78', async () => {
    const servers = later(await startReplicatedPostgres(), (each) => each.remove());
    const redis = later(await ownRedis(), (each) => each.remove());
    await migrate(servers.primaryUrl, migrations);
    const child = later(
      startProcess('apps/api/dist/main.js', {
        DATABASE_URL: servers.replicaUrl,
        REDIS_URL: redis.url,
        BELFRY_KEYS: testKeyRing,
        PUBLIC_URL: 'http://127.0.0.1',
        API_PORT: '0',
      }),
      (each) => each.stop('SIGKILL'),
    );
    expect(await child.waitForEnd()).toBe(78);
    expect(child.output.join('\n')).toContain('Use the URL of the primary');
  });
});
