import { once } from 'node:events';
import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  channelVersion,
  createTcpProxy,
  eventually,
  type System,
  startSystem,
  type TcpProxy,
  type Tenant,
} from '@belfry/testing';
import { type Belfry, type BelfryOptions, createBelfryClient } from './index';

const user = { email: 'ana@example.com' };

let system: System;
let proxy: TcpProxy;
let tenant: Tenant;
let event: string;

beforeAll(async () => {
  system = await startSystem({ workers: [] });
  proxy = await createTcpProxy(system.apiUrl);
  tenant = await system.factories.createTenant();
  const version = { email: channelVersion({ subject: 'Hi', text: 'Hello' }) };
  event = (await system.factories.createEvent(tenant, version)).name;
});

afterAll(async () => {
  await proxy.close();
  await system.stop();
});

function connect(changes: Partial<BelfryOptions> = {}): Belfry {
  const { apiKey, appId } = tenant;
  return createBelfryClient({ baseUrl: system.apiUrl, apiKey, appId, ...changes });
}

function listRequests(where: object = {}) {
  return system.database.prisma.request.findMany({
    where: { accountId: tenant.accountId, ...where },
    orderBy: { id: 'asc' },
  });
}

describe('every operation', () => {
  test('sends an event with data, override, locale and a schedule', async () => {
    const atMs = Date.now() + 3_600_000;
    const answer = await connect().events.send({
      event,
      user,
      data: { name: 'Ana', none: null },
      override: { email: { message: { subject: 'Other' } } },
      schedule_at: atMs,
      locale: 'de',
    });
    expect(answer).toEqual({ request_id: answer.id, id: answer.id, success: true });
    const [message] = await system.database.prisma.message.findMany({
      where: { requestId: answer.id },
    });
    expect(message).toMatchObject({ channel: 'email', target: user.email, state: 'queued' });
    expect(message?.dueAt?.getTime()).toBe(atMs);
  });

  test('accepts constructor and prototype as keys of data and override in every call', async () => {
    const { events } = connect();
    const body = { data: { constructor: 'Ana', prototype: { constructor: 1 } } };
    const override = { sms: {}, constructor: { prototype: 1 } };
    const { id } = await events.send({ event, user, ...body, override });
    const bulk = await events.bulkSend({ event, batch: [{ user, ...body, override }] });
    for (const requestId of [id, bulk.request_id]) {
      const { requestItem } = system.database.prisma;
      const [item] = await requestItem.findMany({ where: { requestId } });
      expect(JSON.parse(item?.data ?? '')).toEqual(body.data);
      expect(JSON.parse(item?.override ?? '')).toEqual(override);
    }
    expect(await events.dryRun({ event, user, ...body, override })).toMatchObject({
      messages: [{ channel: 'email', would: 'send' }],
    });
  });

  test('reports the result of a dry run, and sends nothing', async () => {
    const before = await listRequests();
    const answer = await connect().events.dryRun({ event, user });
    expect(answer.messages).toMatchObject([
      { channel: 'email', would: 'send', target: user.email },
    ]);
    expect(await listRequests()).toEqual(before);
  });

  test('sends a bulk', async () => {
    const batch = [{ user, data: { name: 'Ana' } }, { user: { user_id: 'ben' } }];
    const answer = await connect().events.bulkSend({ event, batch });
    expect(answer).toMatchObject({ success: true, accepted: 2 });
    expect(await listRequests({ id: answer.request_id })).toMatchObject([{ items: 2 }]);
  });

  test('reads the status of a request page by page', async () => {
    const { events, requests } = connect();
    const batch = [{ user, data: { name: 'Ana' } }, { user }];
    const { request_id: id } = await events.bulkSend({ event, batch });
    const first = await requests.get(id, { limit: 1 });
    expect(first).toMatchObject({ request_id: id, event, kind: 'bulk', items: 2 });
    const secondPage = await requests.get(id, { cursor: first.next ?? '' });
    expect([...first.messages, ...secondPage.messages].map(({ item }) => item)).toEqual([0, 1]);
    expect(first.counts.total).toBe(2);
    await expect(requests.get('none')).rejects.toMatchObject({
      status: 404,
      code: 'request_not_found',
    });
  });

  test('finds a request by its idempotency key, whatever its characters', async () => {
    const { events, requests } = connect();
    for (const idempotencyKey of ['order 1/é?&=', 'order-1;%20']) {
      const metadata = { order_id: 'A-1001' };
      const { request_id } = await events.send({ event, user, metadata }, { idempotencyKey });
      const request = await requests.find({ idempotencyKey, limit: 5 });
      expect(request).toMatchObject({ request_id, messages: [{ metadata }] });
    }
    await expect(requests.find({ idempotencyKey: 'none' })).rejects.toMatchObject({
      code: 'request_not_found',
    });
    await expect(requests.find({ idempotencyKey: '' })).rejects.toThrow(TypeError);
  });

  test('cancels messages by their key and by their request', async () => {
    const { events, requests } = connect();
    const schedule_at = Date.now() + 3_600_000;
    const cancel_key = 'order-A-1001';
    const { request_id } = await events.send({ event, user, schedule_at, cancel_key });
    const cancelled = { cancelled: 1, too_late: 0, unknown: 0 };
    expect(await events.cancel({ cancel_key })).toEqual(cancelled);
    expect(await events.cancel({ request_id })).toEqual(cancelled);
    expect((await requests.get(request_id)).counts.skipped_by_reason).toEqual({ cancelled: 1 });
    await expect(events.cancel({})).rejects.toThrow(TypeError);
  });

  test('writes and reads a user, and its devices', async () => {
    const { users, devices } = connect();
    const userId = 'Ana / 1?';
    const createdUser = await users.upsert({
      user_id: userId,
      ...user,
      slack: { channel_id: 'C1' },
    });
    expect(createdUser).toMatchObject({ user_id: userId, email: user.email, devices: [] });
    const added = await devices.add(userId, { id: 'phone/1', fcm_token: 'token-1' });
    expect(added).toMatchObject({ id: 'phone/1', fcm_token: 'token-1' });
    expect(await devices.get(userId, 'phone/1')).toEqual(added);
    const changed = await devices.update(userId, added.device_sid, { platform: 'ios' });
    expect(changed).toMatchObject({ device_sid: added.device_sid, platform: 'ios' });
    expect((await users.get(userId)).devices).toEqual([changed]);
    expect(await devices.delete(userId, 'phone/1')).toEqual({ success: true });
    await expect(devices.get(userId, 'phone/1')).rejects.toMatchObject({
      status: 404,
      code: 'device_not_found',
      isRetryable: false,
    });
    await expect(devices.delete(userId, 'phone/1')).rejects.toMatchObject({ status: 404 });
  });

  test('replaces and reads the preferences of a user', async () => {
    const { users } = connect();
    const userId = 'Ben / 2?';
    await users.upsert({ user_id: userId, preferences: { locale: 'de', disabled: true } });
    const channel_preferences = { sms: { disabled: true } };
    const written = await users.setPreferences(userId, { channel_preferences });
    expect(written).toEqual({
      ...{ locale: 'de', disabled: false, channel_preferences, categories: {} },
    });
    expect(await users.preferences(userId)).toEqual(written);
    const unknown = users.setPreferences(userId, { categories: { nothing: { disabled: true } } });
    await expect(unknown).rejects.toMatchObject({ status: 422, code: 'validation_failed' });
  });

  test('reports the status of a push notification', async () => {
    const { push } = connect();
    const body = { notification_id: 'nobody', type: 'CLICKED' } as const;
    expect(await push.status(body)).toEqual({ success: true });
    await expect(push.status({ ...body, notification_id: ' ' })).rejects.toThrow(TypeError);
  });

  test('reads the inbox of a user page by page', async () => {
    const { users } = connect();
    await users.upsert({ user_id: 'reader' });
    expect(await users.inbox('reader')).toEqual({ notifications: [] });
    await expect(users.inbox('reader', { limit: 1_000 })).rejects.toMatchObject({ status: 422 });
    await expect(users.inbox('reader', { last_message_id: 'none' })).rejects.toMatchObject({
      code: 'message_not_found',
    });
  });

  test('waits for sandbox captures no longer than the timeout', async () => {
    const { sandbox } = connect();
    const { messages, next } = await sandbox.wait({ channel: 'email', timeout: 0 });
    expect(messages).toEqual([]);
    expect(await sandbox.wait({ after: next, timeout: 0 })).toMatchObject({ messages: [] });
    const invalidWait = sandbox.wait({ channel: 'fax' });
    await expect(invalidWait).rejects.toMatchObject({ status: 422, code: 'validation_failed' });
  });

  test('manages the webhook endpoints of an app, and shows a secret only when it is new', async () => {
    const { webhooks } = connect();
    const body = { url: 'https://receiver.example/hooks', types: ['message.failed'] } as const;
    const { secret, ...created } = await webhooks.create(body);
    expect(secret).toMatch(/^whsec_/);
    expect(await webhooks.list()).toEqual({ webhooks: [created] });
    const changed = await webhooks.update(created.id, { enabled: false, description: null });
    expect(changed).toMatchObject({ id: created.id, enabled: false, disabled_reason: 'manual' });
    expect(await webhooks.get(created.id)).toEqual(changed);
    const rotated = await webhooks.rotateSecret(created.id);
    expect(rotated.secret).not.toBe(secret);
    const example = await webhooks.sendExample(created.id, { type: 'message.sent' });
    expect(example).toMatchObject({ outcome: 'waiting', body: { type: 'message.sent' } });
    const page = { outcome: 'waiting', limit: 1 } as const;
    const { deliveries } = await webhooks.deliveries(created.id, page);
    expect(deliveries.map(({ id }) => id)).toEqual([example.id]);
    expect(await webhooks.resend(created.id, example.id)).toMatchObject({ id: example.id });
    expect(await webhooks.resendFailed(created.id, { since: 0 })).toEqual({ resent: 0 });
    expect(await webhooks.delete(created.id)).toEqual({ success: true });
    const gone = { status: 404, code: 'webhook_not_found' };
    await expect(webhooks.get(created.id)).rejects.toMatchObject(gone);
    const insecure = webhooks.create({ url: 'http://receiver.example/hooks' });
    await expect(insecure).rejects.toMatchObject({ status: 422, details: ['url must use https'] });
  });

  test('has a method for each operation of the OpenAPI document', async () => {
    const response = await fetch(new URL('/openapi.json', system.apiUrl));
    const { paths } = JSON.parse(await response.text());
    // The others are for front ends, which have no API key.
    const documented = Object.entries<Record<string, { security?: object[] }>>(paths).flatMap(
      ([path, methods]) =>
        Object.entries(methods)
          .filter(([, { security }]) => security?.some((each) => 'apiKey' in each) ?? true)
          .map(([method]) => `${method.toUpperCase()} ${path}`),
    );
    const sameByPut = 'PUT /v1/apps/{app_id}/users/{user_id}/devices/{device_id}';
    expect(documented).toContain(sameByPut);
    // A dry run is the same operation.
    const called = [...new Set(await listCalls())];
    expect(called.sort()).toEqual(documented.filter((each) => each !== sameByPut).sort());
  });
});

