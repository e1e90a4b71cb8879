import { createHmac } from 'node:crypto';
import { claimMessages, recordResults } from '@belfry/pipeline/deliver';
import { newId } from '@belfry/runtime';
import { channelVersion, type Tenant } from '@belfry/testing';
import request, { type Test } from 'supertest';
import { createStoredGateway, type StoredGateway } from '../stored-gateway.fixture';

let gateway: StoredGateway;
let tenant: Tenant;
let otherTenant: Tenant;
let event: string;

beforeAll(async () => {
  gateway = await createStoredGateway();
  const { factories } = gateway;
  [tenant, otherTenant] = await Promise.all([
    factories.createTenant({ delivery: 'live' }),
    factories.createTenant({ delivery: 'live' }),
  ]);
  const version = { in_app: channelVersion({ title: '{{title}}', body: 'Hello' }) };
  event = (await factories.createEvent(tenant, version)).name;
});

afterAll(() => gateway.close());

type Reader = { userId: string; app?: string; signature?: string | undefined };

function sign(userId: string, apiKey = tenant.apiKey): string {
  return createHmac('sha256', apiKey).update(userId).digest('hex');
}

type Method = 'get' | 'post' | 'put' | 'options';

/** Calls as a browser does: with the signature and no API key. */
function call(method: Method, path: string, reader: Reader, body?: object): Test {
  const { userId, app = tenant.appId } = reader;
  const signature = 'signature' in reader ? reader.signature : sign(userId);
  const test = request(gateway.server)
    [method](`/v1/apps/${app}/in_app_notifications/${path}`)
    .set('Origin', 'https://shop.example.com');
  if (signature !== undefined) test.set('X-Raven-User-Signature', signature);
  return body === undefined ? test : test.send(body);
}

function byQuery(method: Method, path: string, reader: Reader, body?: object): Test {
  return call(method, `${path}?user_id=${encodeURIComponent(reader.userId)}`, reader, body);
}

const setUp = (reader: Reader) => byQuery('post', 'setup', reader, {});
const count = (reader: Reader) => byQuery('get', 'unread_count', reader);
const open = (reader: Reader) => byQuery('put', 'last_open', reader, {});
const fetchPage = (reader: Reader, last: string | null = null) =>
  call('post', 'fetch', reader, { user_id: reader.userId, last_message_id: last });
const update = (reader: Reader, messageId: unknown, status: unknown) =>
  call('put', 'update', reader, { user_id: reader.userId, message_id: messageId, status });
const readAll = (reader: Reader, messageId: unknown) =>
  call('put', 'read_all', reader, { user_id: reader.userId, message_id: messageId });

function createReader(name: string): Reader & { userId: string } {
  return { userId: `${name}-${newId()}` };
}

/** Accepts a message over HTTP, delivers it as the worker does, and returns its ID. */
async function deliver(userId: string, title = 'Hello'): Promise<string> {
  const { database } = gateway;
  const { body } = await gateway.call({
    method: 'post',
    path: '/events/send',
    app: tenant.appId,
    apiKey: tenant.apiKey,
    body: { event, user: { user_id: userId }, data: { title } },
  });
  const { id } = await database.prisma.message.findFirstOrThrow({
    where: { requestId: body.request_id },
  });
  await claimMessages(database.delivery, { ids: [id], worker: 'test', leaseMs: 20_000 });
  await recordResults(database.delivery, [deliveredAs(id, title)]);
  return id;
}

function deliveredAs(messageId: string, title: string): Parameters<typeof recordResults>[1][0] {
  return {
    messageId,
    attempt: 1,
    outcome: 'accepted',
    reason: undefined,
    detail: undefined,
    provider: 'inbox',
    providerMessageId: messageId,
    request: undefined,
    response: undefined,
    notes: {},
    changes: [],
    inboxItem: { title, body: 'Hello', data: {} },
    unknownCount: 0,
    next: { state: 'delivered' },
  };
}

