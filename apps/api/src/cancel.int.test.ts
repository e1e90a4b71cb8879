import { newId } from '@belfry/runtime';
import { channelVersion, type Tenant } from '@belfry/testing';
import { createStoredGateway, type StoredGateway } from './stored-gateway.fixture';

let gateway: StoredGateway;
let tenant: Tenant;
let event: string;

beforeAll(async () => {
  gateway = await createStoredGateway();
});
beforeEach(async () => {
  tenant = await gateway.factories.createTenant();
  const version = {
    email: channelVersion({ subject: 'Hi', text: 'Hi' }),
    sms: channelVersion({ text: 'Hi' }),
  };
  event = (await gateway.factories.createEvent(tenant, version)).name;
});
afterAll(() => gateway.close());

const user = { email: 'ana@example.com' };

async function call(path: string, body: object, { as = tenant, key = '' } = {}) {
  const { appId: app, apiKey } = as;
  const headers: Record<string, string> = key ? { 'Idempotency-Key': key } : {};
  const answer = await gateway.call({ method: 'post', path, body, app, apiKey, headers });
  const isReplay = answer.headers['idempotent-replayed'] === 'true';
  return { status: answer.status, body: answer.body, isReplay };
}

const cancel = (body: object, options?: { as?: Tenant; key?: string }) =>
  call('/events/cancel', body, options);

async function send(body: object): Promise<string> {
  const answer = await call('/events/send', { event, user, ...body });
  expect(answer.status).toBe(200);
  return answer.body.request_id;
}

const listStates = async () => {
  const messages = await gateway.database.prisma.message.findMany({
    where: { appId: tenant.appId },
    orderBy: { id: 'asc' },
  });
  return messages.map(({ state, reason }) => `${state} ${reason}`);
};

async function forgetInRedis(): Promise<void> {
  for (const name of await gateway.redis.keys(`${gateway.redisPrefix}:idem:*`)) {
    await gateway.redis.del(name);
  }
}

async function readStatus(requestId: string) {
  const { appId: app, apiKey } = tenant;
  const path = `/requests/${requestId}`;
  return (await gateway.call({ method: 'get', path, app, apiKey })).body;
}

