import { createHmac } from 'node:crypto';
import { buildReceiptUrl, newId } from '@belfry/runtime';
import { channelVersion, type Tenant, testSecrets } from '@belfry/testing';
import request from 'supertest';
import { signatureHeader } from './middleware/authenticate-reader';
import { createStoredGateway, type StoredCall, type StoredGateway } from './stored-gateway.fixture';

let gateway: StoredGateway;
let event: string;
let deviceSid: string;

beforeAll(async () => {
  gateway = await createStoredGateway();
  const { factories, tenant } = gateway;
  event = (await factories.createEvent(tenant, { sms: channelVersion({ text: 'Hi' }) })).name;
  await gateway.call({ method: 'post', path: '/users', body: { user_id: 'ana' } });
  const device = { fcm_token: newId() };
  const added = await gateway.call({ method: 'post', path: '/users/ana/devices', body: device });
  deviceSid = added.body.device_sid;
});
afterAll(() => gateway.close());
beforeEach(() => setFull(true));

/** Sets the flag that the relay sets after counting. */
function setFull(isStorageFull: boolean, { accountId }: Tenant = gateway.tenant) {
  const { account } = gateway.database.prisma;
  return account.update({ where: { id: accountId }, data: { isStorageFull } });
}

const user = { mobile: '+12025550123' };

const storing: [string, () => StoredCall][] = [
  ['a send', () => ({ method: 'post', path: '/events/send', body: { event, user } })],
  [
    'a bulk',
    () => ({ method: 'post', path: '/events/bulk_send', body: { event, batch: [{ user }] } }),
  ],
  ['a new user', () => ({ method: 'post', path: '/users', body: { user_id: newId() } })],
  [
    'a changed user',
    () => ({ method: 'post', path: '/users', body: { user_id: 'ana', email: 'a@example.com' } }),
  ],
  [
    'a new device',
    () => ({ method: 'post', path: '/users/ana/devices', body: { fcm_token: newId() } }),
  ],
  [
    'a changed device, by PUT',
    () => ({ method: 'put', path: `/users/ana/devices/${deviceSid}`, body: { platform: 'web' } }),
  ],
  [
    'a changed device, by POST',
    () => ({ method: 'post', path: `/users/ana/devices/${deviceSid}`, body: { platform: 'web' } }),
  ],
  [
    'an app’s report of a push',
    () => ({
      method: 'post',
      path: '/push/status',
      body: { notification_id: newId(), type: 'CLICKED' },
    }),
  ],
];

const appCondition = 'app_id = $1';
const tables = {
  request: appCondition,
  request_item: `request_id IN (SELECT id FROM request WHERE ${appCondition})`,
  message: appCondition,
  receipt: appCondition,
  app_user: appCondition,
  device: appCondition,
  idempotency_key: 'account_id = $2',
  inbox_item: appCondition,
  inbox_reader: appCondition,
};

/** All rows of the account in the tables that calls write to. */
async function readRows(): Promise<string> {
  const sums = Object.entries(tables).map(
    ([table, condition]) =>
      `SELECT '${table}' AS name, md5(string_agg(t::text, ',' ORDER BY t::text)) FROM ${table} t WHERE ${condition}`,
  );
  const { rows } = await gateway.database.lookUps.query(
    `${sums.join(' UNION ALL ')} ORDER BY name`,
    [gateway.tenant.appId, gateway.tenant.accountId],
  );
  return JSON.stringify(rows);
}

