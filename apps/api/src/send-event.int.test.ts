import type { Database } from '@belfry/database';
import { createPublishCapacity } from '@belfry/pipeline/relay';
import { newId } from '@belfry/runtime';
import { channelVersion, eventually, type Factories, type Tenant } from '@belfry/testing';
import request from 'supertest';
import { createStoredGateway, type StoredGateway } from './stored-gateway.fixture';

let gateway: StoredGateway;
let database: Database;
let factories: Factories;
let tenant: Tenant;
let event: string;
let draft: string;

beforeAll(async () => {
  gateway = await createStoredGateway();
  ({ database, factories } = gateway);
  tenant = await factories.createTenant();
  const version = { email: channelVersion({ subject: 'Hi {{name}}', html: '<p>{{name}}</p>' }) };
  event = (await factories.createEvent(tenant, version)).name;
  draft = `draft_${newId()}`;
  await database.prisma.event.create({ data: { id: newId(), appId: tenant.appId, name: draft } });
});

afterAll(() => gateway.close());

type Call = {
  app?: string;
  key?: string;
  body?: string | object;
  headers?: Record<string, string>;
};

function send({ app = tenant.appId, key = tenant.apiKey, body = { event }, headers = {} }: Call) {
  return request(gateway.server)
    .post(`/v1/apps/${app}/events/send`)
    .set({ Authorization: `AuthKey ${key}`, 'Content-Type': 'application/json', ...headers })
    .send(body);
}

async function countRows(): Promise<number> {
  const { accountId } = tenant;
  return (
    (await database.prisma.request.count({ where: { accountId } })) +
    (await database.prisma.idempotencyKey.count({ where: { accountId } }))
  );
}

function readRequest(id: string) {
  return database.prisma.request.findUniqueOrThrow({
    where: { id },
    include: { requestItems: { include: { messages: true } } },
  });
}

describe('POST /v1/apps/:app_id/events/send', () => {
  test('stores request, item and message before the response', async () => {
    const user = { email: 'ana@example.com' };
    const { body, status } = await send({ body: { event, user, data: { name: 'Ana' } } });
    expect(status).toBe(200);
    const row = await readRequest(body.request_id);
    expect(row).toMatchObject({ kind: 'single', items: 1, plannedItems: 1, appId: tenant.appId });
    expect(row.requestItems).toMatchObject([
      {
        recipient: JSON.stringify(user),
        data: '{"name":"Ana"}',
        messages: [{ channel: 'email', target: 'ana@example.com', state: 'queued' }],
      },
    ]);
  });

  test('stores metadata and cancel key, which the status returns and a dry run accepts', async () => {
    const metadata = { order_id: 'A-1001', 'a key with: signs ü': '' };
    const user = { email: 'ana@example.com' };
    const call = { event, user, metadata, cancel_key: 'order-A-1001' };
    const { body } = await send({ body: call });
    const row = await readRequest(body.request_id);
    expect(row.requestItems).toMatchObject([
      { metadata: JSON.stringify(metadata), cancelKey: 'order-A-1001' },
    ]);
    const { apiKey, appId: app } = tenant;
    const path = `/requests/${body.request_id}`;
    const status = await gateway.call({ method: 'get', path, app, apiKey });
    expect(status.body.messages).toMatchObject([{ channel: 'email', metadata }]);
    const dryRun = { method: 'post', path: '/events/send?dry_run=true', app, apiKey } as const;
    expect((await gateway.call({ ...dryRun, body: call })).status).toBe(200);
  });

  test('counts null and empty metadata as not given, and stores no term without these fields', async () => {
    for (const metadata of [null, {}, { a: null }]) {
      const { body } = await send({ body: { event, metadata, cancel_key: null } });
      const [item] = (await readRequest(body.request_id)).requestItems;
      expect(item).toMatchObject({ metadata: null, cancelKey: null });
      const where = { requestId: body.request_id };
      expect(await database.prisma.requestTerm.count({ where })).toBe(0);
    }
  });

  test('has metadata and cancel key in the fingerprint of an idempotency key', async () => {
    const headers = { 'Idempotency-Key': newId() };
    const call = { event, metadata: { a: '1' }, cancel_key: 'a' };
    const first = await send({ body: call, headers });
    expect((await send({ body: call, headers })).body).toEqual(first.body);
    for (const change of [{ metadata: { a: '2' } }, { cancel_key: 'b' }]) {
      const { body } = await send({ body: { ...call, ...change }, headers });
      expect(body.code).toBe('idempotency_mismatch');
    }
  });

  test('assigns the job of a message before the response if the relay published capacity', async () => {
    const publishCapacity = createPublishCapacity(
      { redis: gateway.redis, prefix: gateway.redisPrefix },
      60_000,
    );
    const readJobId = async () => {
      const { body } = await send({ body: { event, user: { email: 'ana@example.com' } } });
      const [item] = (await readRequest(body.request_id)).requestItems;
      return item?.messages[0]?.jobId;
    };
    // No relay runs here, so no capacity is published and the message is left to the relay.
    expect(await readJobId()).toBeNull();
    await publishCapacity({ id: 'counted', channelCapacity: 10, appCapacity: 10, channels: {} });
    await eventually(async () => expect(await readJobId()).not.toBeNull());
    await publishCapacity({ id: 'full', channelCapacity: 0, appCapacity: 0, channels: {} });
    await eventually(async () => expect(await readJobId()).toBeNull());
  });

  test('stores a request without any recipient, with the reason for each channel', async () => {
    const { body } = await send({ body: { event, user: { mobile: '+12025550123' } } });
    const row = await readRequest(body.request_id);
    expect(row.requestItems).toMatchObject([
      { messages: [], skips: { email: { reason: 'no_address' } } },
    ]);
  });

  test('stores a Slack token sealed, never in clear text', async () => {
    const token = 'xoxb-1234-5678-canarycanary';
    const slack = { channel_id: 'C012345678', access_token: token };
    const { body } = await send({ body: { event, user: { slack } } });
    const [item] = (await readRequest(body.request_id)).requestItems;
    expect(item?.recipient).not.toContain(token);
    expect(JSON.parse(item?.recipient ?? '').slack.access_token).toMatch(/^v1\.test\./);
  });

  test('creates no job for a scheduled message before it is due', async () => {
    const at = new Date(Date.now() + 3_600_000);
    const body = { event, user: { email: 'a@example.com' }, schedule_at: at.getTime() };
    const answer = await send({ body });
    const [message] = (await readRequest(answer.body.request_id)).requestItems[0]?.messages ?? [];
    expect(message).toMatchObject({ dueAt: at, jobId: null, state: 'queued' });
  });

  test('uses the stored user, with the fields of the call taking precedence', async () => {
    await database.prisma.user.create({
      data: {
        id: newId(),
        appId: tenant.appId,
        userId: 'stored',
        contact: { email: 'stored@example.com' },
      },
    });
    const stored = await send({ body: { event, user: { user_id: 'stored' } } });
    const directResponse = await send({
      body: { event, user: { user_id: 'stored', email: 'given@example.com' } },
    });
    const readTarget = async (id: string) =>
      (await readRequest(id)).requestItems[0]?.messages[0]?.target;
    expect(await readTarget(stored.body.request_id)).toBe('stored@example.com');
    expect(await readTarget(directResponse.body.request_id)).toBe('given@example.com');
  });

  test('never uses another account’s user with the same user_id', async () => {
    const { appId } = await factories.createTenant();
    const userId = newId();
    const contact = { email: 'theirs@example.com' };
    await database.prisma.user.create({ data: { id: newId(), appId, userId, contact } });
    const { body } = await send({ body: { event, user: { user_id: userId } } });
    expect((await readRequest(body.request_id)).requestItems).toMatchObject([
      { messages: [], skips: { email: { reason: 'unknown_user' } } },
    ]);
  });
});

