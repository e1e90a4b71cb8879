import { randomBytes, randomUUID } from 'node:crypto';
import { purgeIdempotencyKeys } from '@belfry/pipeline/accept';
import { newId } from '@belfry/runtime';
import { channelVersion, eventually, type Tenant, testKeyRing } from '@belfry/testing';
import request from 'supertest';
import { bodyByRoute, fillRoute, type PathValues, routesWithRow } from './routes.fixture';
import { createStoredGateway, type StoredGateway } from './stored-gateway.fixture';
import { findWebhook } from './webhook-values.fixture';

const version = { email: channelVersion({ subject: 'Hi', text: 'Hello' }) };
const dayMs = 24 * 60 * 60_000;
const body = (event: string) => ({ event, user: { email: 'a@example.com' } });

let gateway: StoredGateway;
let tenant: Tenant;
let event: string;

beforeAll(async () => {
  gateway = await createStoredGateway();
  tenant = await gateway.factories.createTenant();
  event = (await gateway.factories.createEvent(tenant, version)).name;
});

afterAll(() => gateway.close());

type Call = { tenant?: Tenant; server?: StoredGateway['server']; key?: string; body?: object };

function send(call: Call) {
  const { apiKey, appId } = call.tenant ?? tenant;
  const apiRequest = request(call.server ?? gateway.server)
    .post(`/v1/apps/${appId}/events/send`)
    .set('Authorization', `AuthKey ${apiKey}`)
    .send(call.body ?? body(event));
  return call.key === undefined ? apiRequest : apiRequest.set('Idempotency-Key', call.key);
}

function writeUser(key: string | undefined, user: object) {
  const apiRequest = request(gateway.server)
    .post(`/v1/apps/${tenant.appId}/users`)
    .set('Authorization', `AuthKey ${tenant.apiKey}`)
    .send(user);
  return key === undefined ? apiRequest : apiRequest.set('Idempotency-Key', key);
}

type Post = { route: string; values: PathValues; key: string };

function post({ route, values, key }: Post) {
  return request(gateway.server)
    .post(fillRoute(route, values).path)
    .set('Authorization', `AuthKey ${tenant.apiKey}`)
    .set('Idempotency-Key', key)
    .send(bodyByRoute[route]?.(event));
}

async function createDevice(): Promise<{ userId: string; deviceId: string }> {
  const userId = newId();
  await writeUser(undefined, { user_id: userId });
  const { body: device } = await request(gateway.server)
    .post(`/v1/apps/${tenant.appId}/users/${userId}/devices`)
    .set('Authorization', `AuthKey ${tenant.apiKey}`)
    .send({});
  return { userId, deviceId: device.device_sid };
}

/** An event whose version cannot be planned, which causes an internal error. */
async function createFaultyEvent(): Promise<{ name: string; eventId: string }> {
  const created = await gateway.factories.createEvent(tenant, version);
  await gateway.database.accepting.query('UPDATE event_version SET definition = $1 WHERE id = $2', [
    '{}',
    created.versionId,
  ]);
  return created;
}

function countRequests(key: string): Promise<number> {
  return gateway.database.prisma.request.count({
    where: { accountId: tenant.accountId, idempotencyKey: key },
  });
}

function listKeys(requestId: string) {
  return gateway.database.prisma.idempotencyKey.findMany({ where: { requestId } });
}

const entries = () => gateway.redis.keys(`${gateway.redisPrefix}:idem:*`);

async function forgetInRedis(): Promise<void> {
  const names = await entries();
  if (names.length > 0) await gateway.redis.del(...names);
}