async function deliverMany(userId: string, many: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 1; number <= many; number += 1) ids.push(await deliver(userId, `${number}`));
  return ids;
}

async function readState(id: string): Promise<string> {
  return (await gateway.database.prisma.message.findUniqueOrThrow({ where: { id } })).state;
}

function listIds(body: { notifications: { message_id: string }[] }): string[] {
  return body.notifications.map(({ message_id }) => message_id);
}

describe('the in-app messages of a user', () => {
  test('can be fetched, counted, read and archived in the format of front ends', async () => {
    const reader = createReader('ana');
    expect((await setUp(reader)).body).toEqual({ success: true });
    const [first, second, third] = await deliverMany(reader.userId, 3);

    expect((await count(reader)).body).toEqual({ unread_count: 3 });
    const fetched = await fetchPage(reader);
    expect(fetched.status).toBe(200);
    expect(fetched.body.notifications[0]).toEqual({
      message_id: third,
      message_body: { title: '3', body: 'Hello', data: {} },
      timestamp: expect.any(Number),
      status: 'UNREAD',
      ...{ seen_at: null, read_at: null, archived_at: null },
    });
    expect(Math.abs(Date.now() - fetched.body.notifications[0].timestamp)).toBeLessThan(60_000);
    expect(listIds(fetched.body)).toEqual([third, second, first]);

    expect((await open(reader)).body).toEqual({ success: true });
    expect((await count(reader)).body).toEqual({ unread_count: 0 });

    expect((await update(reader, second, 'READ')).body).toEqual({ success: true });
    expect(await readState(second!)).toBe('read');
    expect((await update(reader, first, 'ARCHIVE')).status).toBe(200);
    const items = (await fetchPage(reader)).body.notifications;
    expect(items).toMatchObject([
      { message_id: third, status: 'UNREAD' },
      { message_id: second, status: 'READ' },
    ]);

    expect((await readAll(reader, third)).body).toEqual({ success: true });
    expect(await readState(third!)).toBe('read');
    expect(await readState(first!)).toBe('delivered');
  });

  test('come in pages of 20, each after the last item of the previous page', async () => {
    const reader = createReader('pages');
    const ids = (await deliverMany(reader.userId, 21)).reverse();
    const first = await fetchPage(reader);
    expect(listIds(first.body)).toEqual(ids.slice(0, 20));
    const second = await fetchPage(reader, ids[19]!);
    expect(listIds(second.body)).toEqual(ids.slice(20));
    expect((await fetchPage(reader, ids[20]!)).body).toEqual({ notifications: [] });
  });

  test('work for any user_id, stored or not', async () => {
    const reader = createReader('Ünï/ø 👋 ?&=');
    const id = await deliver(reader.userId);
    expect(listIds((await fetchPage(reader)).body)).toEqual([id]);
    expect((await count(reader)).body).toEqual({ unread_count: 1 });
    const list = await gateway.call({
      method: 'get',
      path: `/users/${encodeURIComponent(reader.userId)}/inbox`,
      app: tenant.appId,
      apiKey: tenant.apiKey,
    });
    expect(listIds(list.body)).toEqual([id]);
  });

  test('ignore an Idempotency-Key', async () => {
    const reader = createReader('keyed');
    const id = await deliver(reader.userId);
    const fetchWithKey = () => fetchPage(reader).set('Idempotency-Key', 'k');
    expect(listIds((await fetchWithKey()).body)).toEqual([id]);
    await update(reader, id, 'ARCHIVE');
    expect((await fetchWithKey()).body).toEqual({ notifications: [] });
  });
});

