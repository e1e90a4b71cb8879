import { createHmac } from 'node:crypto';
import { newId } from '@belfry/runtime';
import {
  createFcmSimulator,
  createWebPushSimulator,
  type FcmSimulator,
  signReaderToken,
  simulatedServiceAccount,
  type Tenant,
} from '@belfry/testing';
import request, { type Test } from 'supertest';
import { createStoredGateway, type StoredGateway } from '../stored-gateway.fixture';
import { maxDevicesOfBrowsers } from './sdk';

let fcm: FcmSimulator;
let gateway: StoredGateway;
let tenant: Tenant;
let otherTenant: Tenant;

beforeAll(async () => {
  fcm = await createFcmSimulator();
  gateway = await createStoredGateway({ env: { FCM_API_URL: fcm.url } });
  const { factories } = gateway;
  tenant = await factories.createTenant({ delivery: 'live' });
  otherTenant = await factories.createTenant({ delivery: 'live' });
  await factories.createIntegration(tenant, {
    ...{ channel: 'push', provider: 'fcm', settings: {} },
    credentials: { service_account: simulatedServiceAccount() },
  });
});

afterAll(async () => {
  await gateway.close();
  await fcm.close();
});

type Method = 'get' | 'post' | 'delete' | 'options';
type Caller = { app?: string; signature?: string | undefined; token?: string };

const sign = (text: string, key = tenant.apiKey) =>
  createHmac('sha256', key).update(text).digest('hex');

/** Calls as the vendor's browser SDK does: with the signature and no API key. */
function call(method: Method, path: string, caller: Caller, body?: object): Test {
  const test = request(gateway.server)
    [method](`/v1/apps/${caller.app ?? tenant.appId}${path}`)
    .set({ Origin: 'https://shop.example.com', 'Content-Type': 'application/json' });
  if (caller.signature !== undefined) test.set('X-Raven-User-Signature', caller.signature);
  if (caller.token !== undefined) test.set('Authorization', `Bearer ${caller.token}`);
  return body === undefined ? test : test.send(body);
}

const as = (userId: string): Caller => ({ signature: sign(userId) });

async function createUser(): Promise<string> {
  const userId = `u-${newId()}`;
  expect((await call('post', '/users/sdk', as(userId), { user_id: userId })).status).toBe(200);
  return userId;
}

const addDevice = (userId: string, body: object, caller = as(userId)) =>
  call('post', `/users/${userId}/devices/sdk`, caller, body);
const listDevices = async (userId: string) =>
  (await call('get', `/users/${userId}/sdk`, as(userId))).body.devices;