describe('specification 4.7, Idempotency', () => {
  test.each(routesWithRow.filter((route) => route.startsWith('POST ')))(
    'Applies to Send Event and Send Event Bulk; all POST requests accept the key: %s',
    async (route) => {
      const key = newId();
      const { userId, deviceId } = await createDevice();
      const ids = { app_id: tenant.appId, user_id: userId, device_id: deviceId };
      const values = route.includes('/webhooks/')
        ? { ...ids, ...(await findWebhook(gateway, tenant)) }
        : ids;
      const first = await post({ route, values, key });
      const second = await post({ route, values, key });
      expect([first.status, first.headers['idempotent-replayed']]).toEqual([200, undefined]);
      expect([second.status, second.headers['idempotent-replayed']]).toEqual([200, 'true']);
      expect(second.text).toBe(first.text);
      expect(await listKeys(String(first.headers['x-request-id']))).toHaveLength(1);
    },
  );

  test('The client sends the header `Idempotency-Key` with a client-generated unique value.', async () => {
    const key = newId();
    const first = await send({ key });
    expect({ status: first.status, replayed: first.headers['idempotent-replayed'] }).toEqual({
      status: 200,
      replayed: undefined,
    });
    expect(await listKeys(first.body.request_id)).toHaveLength(1);
  });

  test('The value may be up to 255 characters.', async () => {
    const longest = newId().padEnd(255, 'x');
    expect((await send({ key: longest })).status).toBe(200);
    const { status, body: error, headers } = await send({ key: `${longest}x` });
    expect([status, error.code]).toEqual([400, 'idempotency_key_invalid']);
    expect(await listKeys(String(headers['x-request-id']))).toEqual([]);
    // Keys that differ only in the last character are two keys.
    const otherKeyResponse = await send({ key: `${longest.slice(0, -1)}y` });
    expect(otherKeyResponse.headers['idempotent-replayed']).toBeUndefined();
  });

  test('Random values with enough entropy (for example version 4 UUIDs) are advised.', async () => {
    const random = [
      randomUUID(),
      randomBytes(24).toString('base64'),
      randomBytes(32).toString('hex'),
    ];
    for (const key of random) {
      const first = await send({ key });
      expect([first.status, first.headers['idempotent-replayed']]).toEqual([200, undefined]);
      expect((await send({ key })).text).toBe(first.text);
    }
  });

  test('For a given key, the service stores the status code and body of the first request that began executing, whether it succeeded or failed: it succeeded.', async () => {
    const { body: answer } = await send({ key: newId() });
    expect(await listKeys(answer.request_id)).toMatchObject([{ status: 200, body: null }]);
    const names = await eventually(async () => {
      const storedNames = await entries();
      expect(storedNames.length).toBeGreaterThan(0);
      return storedNames;
    });
    // Redis has neither a body nor data of the caller: only a letter, a hash, an ID and the name of a ring key.
    for (const name of names) {
      expect(await gateway.redis.get(name)).toMatch(/^[LDR][\w-]{65}test$/);
    }
  });

  test('For a given key, the service stores the status code and body of the first request that began executing, whether it succeeded or failed: it failed.', async () => {
    const faulty = await createFaultyEvent();
    const first = await send({ key: newId(), body: body(faulty.name) });
    expect(first.status).toBe(500);
    const callId = String(first.headers['x-request-id']);
    expect(await listKeys(callId)).toMatchObject([{ status: 500, body: first.text }]);
  });

  test('A later request with the same key returns the same status code and body, including a 500 result: a 200.', async () => {
    const key = newId();
    const first = await send({ key });
    // The order of members and null members do not make another request.
    const { user } = body(event);
    const second = await send({ key, body: { override: null, user, event } });
    expect([second.status, second.text]).toEqual([200, first.text]);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.headers['content-type']).toBe(first.headers['content-type']);
    expect(second.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(await countRequests(key)).toBe(1);
  });

  test.each([
    ['while Redis has the key', async () => undefined],
    ['after Redis lost the key', forgetInRedis],
  ])(
    'A later request with the same key returns the same status code and body, including a 500 result: a 500, byte-equal, %s.',
    async (_when, forget) => {
      const key = newId();
      const faulty = await createFaultyEvent();
      const first = await send({ key, body: body(faulty.name) });
      // The error is fixed: if the call ran again, it would be accepted.
      await gateway.database.accepting.query(
        'UPDATE event SET live_version_id = (SELECT live_version_id FROM event WHERE name = $1) WHERE id = $2',
        [event, faulty.eventId],
      );
      await forget();
      const second = await send({ key, body: body(faulty.name) });
      expect([first.status, second.status]).toEqual([500, 500]);
      expect(second.text).toBe(first.text);
      expect(second.headers['idempotent-replayed']).toBe('true');
      expect(first.headers['idempotent-replayed']).toBeUndefined();
      expect(await countRequests(key)).toBe(0);
      expect((await send({ key: newId(), body: body(faulty.name) })).status).toBe(200);
    },
  );

  test('A replay has its own `X-Request-Id` and the bytes of the first response, even after a flush of Redis.', async () => {
    const key = newId();
    const first = await send({ key });
    await forgetInRedis();
    const second = await send({ key });
    expect(second.text).toBe(first.text);
    expect(second.headers['idempotent-replayed']).toBe('true');
  });

  test('A later request with the same key but different parameters than the original yields an error: other data.', async () => {
    const key = newId();
    await send({ key });
    const mismatch = await send({ key, body: { ...body(event), data: { a: 1 } } });
    expect([mismatch.status, mismatch.body.code]).toEqual([422, 'idempotency_mismatch']);
    await forgetInRedis();
    const after = await send({ key, body: { ...body(event), data: { a: 1 } } });
    expect([after.status, after.body.code]).toEqual([422, 'idempotency_mismatch']);
    expect(await countRequests(key)).toBe(1);
  });

  test('A later request with the same key but different parameters than the original yields an error: another app of the account.', async () => {
    const key = newId();
    await send({ key });
    const app = await gateway.database.prisma.app.create({
      data: { id: newId(), accountId: tenant.accountId, name: 'second', delivery: 'sandbox' },
    });
    const second = { ...tenant, appId: app.id };
    const { name } = await gateway.factories.createEvent(second, version, { name: event });
    const mismatch = await send({ key, tenant: second, body: body(name) });
    expect([mismatch.status, mismatch.body.code]).toEqual([422, 'idempotency_mismatch']);
  });

  test('A later request with the same key but different parameters than the original yields an error: another endpoint.', async () => {
    const key = newId();
    await send({ key });
    const user = await writeUser(key, { user_id: newId() });
    expect([user.status, user.body.code]).toEqual([422, 'idempotency_mismatch']);
    const otherKey = newId();
    expect((await writeUser(otherKey, { user_id: newId() })).status).toBe(200);
    expect((await send({ key: otherKey })).body.code).toBe('idempotency_mismatch');
  });

  test.each([
    ['while Redis has the key', async () => undefined],
    ['after Redis lost the key', forgetInRedis],
  ])(
    'All POST requests accept the key: a user write is replayed byte-equal, %s.',
    async (_when, forget) => {
      const key = newId();
      const userId = newId();
      const first = await writeUser(key, { user_id: userId, email: 'a@example.com' });
      // Later writes do not change the response, and the replay does not undo them.
      await writeUser(undefined, { user_id: userId, email: 'b@example.com' });
      await forget();
      const second = await writeUser(key, { user_id: userId, email: 'a@example.com' });
      expect([second.status, second.text]).toEqual([200, first.text]);
      expect(second.headers['idempotent-replayed']).toBe('true');
      const stored = await gateway.database.prisma.user.findFirst({ where: { userId } });
      expect(stored?.contact).toMatchObject({ email: 'b@example.com' });
    },
  );

  test('When a request failed validation, or conflicted with another request executing at the same time, no result is stored; retrying it is safe: it failed validation.', async () => {
    const key = newId();
    const invalidResponse = await send({ key, body: { ...body(event), event: ' ' } });
    expect(invalidResponse.status).toBe(422);
    expect(await listKeys(String(invalidResponse.headers['x-request-id']))).toEqual([]);
    const retried = await send({ key });
    expect([retried.status, retried.headers['idempotent-replayed']]).toEqual([200, undefined]);
  });

  test('When a request failed validation, or conflicted with another request executing at the same time, no result is stored; retrying it is safe: it was refused because of stored state.', async () => {
    const key = newId();
    const name = `later_${newId()}`;
    expect((await send({ key, body: body(name) })).body.code).toBe('event_not_found');
    const draft = await gateway.database.prisma.event.create({
      data: { id: newId(), appId: tenant.appId, name },
    });
    expect((await send({ key, body: body(name) })).body.code).toBe('event_not_live');
    await gateway.database.prisma.event.delete({ where: { id: draft.id } });
    await gateway.factories.createEvent(tenant, version, { name });
    const retried = await send({ key, body: body(name) });
    expect([retried.status, retried.headers['idempotent-replayed']]).toEqual([200, undefined]);
  });

  test('When a request failed validation, or conflicted with another request executing at the same time, no result is stored; retrying it is safe: of 50 concurrent first uses one executes, and none gets a 5xx.', async () => {
    const key = newId();
    const answers = await Promise.all(Array.from({ length: 50 }, () => send({ key })));
    const accepted = answers.filter(({ status }) => status === 200);
    expect(new Set(accepted.map(({ text }) => text)).size).toBe(1);
    expect(accepted.filter(({ headers }) => !headers['idempotent-replayed'])).toHaveLength(1);
    for (const { status, headers, body: error } of answers) {
      if (status === 200) continue;
      expect([status, error.code, headers['retry-after']]).toEqual([
        409,
        'idempotency_conflict',
        '1',
      ]);
    }
    expect(await countRequests(key)).toBe(1);
    const retried = await send({ key });
    expect([retried.status, retried.text]).toEqual([200, accepted[0]?.text]);
  });

  test('Keys may be removed automatically once they are at least 24 hours old.', async () => {
    const key = newId();
    const first = await send({ key });
    const where = { requestId: first.body.request_id };
    const age = (ms: number) =>
      gateway.database.prisma.idempotencyKey.updateMany({
        where,
        data: { firstSeen: new Date(Date.now() - ms) },
      });
    await age(dayMs - 60_000);
    // A replay does not extend its age.
    await forgetInRedis();
    expect((await send({ key })).headers['idempotent-replayed']).toBe('true');
    await purge();
    expect(await listKeys(where.requestId)).toHaveLength(1);
    await age(dayMs + 60_000);
    await forgetInRedis();
    expect((await send({ key })).headers['idempotent-replayed']).toBe('true');
    await purge();
    expect(await listKeys(where.requestId)).toEqual([]);
  });

  test('When a key is reused after removal, the request is processed as new.', async () => {
    const key = newId();
    const first = await send({ key });
    await gateway.database.prisma.idempotencyKey.updateMany({
      where: { requestId: first.body.request_id },
      data: { firstSeen: new Date(Date.now() - dayMs - 60_000) },
    });
    await purge();
    // Redis keeps a key for 15 minutes, much less than a day.
    await forgetInRedis();
    const second = await send({ key, body: { ...body(event), data: { other: true } } });
    expect([second.status, second.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect(second.body.request_id).not.toBe(first.body.request_id);
    expect(await countRequests(key)).toBe(2);
  });

  test('`Idempotency-Key` on `GET` and `DELETE` requests has no effect.', async () => {
    const key = newId();
    const { userId, deviceId } = await createDevice();
    const path = `/v1/apps/${tenant.appId}/users/${userId}/devices/${deviceId}`;
    const sendDeviceCall = (method: 'get' | 'put' | 'delete', ownKey = key) =>
      request(gateway.server)
        [method](path)
        .set('Authorization', `AuthKey ${tenant.apiKey}`)
        .set('Idempotency-Key', ownKey);
    expect((await sendDeviceCall('get')).body.platform).toBeUndefined();
    await sendDeviceCall('put').send({ platform: 'ios' });
    expect((await sendDeviceCall('get')).body.platform).toBe('ios');
    // Not even a key that is invalid for POST.
    expect((await sendDeviceCall('get', 'x'.repeat(300))).status).toBe(200);
    expect((await sendDeviceCall('delete', 'with space')).status).toBe(200);
    const again = [await sendDeviceCall('delete'), await sendDeviceCall('get')];
    expect(again.map(({ body: error }) => error.code)).toEqual([
      'device_not_found',
      'device_not_found',
    ]);
    expect((await send({ key })).headers['idempotent-replayed']).toBeUndefined();
  });
});

async function purge(): Promise<void> {
  const options = { olderThanMs: dayMs, limit: 1_000 };
  await purgeIdempotencyKeys(gateway.database.accepting, options);
}

describe('an Idempotency-Key and the API key', () => {
  test('two accounts may use the same Idempotency-Key', async () => {
    const otherTenant = await gateway.factories.createTenant();
    await gateway.factories.createEvent(otherTenant, version, { name: event });
    const key = newId();
    const [mine, theirs] = [await send({ key }), await send({ key, tenant: otherTenant })];
    expect([mine.status, theirs.status]).toEqual([200, 200]);
    expect(theirs.headers['idempotent-replayed']).toBeUndefined();
    expect(theirs.body.request_id).not.toBe(mine.body.request_id);
  });

  test('a second API key of the account replays the result of the first one', async () => {
    const { key: apiKey } = await gateway.factories.createApiKey(tenant);
    const key = newId();
    const first = await send({ key });
    const second = await send({ key, tenant: { ...tenant, apiKey } });
    expect(second.text).toBe(first.text);
    expect(second.headers['idempotent-replayed']).toBe('true');
  });

  test('a request without authentication stores nothing for the key', async () => {
    const key = newId();
    const refusal = await send({ key, tenant: { ...tenant, apiKey: 'bk_nobody' } });
    expect(refusal.status).toBe(401);
    expect((await send({ key })).headers['idempotent-replayed']).toBeUndefined();
  });

  test('a call over plain HTTP stores nothing for the key', async () => {
    const strict = await createStoredGateway({ env: { ALLOW_HTTP: 'false' } });
    const key = newId();
    const refusal = await send({ key, server: strict.server });
    await strict.close();
    expect([refusal.status, refusal.body.code]).toEqual([403, 'https_required']);
    expect((await send({ key })).headers['idempotent-replayed']).toBeUndefined();
  });
});

describe('an Idempotency-Key', () => {
  test('a retry of an accepted request gets its 2xx even after a flush and the deletion of the event', async () => {
    const deletedEvent = await gateway.factories.createEvent(tenant, version);
    const key = newId();
    const first = await send({ key, body: body(deletedEvent.name) });
    await gateway.database.prisma.event.update({
      where: { id: deletedEvent.eventId },
      data: { deletedAt: new Date() },
    });
    await forgetInRedis();
    const second = await send({ key, body: body(deletedEvent.name) });
    expect([second.status, second.text]).toEqual([200, first.text]);
    await forgetInRedis();
    const mismatch = await send({ key, body: { ...body(deletedEvent.name), data: { a: 1 } } });
    expect(mismatch.body.code).toBe('idempotency_mismatch');
    expect((await send({ body: body(deletedEvent.name) })).body.error).toBe('event not found');
  });

  test('two calls with one key in one flush write one request', async () => {
    // Without Redis both reach the same flush, and only PostgreSQL detects the duplicate.
    const alone = await createStoredGateway({ env: { REDIS_URL: 'redis://127.0.0.1:1' } });
    const key = newId();
    const answers = await Promise.all([1, 2, 3].map(() => send({ key, server: alone.server })));
    await alone.close();
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const first = answers.filter(({ headers }) => !headers['idempotent-replayed']);
    expect(first).toHaveLength(1);
    expect(await countRequests(key)).toBe(1);
  });

  test('stays the same key after the ring is rotated, in Redis and in PostgreSQL', async () => {
    const key = newId();
    const first = await send({ key });
    const ring = `new:${Buffer.alloc(32, 9).toString('base64')},${testKeyRing}`;
    const shared = { BELFRY_KEYS: ring, REDIS_PREFIX: gateway.redisPrefix };
    const rotated = await createStoredGateway({ env: shared });
    const { server } = rotated;
    const otherBody = { ...body(event), data: { a: 1 } };
    for (const forget of [async () => undefined, forgetInRedis]) {
      await forget();
      expect((await send({ key, server })).text).toBe(first.text);
      expect((await send({ key, server, body: otherBody })).body.code).toBe('idempotency_mismatch');
    }
    // Without the old key the fingerprints cannot be compared, so the call is not accepted again.
    const later = newId();
    await send({ key: later, server });
    await rotated.close();
    const unknown = await send({ key: later });
    expect([unknown.status, unknown.body.code]).toEqual([503, 'unavailable']);
    expect(await countRequests(later)).toBe(1);
  });
});