describe('X-Raven-User-Signature', () => {
  /** Every call with this signature and app. */
  function everyCall(reader: Reader, messageId: string): [string, Test][] {
    return [
      ['setup', setUp(reader)],
      ['fetch', fetchPage(reader)],
      ['unread_count', count(reader)],
      ['update', update(reader, messageId, 'READ')],
      ['read_all', readAll(reader, messageId)],
      ['last_open', open(reader)],
    ];
  }

  test.each<[string, (userId: string) => Partial<Reader>]>([
    ['no signature', () => ({ signature: undefined })],
    ['an empty signature', () => ({ signature: '' })],
    ['another user’s signature', () => ({ signature: sign('somebody') })],
    [
      'a signature with another account’s key',
      (userId) => ({ signature: sign(userId, otherTenant.apiKey) }),
    ],
    ['a signature that is one character short', (userId) => ({ signature: sign(userId).slice(1) })],
    ['a signature that is not hex', (userId) => ({ signature: `z${sign(userId).slice(1)}` })],
    ['the API key itself', () => ({ signature: tenant.apiKey })],
    ['a signature for another account’s app', () => ({ app: otherTenant.appId })],
    ['a signature for an unknown app', () => ({ app: newId() })],
    ['a signature for an invalid app ID', () => ({ app: 'x' })],
  ])(
    '%s is refused by every route, and nothing is changed or revealed',
    async (_title, changes) => {
      const { userId } = createReader('victim');
      const messageId = await deliver(userId);
      const reader = { userId, signature: sign(userId), ...changes(userId) };
      for (const [path, test] of everyCall(reader, messageId)) {
        const { status, body, headers } = await test;
        expect([path, status, body.code]).toEqual([path, 401, 'unauthenticated']);
        expect(headers['www-authenticate']).toBe('X-Raven-User-Signature');
      }
      expect(await readState(messageId)).toBe('delivered');
      expect(await gateway.database.prisma.user.count({ where: { userId } })).toBe(0);
      const opened = { userId, lastOpenedAt: { not: null } };
      expect(await gateway.database.prisma.inboxReader.count({ where: opened })).toBe(0);
    },
  );

  test('for an app of another account gets the same error as for an unknown app', async () => {
    const { userId } = createReader('words');
    const answers = await Promise.all(
      [otherTenant.appId, newId()].map((app) => fetchPage({ userId, app })),
    );
    const [theirs, nobodys] = answers.map(({ body: { request_id: _id, ...body } }) => body);
    expect(theirs).toEqual(nobodys);
  });

  test('may use any active key and no revoked one', async () => {
    const { prisma } = gateway.database;
    const { userId } = createReader('rotation');
    const { id, key } = await gateway.factories.createApiKey(tenant);
    const signature = sign(userId, key);
    expect((await fetchPage({ userId, signature })).status).toBe(200);
    expect((await fetchPage({ userId, signature: signature.toUpperCase() })).status).toBe(200);
    expect((await fetchPage({ userId })).status).toBe(200);
    await prisma.apiKey.update({ where: { id }, data: { revokedAt: new Date() } });
    expect((await fetchPage({ userId, signature })).status).toBe(401);
    await prisma.apiKey.update({
      where: { id },
      data: { revokedAt: null, expiresAt: new Date(Date.now() - 1_000) },
    });
    expect((await fetchPage({ userId, signature })).status).toBe(401);
  });

  test('does not give access to routes that require the API key', async () => {
    const { userId } = createReader('narrow');
    await deliver(userId);
    const answer = await request(gateway.server)
      .get(`/v1/apps/${tenant.appId}/users/${userId}/inbox`)
      .set('X-Raven-User-Signature', sign(userId));
    expect(answer.status).toBe(401);
  });
});

describe('an app with unsigned inbox counters', () => {
  test('allows only the two counters without a signature', async () => {
    const { factories, database } = gateway;
    const openTenant = await factories.createTenant({ delivery: 'live' });
    await database.prisma.app.update({
      where: { id: openTenant.appId },
      data: { openInboxCounters: true },
    });
    const anonymous = { userId: 'ana', app: openTenant.appId, signature: undefined };
    expect((await count(anonymous)).body).toEqual({ unread_count: 0 });
    expect((await open(anonymous)).body).toEqual({ success: true });
    expect((await fetchPage(anonymous)).status).toBe(401);
    expect((await setUp(anonymous)).status).toBe(401);
    // A signature that is sent must be valid.
    expect((await count({ ...anonymous, signature: sign('eve') })).status).toBe(401);
    expect(await database.prisma.inboxReader.count({ where: { appId: openTenant.appId } })).toBe(0);
  });
});