/** Calls each method of the client once. */
const everyCall: {
  [Group in keyof Belfry]: { [Name in keyof Belfry[Group]]: (client: Belfry) => Promise<unknown> };
} = {
  events: {
    send: ({ events }) => events.send({ event, user }),
    dryRun: ({ events }) => events.dryRun({ event, user }),
    bulkSend: ({ events }) => events.bulkSend({ event, batch: [{ user }] }),
    cancel: ({ events }) => events.cancel({ cancel_key: 'order-1' }),
  },
  requests: {
    get: ({ requests }) => requests.get('{request_id}'),
    find: ({ requests }) => requests.find({ idempotencyKey: 'order-1' }),
  },
  users: {
    upsert: ({ users }) => users.upsert({ user_id: '{user_id}' }),
    get: ({ users }) => users.get('{user_id}'),
    preferences: ({ users }) => users.preferences('{user_id}'),
    setPreferences: ({ users }) => users.setPreferences('{user_id}', { disabled: true }),
    inbox: ({ users }) => users.inbox('{user_id}'),
  },
  devices: {
    add: ({ devices }) => devices.add('{user_id}', { platform: 'ios' }),
    update: ({ devices }) => devices.update('{user_id}', '{device_id}', { platform: 'ios' }),
    get: ({ devices }) => devices.get('{user_id}', '{device_id}'),
    delete: ({ devices }) => devices.delete('{user_id}', '{device_id}'),
  },
  push: {
    status: ({ push }) => push.status({ notification_id: 'none', type: 'DELIVERED' }),
  },
  sandbox: {
    wait: ({ sandbox }) => sandbox.wait({ channel: 'email', timeout: 0 }),
  },
  webhooks: {
    list: ({ webhooks }) => webhooks.list(),
    create: ({ webhooks }) => webhooks.create({ url: 'https://receiver.example/' }),
    get: ({ webhooks }) => webhooks.get('{endpoint_id}'),
    update: ({ webhooks }) => webhooks.update('{endpoint_id}', { enabled: true }),
    delete: ({ webhooks }) => webhooks.delete('{endpoint_id}'),
    rotateSecret: ({ webhooks }) => webhooks.rotateSecret('{endpoint_id}'),
    sendExample: ({ webhooks }) => webhooks.sendExample('{endpoint_id}', { type: 'message.sent' }),
    deliveries: ({ webhooks }) => webhooks.deliveries('{endpoint_id}', { outcome: 'failed' }),
    resend: ({ webhooks }) => webhooks.resend('{endpoint_id}', '{delivery_id}'),
    resendFailed: ({ webhooks }) => webhooks.resendFailed('{endpoint_id}', { since: 0 }),
  },
};