describe('the routes of browser SDKs', () => {
  test('create and read a user, register a browser and remove it, as the vendor’s SDK calls them', async () => {
    const userId = `u-${newId()}`;
    const created = await call('post', '/users/sdk', as(userId), { user_id: userId });
    expect([created.status, created.body]).toMatchObject([200, { user_id: userId, devices: [] }]);
    const fcm_token = newId();
    const added = await addDevice(userId, { platform: 'web', fcm_token });
    expect([added.status, added.body]).toMatchObject([
      200,
      { device_sid: expect.any(String), fcm_token, platform: 'web', raven_id: userId },
    ]);
    expect(await listDevices(userId)).toEqual([added.body]);
    const path = `/users/${userId}/devices/${added.body.device_sid}/sdk`;
    const removed = await call('delete', path, as(userId));
    expect([removed.status, removed.body]).toEqual([200, { success: true }]);
    expect(await listDevices(userId)).toEqual([]);
  });

  test('creating a stored user changes nothing, and reads nothing but the user_id', async () => {
    const user_id = await createUser();
    const { appId: app, apiKey } = tenant;
    const body = { user_id, email: 'ana@example.com' };
    await gateway.call({ method: 'post', path: '/users', body, app, apiKey });
    const again = await call('post', '/users/sdk', as(user_id), { user_id, email: 'x@y.example' });
    expect(again.body).toMatchObject({ user_id, email: 'ana@example.com' });
  });

  test('a browser registers a web push subscription; the same endpoint again is the same device, whatever its keys', async () => {
    const simulator = await createWebPushSimulator();
    const userId = await createUser();
    const push_subscription = { ...simulator.subscribe(), expirationTime: null };
    const first = await addDevice(userId, { platform: 'web', push_subscription });
    const { expirationTime: _, ...subscription } = push_subscription;
    expect(first.body).toMatchObject({ push_subscription: subscription, platform: 'web' });
    expect(first.body).not.toHaveProperty('fcm_token');
    const { keys } = simulator.subscribe();
    const renewed = await addDevice(userId, { push_subscription: { ...subscription, keys } });
    expect(renewed.body).toMatchObject({
      device_sid: first.body.device_sid,
      push_subscription: { ...subscription, keys },
    });
    expect(await listDevices(userId)).toEqual([renewed.body]);
    await simulator.close();
  });

  test('an endpoint that another user registers moves to them, as a token does', async () => {
    const simulator = await createWebPushSimulator();
    const push_subscription = simulator.subscribe();
    const [before, after] = [await createUser(), await createUser()];
    const old = await addDevice(before, { push_subscription });
    const moved = await addDevice(after, { push_subscription });
    expect(moved.body.device_sid).not.toBe(old.body.device_sid);
    expect(await listDevices(before)).toEqual([]);
    expect(await listDevices(after)).toEqual([moved.body]);
    await simulator.close();
  });

  test('without an address no device is added', async () => {
    const userId = await createUser();
    for (const body of [{}, { platform: 'web' }, { fcm_token: ' ' }]) {
      expect(await addDevice(userId, body)).toMatchObject({ status: 422 });
    }
    expect(await listDevices(userId)).toEqual([]);
  });

  test(`a user registers at most ${maxDevicesOfBrowsers} devices, and can still register the ones they have`, async () => {
    const userId = await createUser();
    const { appId } = tenant;
    const where = { appId, userId };
    const { id: userSid } = await gateway.database.prisma.user.findFirstOrThrow({ where });
    const tokens = Array.from({ length: maxDevicesOfBrowsers }, () => newId());
    await gateway.database.prisma.device.createMany({
      data: tokens.map((fcmToken) => ({ id: newId(), appId, userSid, fcmToken })),
    });
    const refused = await addDevice(userId, { fcm_token: newId() });
    expect([refused.status, refused.body.error]).toEqual([
      422,
      'an old device must be deleted first: the user has 100 devices',
    ]);
    expect((await addDevice(userId, { fcm_token: tokens[0] })).status).toBe(200);
  });

  test('are read from any origin, after a preflight that allows the signature and the token', async () => {
    const userId = await createUser();
    const routes: [Method, string][] = [
      ['post', '/users/sdk'],
      ['get', `/users/${userId}/sdk`],
      ['post', `/users/${userId}/devices/sdk`],
      ['delete', `/users/${userId}/devices/d/sdk`],
      ['post', '/push/fcm/subscribe-topic'],
      ['post', '/push/fcm/unsubscribe-topic'],
    ];
    for (const [method, path] of routes) {
      const preflight = await call('options', path, {});
      expect([path, preflight.status]).toEqual([path, 200]);
      expect(preflight.headers['access-control-allow-methods']).toContain(method.toUpperCase());
      const allowed = preflight.headers['access-control-allow-headers'] ?? '';
      expect(allowed).toContain('X-Raven-User-Signature');
      expect(allowed).toContain('Authorization');
      const answer = await call(method, path, {});
      for (const { headers } of [preflight, answer]) {
        expect(headers['access-control-allow-origin']).toBe('*');
        expect(headers).not.toHaveProperty('access-control-allow-credentials');
      }
    }
  });
});