describe('invalid input from a front end', () => {
  const reader = { userId: 'ana' };
  const body = { user_id: 'ana' };
  const message_id = '0199b1f4-9a10-7d21-8f60-2b7c1d5e8a03';
  const invalid = 'validation_failed';
  const notFound = 'message_not_found';

  test.each<[call: [Method, string, object?], status: number, code: string, sentence: string]>([
    [['post', 'setup', {}], 422, invalid, 'user_id must not be blank'],
    [['post', 'setup?user_id=', {}], 422, invalid, 'user_id must not be blank'],
    [['get', 'unread_count?user_id=a&user_id=b'], 422, invalid, 'user_id must appear only once'],
    [['put', 'last_open?user_id=%07', {}], 422, invalid, 'user_id is not a valid user ID'],
    [['post', 'fetch', {}], 422, invalid, 'user_id must not be blank'],
    [['post', 'fetch', { user_id: 7 }], 400, 'invalid_type', 'user_id must be a string'],
    [['post', 'fetch', { ...body, last_message_id: 7 }], 400, 'invalid_type', 'last_message_id'],
    [['post', 'fetch', { ...body, last_message_id: 'x' }], 404, notFound, 'message not found'],
    [
      ['post', 'fetch', { ...body, last_message_id: message_id }],
      404,
      notFound,
      'message not found',
    ],
    [['put', 'update', body], 422, invalid, 'message_id must not be null'],
    [['put', 'update', { ...body, message_id }], 422, invalid, 'status must not be null'],
    [['put', 'update', { ...body, message_id, status: 'read' }], 422, invalid, 'must be one of'],
    [
      ['put', 'update', { ...body, message_id, status: 'READ' }],
      404,
      notFound,
      'message not found',
    ],
    [['put', 'read_all', { ...body, message_id }], 404, notFound, 'message not found'],
    [['post', 'fetch', { ...body, x: 'x'.repeat(17_000) }], 413, 'body_too_large', '16384'],
  ])('%j gets %i', async ([method, path, input], status, code, sentence) => {
    const answer = await call(method, path, reader, input);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ success: false, code });
    expect(answer.body.error).toContain(sentence);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
  });

  test.each(['ably_token', 'nothing'])('%s gets a JSON 404', async (path) => {
    const answer = await call('get', path, reader);
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ success: false, error: expect.any(String) });
  });
});

test('the OpenAPI document shows the response of each front-end call without a signature', async () => {
  const { paths } = (await request(gateway.server).get('/openapi.json')).body;
  const below = '/v1/apps/{app_id}/in_app_notifications/';
  const documented = Object.entries<Record<string, Documented>>(paths).filter(([path]) =>
    path.startsWith(below),
  );
  expect(documented).toHaveLength(11);
  for (const [path, methods] of documented) {
    for (const [method, { security, responses }] of Object.entries(methods)) {
      expect(security).toContainEqual({ userSignature: [] });
      // The document has the methods of the routes.
      const place = [method as Method, path.slice(below.length).replace('{', '')] as const;
      const answer = await call(...place, { userId: 'ana', signature: undefined });
      const { headers, content } = responses['401']!;
      const { request_id: _id, ...expectedBody } =
        content['application/json'].examples['unauthenticated']!.value;
      expect(answer.body).toMatchObject(expectedBody);
      expect(headers['WWW-Authenticate']?.example).toBe(answer.headers['www-authenticate']);
    }
  }
});