/** The operations that the client requests, such as `GET /v1/apps/{app_id}/users/{user_id}`. */
async function listCalls(): Promise<string[]> {
  const requestedPaths: string[] = [];
  const client = connect({
    appId: '{app_id}',
    fetch: async (url, init) => {
      requestedPaths.push(`${init?.method} ${decodeURIComponent(new URL(String(url)).pathname)}`);
      return new Response('{"success":true}', { status: 200 });
    },
  });
  for (const [group, calls] of Object.entries(everyCall)) {
    // Safe cast: the compiler checked that the groups of the table are those of the client.
    expect(Object.keys(calls)).toEqual(Object.keys(client[group as keyof Belfry]));
    for (const call of Object.values(calls)) await call(client);
  }
  expect(Object.keys(everyCall)).toEqual(Object.keys(client));
  return requestedPaths;
}

describe('a lost answer', () => {
  test.each([
    ['events.send', '/events/send', ({ events }: Belfry) => events.send({ event, user })],
    [
      'events.bulkSend',
      '/events/bulk_send',
      ({ events }: Belfry) => events.bulkSend({ event, batch: [{ user }] }),
    ],
  ])('of %s is retried with the same key, and one request is stored', async (_name, path, send) => {
    const before = (await listRequests()).length;
    const heldAnswer = proxy.intercept('answer_to', path);
    const sending = send(connect({ baseUrl: proxy.url }));
    await heldAnswer.reached;
    await eventually(async () => expect(await listRequests()).toHaveLength(before + 1));
    heldAnswer.drop();
    const { request_id: requestId } = await sending;
    const stored = await listRequests();
    expect(stored).toHaveLength(before + 1);
    expect(stored.at(-1)).toMatchObject({ id: requestId });
    expect(stored.at(-1)?.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('after the timeout is retried with the same key', async () => {
    const before = (await listRequests()).length;
    const heldAnswer = proxy.intercept('answer_to', '/events/send');
    const sending = connect({ baseUrl: proxy.url, timeoutMs: 1_000 }).events.send({ event, user });
    const { request_id: requestId } = await sending;
    heldAnswer.drop();
    const stored = await listRequests();
    expect(stored).toHaveLength(before + 1);
    expect(stored.at(-1)).toMatchObject({ id: requestId });
  });

  test('of a delete counts as success if the device is gone', async () => {
    const { users, devices } = connect({ baseUrl: proxy.url });
    await users.upsert({ user_id: 'deleted' });
    const { device_sid: sid } = await devices.add('deleted', { fcm_token: 'token-2' });
    const heldAnswer = proxy.intercept('answer_to', 'DELETE');
    const deletion = devices.delete('deleted', sid);
    await heldAnswer.reached;
    await eventually(async () => expect((await users.get('deleted')).devices).toEqual([]));
    heldAnswer.drop();
    expect(await deletion).toEqual({ success: true });
  });
});

describe('a result stored under a key', () => {
  test('is returned to a later call with the key, and refused with another body', async () => {
    const { events } = connect();
    const options = { idempotencyKey: 'order-1' };
    const first = await events.send({ event, user }, options);
    expect(await events.send({ event, user }, options)).toEqual(first);
    await expect(events.send({ event, user, data: { a: 1 } }, options)).rejects.toMatchObject({
      status: 422,
      code: 'idempotency_mismatch',
      isRetryable: false,
    });
    expect(await listRequests({ idempotencyKey: 'order-1' })).toHaveLength(1);
  });

  test('is not retried if it is a 500', async () => {
    const faulty = await createFaultyEvent();
    const responses: (string | null)[] = [];
    const { events } = connect({
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        responses.push(`${response.status} ${response.headers.get('idempotent-replayed')}`);
        return response;
      },
    });
    const failed = events.send({ event: faulty, user });
    await expect(failed).rejects.toMatchObject({ status: 500, isRetryable: false, attempts: 2 });
    expect(responses).toEqual(['500 null', '500 true']);
  });
});

test('retries until a gateway that starts later answers', async () => {
  const { server, url } = await startForwarder({ refusedCount: 2 });
  const before = (await listRequests()).length;
  const answer = await connect({ baseUrl: url }).events.send({ event, user });
  await close(server);
  expect((await listRequests()).slice(before)).toMatchObject([{ id: answer.request_id }]);
});

test('throws unauthenticated for a wrong API key', async () => {
  const { events } = connect({ apiKey: 'bk_wrong' });
  const failed = events.send({ event, user });
  await expect(failed).rejects.toMatchObject({ status: 401, code: 'unauthenticated', attempts: 1 });
  await expect(failed).rejects.toMatchObject({
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});

/** An event whose version cannot be planned, to provoke an internal error of the gateway. */
async function createFaultyEvent(): Promise<string> {
  const version = { email: channelVersion({ subject: 'Hi', text: 'Hello' }) };
  const { name, versionId } = await system.factories.createEvent(tenant, version);
  const { prisma } = system.database;
  await prisma.eventVersion.update({ where: { id: versionId }, data: { definition: {} } });
  return name;
}

/** A proxy in front of the gateway; answers the first calls itself with an error page. */
async function startForwarder({ refusedCount }: { refusedCount: number }) {
  let calls = 0;
  const server = createServer((incoming, response) => {
    calls += 1;
    if (calls <= refusedCount) {
      incoming.resume();
      response.writeHead(502, { 'Content-Type': 'text/html' }).end('<html>Bad gateway</html>');
      return;
    }
    const { method = 'GET', headers, url = '/' } = incoming;
    const onward = httpRequest(new URL(url, system.apiUrl), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Safe cast: a server that listens on a port has an address with a port.
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