describe('a reader with a token', () => {
  test('calls every route of browser SDKs, and no user is needed in a body', async () => {
    const secret = await gateway.factories.createInboxSecret(tenant);
    const userId = `u-${newId()}`;
    const [fcm_token, topic] = [newId(), `t-${newId()}`];
    const reader = { token: signReaderToken(secret, { appId: tenant.appId, userId }) };
    const created = await call('post', '/users/sdk', reader, {});
    expect([created.status, created.body]).toMatchObject([200, { user_id: userId }]);
    const added = await addDevice(userId, { fcm_token }, reader);
    expect([added.status, added.body]).toMatchObject([200, { fcm_token }]);
    await call('post', '/push/fcm/subscribe-topic', reader, { topics: [topic] });
    expect([...(fcm.topics.get(topic) ?? [])]).toEqual([fcm_token]);
    const read = await call('get', `/users/${userId}/sdk`, reader);
    expect(read.body.devices).toEqual([added.body]);
    const path = `/users/${userId}/devices/${added.body.device_sid}/sdk`;
    expect((await call('delete', path, reader)).status).toBe(200);
  });

  test('of another user or app reads and changes nothing', async () => {
    const userId = await createUser();
    const [secret, otherSecret] = [
      await gateway.factories.createInboxSecret(tenant),
      await gateway.factories.createInboxSecret(otherTenant),
    ];
    const { appId } = tenant;
    const tokens = [
      signReaderToken(secret, { appId, userId: 'somebody else' }),
      signReaderToken(secret, { appId: otherTenant.appId, userId }),
      signReaderToken(otherSecret, { appId, userId }),
      tenant.apiKey,
    ];
    for (const token of tokens) {
      for (const answer of [
        await call('get', `/users/${userId}/sdk`, { token }),
        await addDevice(userId, { fcm_token: newId() }, { token }),
        await call('post', '/users/sdk', { token }, { user_id: userId }),
      ]) {
        expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated']);
      }
    }
    expect(await listDevices(userId)).toEqual([]);
  });
});

describe('a call of a browser SDK', () => {
  test('without the user’s signature reads and changes nothing, whoever signed it', async () => {
    const userId = await createUser();
    const fcm_token = newId();
    const { body: device } = await addDevice(userId, { fcm_token });
    const paths: [Method, string, object | undefined][] = [
      ['post', '/users/sdk', { user_id: userId }],
      ['get', `/users/${userId}/sdk`, undefined],
      ['post', `/users/${userId}/devices/sdk`, { fcm_token: newId() }],
      ['delete', `/users/${userId}/devices/${device.device_sid}/sdk`, undefined],
      ['post', '/push/fcm/subscribe-topic', { user_id: userId, topics: ['stolen'] }],
    ];
    const signatures = [
      undefined,
      'x',
      sign('somebody else'),
      sign(userId, otherTenant.apiKey),
      sign(userId).slice(1),
      sign(''),
    ];
    for (const [method, path, body] of paths) {
      for (const signature of signatures) {
        const answer = await call(method, path, { signature }, body);
        expect([path, signature, answer.status, answer.body.code]).toEqual([
          ...[path, signature, 401, 'unauthenticated'],
        ]);
      }
      const unknown = await call(method, path, { signature: sign(userId), app: newId() }, body);
      const foreign = { signature: sign(userId), app: otherTenant.appId };
      const other = await call(method, path, foreign, body);
      expect([unknown.status, unknown.body.error]).toEqual([other.status, other.body.error]);
    }
    expect(await listDevices(userId)).toEqual([device]);
    expect(fcm.topics.has('stolen')).toBe(false);
  });

  test('never reaches a device of another user, by its device_sid or its own ID', async () => {
    const [owner, other] = [await createUser(), await createUser()];
    const { body: device } = await addDevice(owner, { id: newId(), fcm_token: newId() });
    for (const id of [device.device_sid, device.id]) {
      const path = `/users/${other}/devices/${id}/sdk`;
      expect((await call('delete', path, as(other))).body.code).toBe('device_not_found');
    }
    expect(await listDevices(owner)).toEqual([device]);
  });

  test('for a user who is not stored is a 404', async () => {
    const userId = newId();
    expect((await call('get', `/users/${userId}/sdk`, as(userId))).body.code).toBe(
      'user_not_found',
    );
    expect((await addDevice(userId, { fcm_token: newId() })).body.code).toBe('user_not_found');
  });

  test('stores nothing when the storage of the account is full, and works for a stored user', async () => {
    const userId = await createUser();
    const where = { id: tenant.accountId };
    const fill = (isStorageFull: boolean) =>
      gateway.database.prisma.account.update({ where, data: { isStorageFull } });
    await fill(true);
    const newUser = newId();
    const created = await call('post', '/users/sdk', as(newUser), { user_id: newUser });
    const stored = await call('post', '/users/sdk', as(userId), { user_id: userId });
    const added = await addDevice(userId, { fcm_token: newId() });
    await fill(false);
    expect([created.status, stored.status, added.status]).toEqual([429, 200, 429]);
  });

  test('with an API key is one for the device named sdk, as before', async () => {
    const userId = await createUser();
    const keyed = { app: tenant.appId, apiKey: tenant.apiKey, method: 'post' as const };
    const body = { id: 'sdk', fcm_token: newId() };
    await gateway.call({ ...keyed, path: `/users/${userId}/devices`, body });
    const path = `/users/${userId}/devices/sdk`;
    const answer = await gateway.call({ ...keyed, path, body: { platform: 'ios' } });
    expect(answer.body).toMatchObject({ id: 'sdk', platform: 'ios' });
  });
});