describe('POST /v1/apps/:app_id/events/cancel', () => {
  test('cancels single sends and items of a bulk that have the key, planned or not', async () => {
    const later = { schedule_at: Date.now() + 3_600_000 };
    const cancel_key = 'order-A-1001';
    const single = await send({ cancel_key, ...later });
    await send({ cancel_key: 'order-A-1002' });
    const batch = [{ user, cancel_key: 'other' }, { user: { user_id: 'ben' } }];
    const { body } = await call('/events/bulk_send', { event, batch, cancel_key });
    expect(await cancel({ cancel_key })).toMatchObject({
      status: 200,
      // The unplanned item counts once for each channel of the event.
      body: { cancelled: 3, too_late: 0, unknown: 0 },
    });
    expect(await listStates()).toEqual(['skipped cancelled', 'queued null']);
    expect((await readStatus(single)).counts).toMatchObject({
      skipped_by_reason: { cancelled: 1, no_address: 1 },
    });
    const bulk = await readStatus(body.request_id);
    expect(bulk).toMatchObject({ items: 2, planned_items: 1 });
    expect(bulk.counts).toMatchObject({ waiting: 2, skipped_by_reason: { cancelled: 2 } });
  });

  test('cancels one request, and only the users that it names', async () => {
    const batch = ['ana', 'ben', 'eve'].map((user_id) => ({ user: { user_id, ...user } }));
    const { body } = await call('/events/bulk_send', { event, batch });
    const request_id = body.request_id.toUpperCase();
    const user_ids = ['ana', 'eve', 'nobody'];
    const answer = await cancel({ request_id, user_ids });
    expect(answer.body).toEqual({ cancelled: 4, too_late: 0, unknown: 1 });
    expect((await cancel({ request_id })).body).toEqual({ cancelled: 6, too_late: 0, unknown: 0 });
  });

  test('reports messages that are sent or being sent as too late', async () => {
    const request_id = await send({ user: { ...user, mobile: '+12025550123' } });
    const { lookUps } = gateway.database;
    const update = `UPDATE message SET state = $2, due_at = NULL WHERE request_id = $1 AND channel = $3`;
    await lookUps.query(update, [request_id, 'sent', 'email']);
    await lookUps.query(update, [request_id, 'sending', 'sms']);
    expect((await cancel({ request_id })).body).toEqual({ cancelled: 0, too_late: 2, unknown: 0 });
    expect((await listStates()).sort()).toEqual(['sending null', 'sent null']);
  });

  test('returns the first answer to a repeated key, and refuses the key for another cancel', async () => {
    const cancel_key = 'a';
    await send({ cancel_key });
    const key = newId();
    const first = await cancel({ cancel_key }, { key });
    expect(first).toMatchObject({ body: { cancelled: 1 }, isReplay: false });
    await send({ cancel_key });
    expect(await cancel({ cancel_key }, { key })).toEqual({ ...first, isReplay: true });
    // Without Redis the stored key decides.
    await forgetInRedis();
    expect(await cancel({ cancel_key }, { key })).toEqual({ ...first, isReplay: true });
    await forgetInRedis();
    const other = await cancel({ cancel_key: 'b' }, { key });
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } });
    expect(await listStates()).toEqual(['skipped cancelled', 'queued null']);
  });

  test('changes nothing in another app: its request is unknown there, and so is its key', async () => {
    const request_id = await send({ cancel_key: 'a' });
    const app = { id: newId(), accountId: tenant.accountId, name: 'Other', delivery: 'sandbox' };
    await gateway.database.prisma.app.create({ data: app });
    for (const as of [{ ...tenant, appId: app.id }, await gateway.factories.createTenant()]) {
      expect(await cancel({ request_id }, { as, key: newId() })).toMatchObject({
        ...{ status: 404, body: { code: 'request_not_found' } },
      });
      const unknown = { cancelled: 0, too_late: 0, unknown: 1 };
      expect((await cancel({ cancel_key: 'a' }, { as })).body).toEqual(unknown);
    }
    expect(await listStates()).toEqual(['queued null']);
  });

  test('works when the storage of the account is full', async () => {
    const request_id = await send({});
    const where = { id: tenant.accountId };
    await gateway.database.prisma.account.update({ where, data: { isStorageFull: true } });
    expect((await cancel({ request_id })).body).toMatchObject({ cancelled: 1 });
    expect((await cancel({ request_id }, { key: newId() })).body).toMatchObject({ cancelled: 1 });
  });

  const longKey = 'k'.repeat(256);
  test.each<[string, object, number]>([
    ['body must have either cancel_key or request_id', {}, 422],
    ['body must have either cancel_key or request_id', { cancel_key: null }, 422],
    ['body must have either cancel_key or request_id', { cancel_key: 'a', request_id: 'b' }, 422],
    ['cancel_key must not be empty or contain control characters', { cancel_key: '' }, 422],
    ['cancel_key must not be empty or contain control characters', { cancel_key: 'a\tb' }, 422],
    ['cancel_key must be at most 255 characters', { cancel_key: longKey }, 422],
    ['cancel_key must be a string', { cancel_key: 5 }, 400],
    ['user_ids must not be empty', { cancel_key: 'a', user_ids: [] }, 422],
    ['user_ids must be an array', { cancel_key: 'a', user_ids: 'ana' }, 400],
    [
      'user_ids must have at most 1000 elements',
      { cancel_key: 'a', user_ids: Array(1_001).fill('u') },
      422,
    ],
    [
      'user_ids[0] must be a user ID: not empty, without control characters, not "." or ".."',
      { cancel_key: 'a', user_ids: [''] },
      422,
    ],
    ['cursor must be the `next` of an earlier response', { cancel_key: 'a', cursor: '5' }, 422],
    ['request not found', { request_id: 'none' }, 404],
  ])('refuses with "%s"', async (error, body, status) => {
    await send({ cancel_key: 'a' });
    const answer = await cancel(body);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
    expect(await listStates()).toEqual(['queued null']);
  });
});
