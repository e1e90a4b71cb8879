import type { Database } from '@belfry/database';
import {
  createLogger,
  createRedis,
  createShutdown,
  newId,
  readEnv,
  waitForRedis,
} from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  createStatementCounter,
  eventually,
  type Factories,
  openDatabase,
  type Tenant,
  testDatabase,
  testKeyRing,
  testRedis,
} from '@belfry/testing';
import request from 'supertest';
import { createApi } from './app';
import { createApiDeps } from './composition';
import { createApiServer } from './server';
import { createStoredGateway } from './stored-gateway.fixture';

const log = createLogger({ level: 'error', process: 'test' });
const shutdown = createShutdown({ log, timeoutMs: 5_000 });
const prefix = `${testRedis().prefix}-bulk`;
let server: ReturnType<typeof createApiServer>;
let database: Database;
let factories: Factories;
let tenant: Tenant;
let event: string;
let redis: ReturnType<typeof createRedis>;

beforeAll(async () => {
  const { url } = await testDatabase();
  const env = readEnv('api', {
    DATABASE_URL: url,
    REDIS_URL: testRedis().url,
    REDIS_PREFIX: prefix,
    BELFRY_KEYS: testKeyRing,
    PUBLIC_URL: 'http://127.0.0.1',
    ALLOW_HTTP: 'true',
    LOOKUP_CACHE_MS: '0',
  });
  const deps = createApiDeps(env, log, shutdown);
  server = createApiServer(createApi(deps), { ...deps.https, newId, log });
  database = openDatabase({ url, poolSize: 2 });
  redis = createRedis({ url: testRedis().url, log });
  await waitForRedis(redis, 5_000);
  factories = createFactories(database);
  tenant = await factories.createTenant();
  event = (await factories.createEvent(tenant, liveChannels)).name;
});

afterAll(async () => {
  await shutdown.run('test');
  await database.close();
  redis.disconnect();
});

const liveChannels = {
  email: channelVersion({ subject: 'Hi {{name}}', text: '{{name}}' }),
  slack: channelVersion({ text: 'Hi {{name}}' }),
};

type Call = { body: object | string; headers?: Record<string, string> };

function sendBulk({ body, headers = {} }: Call) {
  return request(server)
    .post(`/v1/apps/${tenant.appId}/events/bulk_send`)
    .set({
      Authorization: `AuthKey ${tenant.apiKey}`,
      'Content-Type': 'application/json',
      ...headers,
    })
    .send(body);
}

function element(index: number) {
  return { user: { email: `p${index}@example.com` }, data: { name: `P${index}` } };
}

function elements(count: number) {
  return Array.from({ length: count }, (_, index) => element(index));
}

/** The same with an address for each of the three channels. */
function reachedByAll({ user, data }: ReturnType<typeof element>, index: number) {
  const mobile = `+45${20_000_000 + index}`;
  return { user: { ...user, mobile, slack: { channel_id: `C${100_000_000 + index}` } }, data };
}

function readRequest(id: string) {
  return database.prisma.request.findUniqueOrThrow({
    where: { id },
    include: { requestItems: { orderBy: { item: 'asc' }, include: { messages: true } } },
  });
}

async function countRows(): Promise<number> {
  const { accountId } = tenant;
  return (
    (await database.prisma.request.count({ where: { accountId } })) +
    (await database.prisma.idempotencyKey.count({ where: { accountId } }))
  );
}

