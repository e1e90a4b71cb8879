import { newId } from '@belfry/runtime';
import {
  createStoredGateway,
  type StoredCall,
  type StoredGateway,
} from '../stored-gateway.fixture';

let gateway: StoredGateway;
let app: { app: string; apiKey: string; accountId: string };

beforeAll(async () => {
  gateway = await createStoredGateway({ env: { ALLOWED_PRIVATE_HOSTS: 'receiver.internal' } });
});

beforeEach(async () => {
  const { appId, apiKey, accountId } = await gateway.factories.createTenant();
  app = { app: appId, apiKey, accountId };
});

afterAll(() => gateway.close());

const url = 'https://receiver.example/hooks';

function call(method: StoredCall['method'], path: string, changes: Partial<StoredCall> = {}) {
  const { app: appId, apiKey } = app;
  return gateway.call({ method, path: `/webhooks${path}`, app: appId, apiKey, ...changes });
}

const create = (changes: Partial<StoredCall> = {}) =>
  call('post', '', { body: { url }, ...changes });
const listEndpoints = async () => (await call('get', '')).body.webhooks;

test('a replay shows the secret again, but it is stored sealed', async () => {
  const headers = { 'Idempotency-Key': newId() };
  const first = await create({ headers });
  expect(first.status).toBe(200);
  expect(first.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const again = await create({ headers });
  expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  const rotation = { headers: { 'Idempotency-Key': newId() } };
  const rotated = await call('post', `/${first.body.id}/rotate_secret`, rotation);
  expect(rotated.body.secret).not.toBe(first.body.secret);
  expect((await call('post', `/${first.body.id}/rotate_secret`, rotation)).text).toBe(rotated.text);
  const rows = await gateway.database.prisma.idempotencyKey.findMany({
    where: { accountId: app.accountId },
  });
  expect(rows).toHaveLength(2);
  const stored = rows.map(({ body }) => String(body)).join();
  expect(stored).toContain(first.body.id);
  expect(stored).not.toContain('whsec_');
  const { secret: _secret, ...endpoint } = rotated.body;
  expect(await listEndpoints()).toEqual([endpoint]);
});

test.each([
  ['url must use https', 'http://receiver.example/'],
  ['url must have a public address', 'https://127.0.0.1/'],
  ['url must have a public address', 'https://[::ffff:169.254.169.254]/'],
  ['url must use port 443', 'https://receiver.example:22/'],
  ['url must not have a user name or password', 'https://user@receiver.example/'],
  ['url must be a valid URL', 'receiver.example'],
  ['url must be at most 2048 characters', `https://receiver.example/${'x'.repeat(2_048)}`],
])('a URL is refused, and nothing changes: %s', async (problem, wrong) => {
  const { id } = (await create()).body;
  const before = await listEndpoints();
  const body = { url: wrong };
  for (const answer of [await create({ body }), await call('put', `/${id}`, { body })]) {
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
    expect(answer.body.error).toContain(problem);
  }
  expect(await listEndpoints()).toEqual(before);
});

test('a host of ALLOWED_PRIVATE_HOSTS may have any port, without https', async () => {
  const body = { url: 'http://receiver.internal:8080/' };
  expect((await create({ body })).status).toBe(200);
});

test('the eleventh endpoint is refused with the limit', async () => {
  for (let n = 0; n < 10; n += 1) expect((await create()).status).toBe(200);
  const { status, body } = await create();
  expect([status, body.code]).toEqual([422, 'too_many_webhooks']);
  expect(body.error).toContain('10');
  expect(await listEndpoints()).toHaveLength(10);
});

test('each change has an audit entry by the API key, and a refused one has none', async () => {
  const { id } = (await create()).body;
  await call('put', `/${id}`, { body: { description: 'Orders' } });
  await call('put', `/${id}`, { body: { enabled: false } });
  await call('put', `/${id}`, { body: { types: [] } });
  await call('post', `/${id}/rotate_secret`);
  await call('post', `/${id}/example`, { body: { type: 'message.read' } });
  await call('delete', `/${id}`);
  const entries = await gateway.database.prisma.auditEntry.findMany({
    where: { accountId: app.accountId, action: { startsWith: 'webhook.' } },
    orderBy: { id: 'asc' },
  });
  expect(entries.map(({ action }) => action)).toEqual([
    ...['webhook.created', 'webhook.changed', 'webhook.changed', 'webhook.secret_rotated'],
    ...['webhook.example_sent', 'webhook.removed'],
  ]);
  for (const { change } of entries) {
    expect(change).toMatchObject({ by: expect.stringMatching(/^API key bk_.{6}…$/) });
  }
});

test('deliveries have pages and a filter, and a resend keeps the ID', async () => {
  const { id } = (await create()).body;
  const ids: string[] = [];
  for (const type of ['message.sent', 'message.failed', 'request.completed']) {
    const { body } = await call('post', `/${id}/example`, { body: { type } });
    ids.unshift(body.id);
  }
  const [newest = '', middle = '', oldest = ''] = ids;
  const { deliveries, next } = (await call('get', `/${id}/deliveries?limit=2`)).body;
  expect(deliveries.map((delivery: { id: string }) => delivery.id)).toEqual([newest, middle]);
  const rest = (await call('get', `/${id}/deliveries?before=${next}`)).body;
  expect(rest).toMatchObject({ deliveries: [{ id: oldest, outcome: 'waiting', tries: [] }] });
  expect(rest.next).toBeUndefined();
  await gateway.database.prisma.webhookDelivery.update({
    where: { id: middle },
    data: { outcome: 'failed', nextAt: null },
  });
  const failed = (await call('get', `/${id}/deliveries?outcome=failed`)).body.deliveries;
  expect(failed).toMatchObject([{ id: middle, body: { data: { state: 'failed', test: true } } }]);
  const resent = (await call('post', `/${id}/deliveries/${middle}/resend`)).body;
  expect(resent).toMatchObject({ id: middle, outcome: 'waiting' });
});