type Documented = {
  security: object[];
  responses: Record<
    string,
    {
      headers: Record<string, { example: string }>;
      content: {
        'application/json': { examples: Record<string, { value: Record<string, unknown> }> };
      };
    }
  >;
};

describe('a browser on another site', () => {
  test('may make every inbox call without credentials', async () => {
    const paths = ['setup', 'fetch', 'unread_count', 'update', 'read_all', 'last_open'];
    for (const path of [...paths, 'items', `items/${newId()}`, 'stream', 'stream_ticket']) {
      const { status, headers } = await call('options', path, { userId: 'x', signature: undefined })
        .set('Access-Control-Request-Method', 'PUT')
        .set('Access-Control-Request-Headers', 'content-type,x-raven-user-signature,authorization');
      expect(status).toBe(200);
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, POST, PUT, DELETE',
        'access-control-allow-headers':
          'Authorization, Content-Type, X-Raven-User-Signature, Last-Event-ID, Idempotency-Key',
      });
      expect(headers['access-control-allow-credentials']).toBeUndefined();
    }
    const { headers } = await fetchPage({ userId: 'x' });
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-expose-headers']).toContain('X-Request-Id');
  });

  test.each(['/users/x/inbox', '/events/send', '/users'])('may not call %s', async (path) => {
    const answer = await request(gateway.server)
      .options(`/v1/apps/${tenant.appId}${path}`)
      .set('Origin', 'https://shop.example.com');
    expect(answer.status).toBe(404);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });
});

describe('GET /v1/apps/:app_id/users/:user_id/inbox', () => {
  function list(userId: string, query = '', { app = tenant.appId, apiKey = tenant.apiKey } = {}) {
    const path = `/users/${encodeURIComponent(userId)}/inbox${query}`;
    return gateway.call({ method: 'get', path, app, apiKey });
  }

  test('pages through every item, including archived ones', async () => {
    const { userId } = createReader('listed');
    const ids = (await deliverMany(userId, 3)).reverse();
    await update({ userId }, ids[1], 'ARCHIVE');
    const first = await list(userId, '?limit=2');
    expect(first.body).toMatchObject({
      notifications: [
        { message_id: ids[0], status: 'UNREAD', message_body: { title: '3' } },
        { message_id: ids[1], status: 'ARCHIVE' },
      ],
      next: ids[1],
    });
    const second = await list(userId, `?limit=2&last_message_id=${first.body.next}`);
    expect(listIds(second.body)).toEqual([ids[2]]);
    expect(second.body).not.toHaveProperty('next');
    expect(listIds((await list(userId)).body)).toEqual(ids);
  });

  test('is empty for a stored user without messages, and 404 for an unknown user', async () => {
    const reader = createReader('stored');
    await setUp(reader);
    expect((await list(reader.userId)).body).toEqual({ notifications: [] });
    const unknownUser = await list('nobody');
    expect([unknownUser.status, unknownUser.body.code]).toEqual([404, 'user_not_found']);
  });

  test.each([
    ['?limit=0', 422, 'limit must be a whole number from 1 to 100'],
    ['?limit=101', 422, 'limit must be'],
    ['?limit=1.5', 422, 'limit must be'],
    ['?limit=1&limit=2', 422, 'limit must appear only once in the query'],
    ['?last_message_id=x', 404, 'message not found'],
  ])('%s gets %i', async (query, status, sentence) => {
    const answer = await list('ana', query);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toContain(sentence);
  });

  test('does not show an app of another account', async () => {
    const { userId } = createReader('tenants');
    await deliver(userId);
    const theirs = await list(userId, '', { app: tenant.appId, apiKey: otherTenant.apiKey });
    expect([theirs.status, theirs.body.code]).toEqual([404, 'app_not_found']);
    const own = await list(userId, '', { app: otherTenant.appId, apiKey: otherTenant.apiKey });
    expect([own.status, own.body.code]).toEqual([404, 'user_not_found']);
  });
});
