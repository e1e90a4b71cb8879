import type { AddressInfo } from 'node:net';
import { newId } from '@belfry/runtime';
import { channelVersion, type Tenant } from '@belfry/testing';
import { createStoredGateway, type StoredGateway } from '../stored-gateway.fixture';

let gateway: StoredGateway;
let tenant: Tenant;
let event: string;

beforeAll(async () => {
  gateway = await createStoredGateway();
});
beforeEach(async () => {
  tenant = await gateway.factories.createTenant();
  const version = { email: channelVersion({ subject: 'Hi', text: 'Hi' }) };
  event = (await gateway.factories.createEvent(tenant, version)).name;
});
afterAll(() => gateway.close());

const user = { email: 'ana@example.com' };

/** `fetch` sends a header as Latin-1. supertest would send it as UTF-8, with the body. */
async function send(key: string, { path = '/events/send', body = {} } = {}): Promise<string> {
  const { port } = gateway.server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/v1/apps/${tenant.appId}${path}`, {
    method: 'POST',
    headers: {
      Authorization: `AuthKey ${tenant.apiKey}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': key,
    },
    body: JSON.stringify({ event, user, ...body }),
  });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { request_id: string }).request_id;
}

async function find(query: string, as = tenant) {
  const { appId: app, apiKey } = as;
  const path = `/requests${query}`;
  const { status, body } = await gateway.call({ method: 'get', path, app, apiKey });
  return { status, body };
}

const byKey = (key: string, more = '') => `?idempotency_key=${encodeURIComponent(key)}${more}`;

describe('a request is found by its idempotency key', () => {
  test('with the same answer as by its ID', async () => {
    const requestId = await send('order-1', { body: { metadata: { order_id: 'A-1001' } } });
    const { appId: app, apiKey } = tenant;
    const path = `/requests/${requestId}`;
    const status = await gateway.call({ method: 'get', path, app, apiKey });
    expect(await find(byKey('order-1'))).toEqual({ status: 200, body: status.body });
    expect(status.body.messages).toMatchObject([{ metadata: { order_id: 'A-1001' } }]);
  });

  test('page by page', async () => {
    const batch = [{ user }, { user: { email: 'b@example.com' } }];
    const requestId = await send('bulk', { path: '/events/bulk_send', body: { batch } });
    const { body } = await find(byKey('bulk', '&limit=1'));
    expect(body).toMatchObject({ request_id: requestId, items: 2, next: '0:email' });
    const next = await find(byKey('bulk', `&cursor=${body.next}`));
    expect(next.body.messages).toMatchObject([{ item: 1 }]);
  });

  test.each([
    ['signs', 'a b&c=d?e#f%20/+'],
    ['Latin-1', 'größe'],
    ['UTF-8 bytes', Buffer.from('größe 👋').toString('latin1')],
  ])('that has %s', async (_what, key) => {
    const requestId = await send(key);
    const text = key.includes('Ã') ? Buffer.from(key, 'latin1').toString() : key;
    expect((await find(byKey(text))).body.request_id).toBe(requestId);
  });

  test('the newest, if the key was used again after a day', async () => {
    const ids = [await send(newId()), await send(newId())];
    const data = { idempotencyKey: 'again' };
    await gateway.database.prisma.request.updateMany({ where: { id: { in: ids } }, data });
    expect((await find(byKey('again'))).body.request_id).toBe(ids[1]);
  });

  test('only in the app that sent it', async () => {
    await send('secret');
    const app = { id: newId(), accountId: tenant.accountId, name: 'Other', delivery: 'sandbox' };
    await gateway.database.prisma.app.create({ data: app });
    const others = [{ ...tenant, appId: app.id }, await gateway.factories.createTenant()];
    for (const other of others) {
      expect(await find(byKey('secret'), other)).toMatchObject({
        ...{ status: 404, body: { code: 'request_not_found' } },
      });
    }
  });
});

test('a key of another call than a send finds nothing', async () => {
  const { appId: app, apiKey } = tenant;
  const headers = { 'Idempotency-Key': 'user-1' };
  const body = { user_id: 'ana' };
  await gateway.call({ method: 'post', path: '/users', app, apiKey, headers, body });
  expect(await find(byKey('user-1'))).toMatchObject({ status: 404 });
});

test.each([
  ['missing', ''],
  ['empty', '?idempotency_key='],
  ['blank', '?idempotency_key=%20%20'],
  ['too long', `?idempotency_key=${'k'.repeat(256)}`],
  ['sent twice', '?idempotency_key=a&idempotency_key=a'],
])('a key that is %s is refused', async (_what, query) => {
  const { status, body } = await find(query);
  expect([status, body.code, body.error]).toEqual([
    400,
    'idempotency_key_invalid',
    'idempotency_key must be sent once, with 1 to 255 characters',
  ]);
});