describe('POST /v1/apps/:app_id/events/bulk_send', () => {
  test('returns one ID twice and the count, and stores every element unchanged and unplanned', async () => {
    const batch = [
      element(0),
      { ...element(1), override: { email: { reply_to: 'a@b.c' } }, schedule_at: 5, locale: 'fr' },
    ];
    const { status, body, headers } = await sendBulk({ body: { event, batch, locale: 'de' } });
    const id = headers['x-request-id'];
    expect({ status, body }).toEqual({
      status: 200,
      body: { request_id: id, id, success: true, accepted: 2 },
    });
    const row = await readRequest(body.request_id);
    expect(row).toMatchObject({ kind: 'bulk', items: 2, plannedItems: 0, appId: tenant.appId });
    expect(row.requestItems).toMatchObject([
      {
        recipient: JSON.stringify(batch[0]?.user),
        data: '{"name":"P0"}',
        override: null,
        locale: 'de',
        plannedAt: null,
        messages: [],
      },
      { override: '{"email":{"reply_to":"a@b.c"}}', scheduleAt: '5', locale: 'fr', messages: [] },
    ]);
  });

  test('gives metadata and cancel key of the batch to every element without its own', async () => {
    const own = { metadata: { order: 'A-2' }, cancel_key: 'own' };
    const batch = [element(0), { ...element(1), ...own }, { ...element(2), metadata: {} }];
    const all = { metadata: { campaign: 'spring' }, cancel_key: 'all' };
    const { body } = await sendBulk({ body: { event, batch, ...all } });
    const shared = { metadata: '{"campaign":"spring"}', cancelKey: 'all' };
    expect((await readRequest(body.request_id)).requestItems).toMatchObject([
      shared,
      { metadata: '{"order":"A-2"}', cancelKey: 'own' },
      shared,
    ]);
    // Both are stored once for each request.
    const where = { requestId: body.request_id };
    expect(await database.prisma.requestTerm.count({ where })).toBe(4);
  });

  test('enqueues one fan-out job for the whole batch', async () => {
    const { body } = await sendBulk({ body: { event, batch: elements(50) } });
    await eventually(async () => {
      const jobs = await redis.lrange(`${prefix}:fanout:wait`, 0, -1);
      expect(jobs.filter((id) => id === body.request_id)).toHaveLength(1);
    });
  });

  test('binds each sealed Slack token to its element', async () => {
    const token = 'xoxb-1234-5678-canarycanary';
    const user = { slack: { channel_id: 'C012345678', access_token: token } };
    const { body } = await sendBulk({ body: { event, batch: [{ user }, { user }] } });
    const { requestItems } = await readRequest(body.request_id);
    const sealed = requestItems.map(
      ({ recipient }) => JSON.parse(recipient ?? '').slack.access_token,
    );
    expect(new Set(sealed).size).toBe(2);
    for (const each of sealed) expect(each).toMatch(/^v1\.test\./);
  });

  test('accepts an invalid address, whose element is skipped later', async () => {
    const batch = [element(0), { user: { email: 'nonsense' } }];
    expect((await sendBulk({ body: { event, batch } })).body.accepted).toBe(2);
  });

  test('accepts a bulk of 1,000 with every optional key as null', async () => {
    const nulls = {
      ...{ user_id: null, mobile: null, whatsapp_mobile: null, slack: null, telegram: null },
      ...{ onesignal_external_id: null, fcm_tokens: null, ios_tokens: null, preferences: null },
    };
    const optional = { data: null, override: null, schedule_at: null, scheduleAt: null };
    const batch = elements(1_000).map(({ user }) => ({
      ...optional,
      user: { ...nulls, ...user },
      locale: null,
    }));
    const body = { event, batch, override: null, schedule_at: null, locale: null };
    const answer = await sendBulk({ body });
    expect({ status: answer.status, accepted: answer.body.accepted }).toEqual({
      status: 200,
      accepted: 1_000,
    });
    const { requestItems } = await readRequest(answer.body.request_id);
    expect(requestItems).toHaveLength(1_000);
    expect(requestItems[999]).toMatchObject({
      recipient: '{"email":"p999@example.com"}',
      data: null,
      override: null,
    });
  });

  test.each([
    ['without a key', () => ({})],
    ['with an Idempotency-Key', () => ({ 'Idempotency-Key': newId() })],
  ])(
    'accepts a bulk of 1,000 on 3 channels in at most 3 statements besides the look-ups of key and app, %s',
    async (_, headers) => {
      const counter = await createStatementCounter((await testDatabase()).url);
      const counted = await createStoredGateway({
        env: { DATABASE_URL: counter.url, LOOKUP_CACHE_MS: '0' },
      });
      const { name } = await factories.createEvent(counted.tenant, {
        ...liveChannels,
        sms: channelVersion({ text: 'Hi {{name}}' }),
      });
      const call = () =>
        counted.call({
          method: 'post',
          path: '/events/bulk_send',
          body: { event: name, batch: elements(1_000).map(reachedByAll) },
          headers: headers(),
        });
      // For the second one the event's version is cached.
      for (const _call of [1, 2]) {
        const statements = await counter.during(async () => {
          expect((await call()).body.accepted).toBe(1_000);
        });
        const acceptStatements = statements.filter(
          (text) => !/\bFROM (api_key|app) /.test(text.replace(/\s+/g, ' ')),
        );
        expect(statements.length - acceptStatements.length).toBe(2);
        expect(acceptStatements.join()).toContain('INSERT INTO request');
        expect(acceptStatements.length).toBeLessThanOrEqual(3);
      }
      await counted.close();
      await counter.close();
    },
  );

  const rows: [string, object, number, string][] = [
    ['an empty batch', { batch: [] }, 422, 'batch must not be empty'],
    ['no batch', {}, 422, 'batch must not be empty'],
    ['no event', { event: null, batch: [element(0)] }, 422, 'event must not be blank'],
    ['an event of another type', { event: {}, batch: [] }, 400, 'event must be a string'],
    ['an element without user', { batch: [{}] }, 422, 'batch[0].user must not be null'],
    [
      'one bad element among good ones',
      { batch: [...elements(700), { user: { mobile: 1 } }] },
      400,
      'batch[700].user.mobile must be a string',
    ],
    ['an unknown event', { event: 'nowhere', batch: elements(2) }, 404, 'event not found'],
    [
      'more than 1,000 elements',
      { batch: elements(1_001) },
      422,
      'batch must have at most 1000 elements',
    ],
  ];

  test.each(rows)(
    'refuses the whole batch for %s and stores nothing',
    async (_, change, status, error) => {
      const before = await countRows();
      const headers = { 'Idempotency-Key': newId() };
      const answer = await sendBulk({ body: { event, ...change }, headers });
      expect({ status: answer.status, error: answer.body.error }).toEqual({ status, error });
      expect(await countRows()).toBe(before);
    },
  );
});

describe('an Idempotency-Key of a bulk', () => {
  test('replays the first response byte for byte, whatever the order of members, and accepts once', async () => {
    const headers = { 'Idempotency-Key': newId() };
    const first = await sendBulk({ body: { event, batch: elements(3) }, headers });
    const before = await countRows();
    const batch = elements(3).map(({ user, data }) => ({ data, user, override: null }));
    const second = await sendBulk({ body: { batch, event }, headers });
    expect(second.text).toBe(first.text);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(await countRows()).toBe(before);
  });

  test.each<[string, object]>([
    ['one more element', { batch: elements(3) }],
    ['its elements in another order', { batch: elements(2).reverse() }],
    ['an added locale for the batch', { batch: elements(2), locale: 'de' }],
  ])('is refused with %s', async (_, change) => {
    const headers = { 'Idempotency-Key': newId() };
    await sendBulk({ body: { event, batch: elements(2) }, headers });
    const { status, body } = await sendBulk({ body: { event, ...change }, headers });
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'idempotency_mismatch' });
  });
});