describe('topics', () => {
  const change = (action: string, caller: Caller, body: object) =>
    call('post', `/push/fcm/${action}-topic`, caller, body);

  test('of a user get the tokens of their enabled FCM devices, and lose them', async () => {
    const simulator = await createWebPushSimulator();
    const userId = await createUser();
    const [on, off, topic] = [newId(), newId(), `t-${newId()}`];
    await addDevice(userId, { fcm_token: on });
    await addDevice(userId, { fcm_token: off, notifications_disabled: true });
    await addDevice(userId, { push_subscription: simulator.subscribe() });
    const body = { user_id: userId, topics: [topic, `${topic}-2`] };
    const answer = await change('subscribe', as(userId), body);
    expect([answer.status, answer.body]).toEqual([200, { success: true }]);
    expect([...(fcm.topics.get(topic) ?? [])]).toEqual([on]);
    expect([...(fcm.topics.get(`${topic}-2`) ?? [])]).toEqual([on]);
    await change('unsubscribe', as(userId), { ...body, topics: [topic] });
    expect(fcm.topics.get(topic)?.size).toBe(0);
    await simulator.close();
  });

  test('before sign-in get the token that the signature is over, and no other', async () => {
    const [token, topic] = [newId(), `t-${newId()}`];
    const body = { device_id: token, fcm_token: token, topics: [topic] };
    expect((await change('subscribe', as(token), body)).status).toBe(200);
    expect([...(fcm.topics.get(topic) ?? [])]).toEqual([token]);
    const stolen = { ...body, fcm_token: newId() };
    expect((await change('subscribe', as(token), stolen)).status).toBe(422);
    const unsigned = { ...body, device_id: stolen.fcm_token, fcm_token: stolen.fcm_token };
    expect((await change('subscribe', as(token), unsigned)).status).toBe(401);
    expect(fcm.topics.get(topic)?.size).toBe(1);
  });

  test.each([
    ['no topics', {}, 'topics must not be null'],
    ['an empty list', { topics: [] }, expect.stringMatching(/^topics must/)],
    ['21 topics', { topics: Array(21).fill('t') }, 'topics must have at most 20 elements'],
    [
      'a slash',
      { topics: ['/topics/x'] },
      expect.stringMatching(/^topics\[0\] must have 1 to 900/),
    ],
  ])('are refused with %s', async (_what, body, error) => {
    const userId = await createUser();
    const answer = await change('subscribe', as(userId), { user_id: userId, ...body });
    expect([answer.status, answer.body.error]).toEqual([422, error]);
  });

  test('that FCM cannot change are an error that the browser may repeat, or one that names the token', async () => {
    const [token, topic] = [newId(), `t-${newId()}`];
    const body = { device_id: token, fcm_token: token, topics: [topic] };
    fcm.fail({ on: 'batchAdd', reply: { status: 503, body: '' } });
    const failed = await change('subscribe', as(token), body);
    expect([failed.status, failed.body.code]).toEqual([503, 'unavailable']);
    fcm.unregister(token);
    const unknown = await change('subscribe', as(token), body);
    expect([unknown.status, unknown.body.error]).toEqual([
      422,
      'fcm_token is not a token of the Firebase project of this app',
    ]);
  });

  test('change nothing in the sandbox, and need an FCM integration in live delivery', async () => {
    const sandbox = await gateway.factories.createTenant();
    const token = newId();
    const body = { device_id: token, fcm_token: token, topics: ['news'] };
    const before = fcm.requests.length;
    for (const [app, apiKey, status] of [
      [sandbox.appId, sandbox.apiKey, 200],
      [otherTenant.appId, otherTenant.apiKey, 404],
    ] as const) {
      const answer = await change('subscribe', { app, signature: sign(token, apiKey) }, body);
      expect(answer.status).toBe(status);
    }
    expect(fcm.requests).toHaveLength(before);
  });
});
