import { newId } from '@belfry/runtime';
import { channelVersion, type Tenant } from '@belfry/testing';
import request, { type Test } from 'supertest';
import { createStoredGateway, type StoredGateway } from '../stored-gateway.fixture';

let gateway: StoredGateway;

beforeAll(async () => {
  gateway = await createStoredGateway();
});
afterAll(() => gateway.close());

/** Calls as a service worker does: from any origin, without a credential. */
function call(
  method: 'get' | 'post' | 'options',
  path: string,
  { app = gateway.tenant.appId, body }: { app?: string; body?: object } = {},
): Test {
  const test = request(gateway.server)
    [method](`/v1/apps/${app}${path}`)
    .set('Origin', 'https://shop.example.com');
  return body === undefined ? test : test.send(body);
}

/** Creates a message that was attempted, and returns its ID. */
async function createMessage(tenant: Tenant, { channel = 'push', attempts = 1 } = {}) {
  const { factories, database } = gateway;
  const { name } = await factories.createEvent(tenant, {
    push: channelVersion({ title: 'T' }),
    email: channelVersion({ subject: 'S', text: 'T' }),
  });
  const user = channel === 'push' ? { fcm_tokens: [newId()] } : { email: 'a@example.com' };
  const { appId: app, apiKey } = tenant;
  const body = { event: name, user };
  const sent = await gateway.call({ method: 'post', path: '/events/send', app, apiKey, body });
  const where = { requestId: sent.body.request_id, channel };
  const { id } = await database.prisma.message.findFirstOrThrow({ where });
  await database.prisma.message.update({ where: { id }, data: { state: 'sent', attempts } });
  return id;
}

const readState = async (id: string) =>
  (await gateway.database.prisma.message.findUniqueOrThrow({ where: { id } })).state;
const countReceipts = (where: object) => gateway.database.prisma.receipt.count({ where });

describe('the status of a push, reported by a service worker', () => {
  const report = (body: object, app?: string) =>
    call('post', '/push/status', { body, ...(app === undefined ? {} : { app }) });

  // As the vendor's service worker sends it; Flutter sends microseconds.
  test('moves the message forward without a credential, and each kind of report is stored once', async () => {
    const id = await createMessage(gateway.tenant);
    for (const timestamp of [1767225600000, 1767225600000001, '1767225600002']) {
      const times = { timestamp, current_timestamp: timestamp };
      const answer = await report({ notification_id: id, type: 'DELIVERED', ...times });
      expect([answer.status, answer.body]).toEqual([200, { success: true }]);
      expect(answer.headers['access-control-allow-origin']).toBe('*');
    }
    expect(await readState(id)).toBe('delivered');
    expect(await countReceipts({ messageId: id })).toBe(1);
    await report({ notification_id: id, type: 'CLICKED' });
    await report({ notification_id: id, type: 'DISMISSED' });
    expect(await readState(id)).toBe('read');
  });

  test('changes nothing and stores nothing for a message that is not the app’s own push, with the same answer', async () => {
    const other = await gateway.factories.createTenant();
    const ids = [
      newId(),
      'no UUID',
      await createMessage(other),
      await createMessage(gateway.tenant, { channel: 'email' }),
      await createMessage(gateway.tenant, { attempts: 0 }),
    ];
    const before = await countReceipts({});
    for (const notification_id of ids) {
      const answer = await report({ notification_id, type: 'CLICKED' });
      expect([answer.status, answer.body]).toEqual([200, { success: true }]);
    }
    const id = await createMessage(gateway.tenant);
    expect((await report({ notification_id: id, type: 'CLICKED' }, newId())).status).toBe(200);
    expect((await report({ notification_id: id, type: 'CLICKED' }, other.appId)).status).toBe(200);
    expect(await readState(id)).toBe('sent');
    expect(await countReceipts({})).toBe(before);
  });

  test('with a wrong API key is refused, not taken as one without a key', async () => {
    const answer = await report({ notification_id: newId(), type: 'CLICKED' }).set(
      'Authorization',
      'AuthKey wrong',
    );
    expect(answer.status).toBe(401);
  });

  test('is stored too if it brings the token of a reader, which it does not need', async () => {
    const id = await createMessage(gateway.tenant);
    const body = { notification_id: id, type: 'CLICKED' };
    expect((await report(body).set('Authorization', 'Bearer x')).status).toBe(200);
    expect(await readState(id)).toBe('read');
  });

  test.each([
    [{ type: 'CLICKED' }, 422],
    [{ notification_id: 'x', type: 'OPENED' }, 422],
    [{ notification_id: 1, type: 'CLICKED' }, 400],
    [{ notification_id: 'x', type: 'CLICKED', more: 'x'.repeat(20_000) }, 413],
  ])('is refused if it is wrong or large', async (body, status) => {
    expect((await report(body)).status).toBe(status);
  });
});