describe('an account over its storage limit', () => {
  test.each(storing)('%s is refused with 429 and stores nothing', async (_title, call) => {
    const before = await readRows();
    for (const headers of [{}, { 'Idempotency-Key': newId() }] as Record<string, string>[]) {
      const answer = await gateway.call({ ...call(), headers });
      expect([answer.status, answer.body.code]).toEqual([429, 'storage_limit']);
      expect(answer.body.error).toContain('higher quota');
      expect(answer.headers['retry-after']).toBe('60');
    }
    expect(await readRows()).toBe(before);
  });

  test.each(storing)(
    '%s is accepted with the refused key once there is space',
    async (_what, call) => {
      const callWithKey = { ...call(), headers: { 'Idempotency-Key': newId() } };
      expect((await gateway.call(callWithKey)).status).toBe(429);
      await setFull(false);
      const answer = await gateway.call(callWithKey);
      expect([answer.status, answer.headers['idempotent-replayed']]).toEqual([200, undefined]);
    },
  );

  test.each(storing.filter(([what]) => !what.includes('PUT')))(
    '%s that was accepted before is replayed',
    async (_what, call) => {
      const callWithKey = { ...call(), headers: { 'Idempotency-Key': newId() } };
      await setFull(false);
      const first = await gateway.call(callWithKey);
      await setFull(true);
      const before = await readRows();
      for (const answer of [await gateway.call(callWithKey), await gateway.call(callWithKey)]) {
        expect([answer.status, answer.text]).toEqual([200, first.text]);
        expect(answer.headers['idempotent-replayed']).toBe('true');
      }
      expect(await readRows()).toBe(before);
    },
  );

  test('a replay works without its entry in Redis', async () => {
    const [, call] = storing[0]!;
    const callWithKey = { ...call(), headers: { 'Idempotency-Key': newId() } };
    await setFull(false);
    const first = await gateway.call(callWithKey);
    await setFull(true);
    const keys = await gateway.redis.keys(`${gateway.redisPrefix}:*`);
    await gateway.redis.del(...keys);
    const second = await gateway.call(callWithKey);
    expect([second.status, second.text]).toEqual([200, first.text]);
  });

  test('a key used with other parameters is still a mismatch', async () => {
    const headers = { 'Idempotency-Key': newId() };
    const body = { event, user };
    await setFull(false);
    await gateway.call({ method: 'post', path: '/events/send', body, headers });
    await setFull(true);
    const otherBody = { ...body, data: { a: 1 } };
    const answer = await gateway.call({
      method: 'post',
      path: '/events/send',
      body: otherBody,
      headers,
    });
    expect([answer.status, answer.body.code]).toEqual([422, 'idempotency_mismatch']);
  });

  test('a large body is refused before it is read', async () => {
    const headers = { 'Content-Length': '9000000' };
    const test = gateway.call({ method: 'post', path: '/events/send', headers }).type('json');
    // No byte of the body is sent.
    test.write('{');
    expect((await test).status).toBe(429);
  });

  test.each<[string, StoredCall]>([
    ['a dry run', { method: 'post', path: '/events/send?dry_run=true' }],
    ['reading a user', { method: 'get', path: '/users/ana' }],
    ['reading an inbox', { method: 'get', path: '/users/ana/inbox' }],
    ['reading the sandbox', { method: 'get', path: '/sandbox/wait?timeout=1' }],
  ])('%s still works', async (what, call) => {
    const body = what === 'a dry run' ? { body: { event, user } } : {};
    expect((await gateway.call({ ...call, ...body })).status).toBe(200);
  });

  test('a device can be deleted', async () => {
    await setFull(false);
    const device = { fcm_token: newId() };
    const added = await gateway.call({ method: 'post', path: '/users/ana/devices', body: device });
    await setFull(true);
    const path = `/users/ana/devices/${added.body.device_sid}`;
    expect((await gateway.call({ method: 'delete', path })).status).toBe(200);
  });

  test('a front end works for a stored user and stores no new one', async () => {
    const setUp = (userId: string) =>
      request(gateway.server)
        .post(`/v1/apps/${gateway.tenant.appId}/in_app_notifications/setup?user_id=${userId}`)
        .set(
          signatureHeader,
          createHmac('sha256', gateway.tenant.apiKey).update(userId).digest('hex'),
        );
    const before = await readRows();
    expect((await setUp('ana')).status).toBe(200);
    const refusal = await setUp('bob');
    expect([refusal.status, refusal.body.code]).toEqual([429, 'storage_limit']);
    expect(await readRows()).toBe(before);
  });

  test('receipts of providers are stored', async () => {
    const { id: integrationId } = await gateway.factories.createIntegration(gateway.tenant, {
      channel: 'whatsapp',
      provider: 'meta',
      credentials: { app_secret: 'b'.repeat(32) },
    });
    const url = buildReceiptUrl({ publicUrl: '', secrets: testSecrets(), integrationId });
    const statuses = [{ id: 'wamid.A', status: 'delivered' }];
    const body = JSON.stringify({
      entry: [{ changes: [{ field: 'messages', value: { statuses } }] }],
    });
    const signature = createHmac('sha256', 'b'.repeat(32)).update(body).digest('hex');
    const answer = await request(gateway.server)
      .post(url)
      .set('X-Hub-Signature-256', `sha256=${signature}`)
      .send(body);
    expect(answer.status).toBe(200);
    expect(await gateway.database.prisma.receipt.count({ where: { integrationId } })).toBe(1);
  });

  test('other accounts are not affected', async () => {
    const otherTenant = await gateway.factories.createTenant();
    const { name } = await gateway.factories.createEvent(otherTenant, {
      sms: channelVersion({ text: 'Hi' }),
    });
    const answer = await gateway.call({
      method: 'post',
      path: '/events/send',
      app: otherTenant.appId,
      apiKey: otherTenant.apiKey,
      body: { event: name, user },
    });
    expect(answer.status).toBe(200);
  });

  test('a caller with a wrong key or another account’s app does not learn of it', async () => {
    const otherTenant = await gateway.factories.createTenant();
    const call = { method: 'post', path: '/events/send', body: { event, user } } as const;
    const codes = [
      (await gateway.call({ ...call, apiKey: `${gateway.tenant.apiKey}x` })).body.code,
      (await gateway.call({ ...call, apiKey: otherTenant.apiKey })).body.code,
    ];
    expect(codes).toEqual(['unauthenticated', 'app_not_found']);
  });
});