describe('invalid input', () => {
  const rows: [string, () => Call, number, string][] = [
    ['a body that is not JSON', () => ({ body: '{"event":' }), 400, 'malformed_json'],
    ['no body', () => ({ body: '' }), 400, 'malformed_json'],
    ['a field of the wrong type', () => ({ body: { event: {} } }), 400, 'invalid_type'],
    [
      'a phone as a number',
      () => ({ body: { event, user: { mobile: 4512345678 } } }),
      400,
      'invalid_type',
    ],
    [
      'deep JSON',
      () => ({ body: `{"event":"e","data":{"a":${'['.repeat(40)}${']'.repeat(40)}}}` }),
      400,
      'hostile_json',
    ],
    ['U+0000', () => ({ body: '{"event":"e","data":{"a":"\\u0000"}}' }), 400, 'hostile_json'],
    [
      'a lone surrogate',
      () => ({ body: '{"event":"e","data":{"a":"\\ud800"}}' }),
      400,
      'hostile_json',
    ],
    [
      'a number that is not finite',
      () => ({ body: '{"event":"e","data":{"a":1e400}}' }),
      400,
      'hostile_json',
    ],
    [
      '__proto__ as a key',
      () => ({ body: '{"event":"e","data":{"__proto__":{}}}' }),
      400,
      'hostile_json',
    ],
    ['a missing event', () => ({ body: { user: {} } }), 422, 'validation_failed'],
    ['a blank event', () => ({ body: { event: ' ' } }), 422, 'validation_failed'],
    [
      'Slack without a recipient',
      () => ({ body: { event, user: { slack: { access_token: 'x' } } } }),
      422,
      'validation_failed',
    ],
    [
      'a time too far ahead',
      () => ({ body: { event, schedule_at: '2999-01-01' } }),
      422,
      'validation_failed',
    ],
    [
      'another content type',
      () => ({ headers: { 'Content-Type': 'text/plain' }, body: '{}' }),
      415,
      'unsupported_media_type',
    ],
    ['an unknown key', () => ({ key: 'bk_nothing' }), 401, 'unauthenticated'],
    [
      'an empty Idempotency-Key',
      () => ({ headers: { 'Idempotency-Key': '' } }),
      400,
      'idempotency_key_invalid',
    ],
    ['an app ID that is not a UUID', () => ({ app: 'app_1' }), 404, 'app_not_found'],
    ['an unknown app', () => ({ app: newId() }), 404, 'app_not_found'],
    ['an unknown event', () => ({ body: { event: 'nowhere' } }), 404, 'event_not_found'],
    ['a draft', () => ({ body: { event: draft } }), 400, 'event_not_live'],
  ];

  test.each(rows)('%s leaves no row and gets its error code', async (_what, call, status, code) => {
    const before = await countRows();
    const answer = await send(call());
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code });
    expect(answer.body).toMatchObject({
      success: false,
      request_id: answer.headers['x-request-id'],
    });
    expect(await countRows()).toBe(before);
  });

  test('an app of another account gets the same response as an unknown one', async () => {
    const otherTenant = await factories.createTenant();
    const theirs = await send({ app: otherTenant.appId });
    const nobodys = await send({ app: newId() });
    const { request_id: first, ...body } = theirs.body;
    const { request_id: second, ...expected } = nobodys.body;
    expect(body).toEqual(expected);
    expect(theirs.status).toBe(nobodys.status);
    expect(first).not.toBe(second);
    expect(Object.keys(theirs.headers)).toEqual(Object.keys(nobodys.headers));
  });
});