describe('the public key for web push', () => {
  const readKey = (app?: string) =>
    call('get', '/push/web_push_key', app === undefined ? {} : { app });

  test('is that of the app’s integration, for anybody; it is never the private key', async () => {
    const tenant = await gateway.factories.createTenant();
    await gateway.factories.createIntegration(tenant, {
      ...{ channel: 'push', provider: 'web_push', settings: { subject: 'mailto:a@example.com' } },
      credentials: { public_key: 'the-public-key', private_key: 'the-private-key' },
    });
    const answer = await readKey(tenant.appId);
    expect([answer.status, answer.body]).toEqual([200, { public_key: 'the-public-key' }]);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
  });

  test('is missing without such an integration, with the same answer as for an unknown app', async () => {
    const answers = [await readKey(), await readKey(newId()), await readKey('no-uuid')];
    for (const { status, body } of answers) {
      expect([status, body.code, body.error]).toEqual([
        ...[404, 'push_not_configured', 'the app has no web_push integration'],
      ]);
    }
  });
});

test('the status of an in-app message is accepted from the vendor’s browser SDK, and changes nothing', async () => {
  const body = {
    notification_id: newId(),
    status: 'DELIVERED',
    timestamp: 1,
    current_timestamp: 2,
  };
  const answer = await call('post', '/in_app/status', { body });
  expect([answer.status, answer.body]).toEqual([200, { success: true }]);
  const wrong = await call('post', '/in_app/status', { body: { ...body, status: 'READ' } });
  expect([wrong.status, wrong.body.error]).toEqual([422, 'status must be one of DELIVERED']);
});

test('the token of Ably is not available: the SDK gets a JSON 404 and polls', async () => {
  const answer = await call('get', '/in_app_notifications/ably_token');
  expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
});

test('each open route answers a preflight, which does not allow the API key', async () => {
  for (const path of ['/push/status', '/push/web_push_key', '/in_app/status']) {
    const { status, headers } = await call('options', path);
    expect([path, status, headers['access-control-allow-origin']]).toEqual([path, 200, '*']);
    expect(headers['access-control-allow-headers']).not.toContain('Authorization');
  }
});

test('a network sends 200 calls without a credential at once, and is then slowed down', async () => {
  const limited = await createStoredGateway();
  const send = () =>
    request(limited.server).get(`/v1/apps/${limited.tenant.appId}/push/web_push_key`);
  const statuses: number[] = [];
  for (let batch = 0; batch < 30; batch += 1) {
    const answers = await Promise.all(Array.from({ length: 10 }, send));
    statuses.push(...answers.map(({ status }) => status));
  }
  const refusal = await send();
  await limited.close();
  expect(statuses.slice(0, 200)).toEqual(Array(200).fill(404));
  expect(statuses).toContain(429);
  if (refusal.status === 429) {
    expect(refusal.body.error).toMatch(/without a credential/);
    expect(refusal.headers['retry-after']).toBe('1');
  }
});
