import { newId } from '@belfry/runtime';
import {
  createStoredGateway,
  type StoredCall,
  type StoredGateway,
} from '../stored-gateway.fixture';

let gateway: StoredGateway;

beforeAll(async () => {
  gateway = await createStoredGateway();
});

afterAll(() => gateway.close());

async function createUser(userId = newId()): Promise<string> {
  await gateway.call({ method: 'post', path: '/users', body: { user_id: userId } });
  return userId;
}

type Changes = Partial<StoredCall>;

function add(userId: string, body: string | object, changes: Changes = {}) {
  return gateway.call({ method: 'post', path: `/users/${userId}/devices`, body, ...changes });
}

function at(method: StoredCall['method'], userId: string, deviceId: string, changes: Changes = {}) {
  const path = `/users/${userId}/devices/${encodeURIComponent(deviceId)}`;
  return gateway.call({ method, path, ...changes });
}

async function listDevices(userId: string): Promise<Record<string, unknown>[]> {
  return (await gateway.call({ method: 'get', path: `/users/${userId}` })).body.devices;
}

function countRows() {
  const { prisma } = gateway.database;
  const { appId, accountId } = gateway.tenant;
  return Promise.all([
    prisma.device.count({ where: { appId } }),
    prisma.idempotencyKey.count({ where: { accountId } }),
  ]);
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const otherTokens = {
  onesignal_player_id: 'op',
  xiaomi_token: 'xt',
  oppo_token: 'ot',
  vivo_token: 'vt',
  huaweiToken: 'ht',
};

describe('POST /v1/apps/:app_id/users/:user_id/devices', () => {
  test.each(['', '/'])(
    'stores the device and returns the whole of it, at a path ending with %j',
    async (end) => {
      const userId = await createUser();
      const token = ` ${newId()} `;
      const input = { id: ' phone ', fcm_token: token, platform: 'ANDROID', ...otherTokens };
      const path = `/users/${userId}/devices${end}`;
      const { status, headers, body } = await add(userId, { ...input, nothing: 'known' }, { path });
      expect(status).toBe(200);
      expect(headers['content-type']).toBe('application/json');
      expect(body).toEqual({
        id: 'phone',
        device_sid: expect.stringMatching(uuid),
        raven_id: userId,
        fcm_token: token.trim(),
        platform: 'android',
        notifications_disabled: false,
        ...otherTokens,
        created_at: expect.any(Number),
        updated_at: expect.any(Number),
      });
      expect(await listDevices(userId)).toEqual([body]);
      const row = await gateway.database.prisma.device.findUnique({
        where: { id: body.device_sid },
      });
      expect(row).toMatchObject({ clientId: 'phone', fcmToken: token.trim(), fields: otherTokens });
    },
  );

  test('stores a device without a token, whose id is its device_sid', async () => {
    const userId = await createUser();
    const { status, body } = await add(userId, {});
    expect(status).toBe(200);
    expect(body).toEqual({
      id: body.device_sid,
      device_sid: expect.stringMatching(uuid),
      raven_id: userId,
      notifications_disabled: false,
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
    });
  });

  test('stores a token of 4,096 characters, even an incompressible one', async () => {
    const userId = await createUser();
    const token = Array.from({ length: 128 }, () => newId().replaceAll('-', '')).join('');
    expect(token).toHaveLength(4_096);
    const first = await add(userId, { fcm_token: token });
    expect([first.status, first.body.fcm_token]).toEqual([200, token]);
    const second = await add(userId, { fcm_token: token });
    expect(second.body.device_sid).toBe(first.body.device_sid);
  });

  test.each(['back\\slash', '\\x41', '\\', "quote' ü 🎉"])(
    'stores the token %j byte for byte',
    async (end) => {
      const userId = await createUser();
      const fcm_token = `${newId()}${end}`;
      const { body } = await add(userId, { fcm_token });
      expect(body.fcm_token).toBe(fcm_token);
      expect((await add(userId, { fcm_token })).body.device_sid).toBe(body.device_sid);
    },
  );

  test('updates the device of the same user that has the token, and keeps absent fields', async () => {
    const userId = await createUser();
    const fcm_token = newId();
    const first = await add(userId, { id: 'phone', fcm_token, platform: 'ios', xiaomi_token: 'x' });
    const second = await add(userId, { fcm_token, oppo_token: 'o' });
    expect(second.body).toEqual({
      ...first.body,
      oppo_token: 'o',
      updated_at: expect.any(Number),
    });
    expect(await listDevices(userId)).toEqual([second.body]);
  });

  test('moves the token of another user to a new device without data of the old one', async () => {
    const [before, after] = [await createUser(), await createUser()];
    const fcm_token = newId();
    const old = await add(before, { id: 'phone', fcm_token, platform: 'ios', xiaomi_token: 'x' });
    const moved = await add(after, { fcm_token });
    expect(moved.status).toBe(200);
    expect(moved.body).toEqual({
      id: moved.body.device_sid,
      device_sid: expect.stringMatching(uuid),
      raven_id: after,
      fcm_token,
      notifications_disabled: false,
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
    });
    expect(moved.body.device_sid).not.toBe(old.body.device_sid);
    expect(await listDevices(before)).toEqual([]);
    expect((await at('get', before, old.body.device_sid)).body.error).toBe('device not found');
  });

  test('a token that two users register concurrently belongs to one device', async () => {
    const users = [await createUser(), await createUser()];
    const fcm_token = newId();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => add(users[index % 2]!, { fcm_token })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(40);
    const { prisma } = gateway.database;
    const rows = await prisma.device.findMany({
      where: { appId: gateway.tenant.appId, fcmToken: fcm_token },
    });
    expect(rows).toHaveLength(1);
    const listedDevices = [...(await listDevices(users[0]!)), ...(await listDevices(users[1]!))];
    expect(listedDevices.map((device) => device['device_sid'])).toEqual([rows[0]?.id]);
  });

  test('the same token in two apps is two devices', async () => {
    const otherTenant = await gateway.factories.createTenant();
    const place = { app: otherTenant.appId, apiKey: otherTenant.apiKey };
    const userId = await createUser();
    await gateway.call({ method: 'post', path: '/users', body: { user_id: userId }, ...place });
    const fcm_token = newId();
    const mine = await add(userId, { fcm_token });
    const theirs = await add(userId, { fcm_token }, place);
    expect(theirs.status).toBe(200);
    expect(await listDevices(userId)).toEqual([mine.body]);
  });

  test('updates the device named by device_sid, if it belongs to this user', async () => {
    const [userId, otherUserId] = [await createUser(), await createUser()];
    const { body } = await add(userId, { platform: 'ios' });
    const fcm_token = newId();
    const existingDevice = { device_sid: body.device_sid.toUpperCase(), fcm_token };
    expect((await add(userId, existingDevice)).body).toEqual({
      ...body,
      fcm_token,
      updated_at: expect.any(Number),
    });
    const unknown = await add(otherUserId, { device_sid: body.device_sid });
    expect(unknown.body.device_sid).not.toBe(body.device_sid);
    expect((await add(userId, { device_sid: 'no uuid' })).status).toBe(200);
    expect(await listDevices(userId)).toHaveLength(2);
  });

  test('replays byte for byte for its Idempotency-Key, marked as a replay, and adds no second device', async () => {
    const userId = await createUser();
    const headers = { 'Idempotency-Key': newId() };
    const first = await add(userId, { platform: 'web' }, { headers });
    const again = await add(userId, { platform: 'web', fcm_token: null }, { headers });
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(await listDevices(userId)).toHaveLength(1);
    const otherUser = await add(await createUser(), { platform: 'web' }, { headers });
    expect([otherUser.status, otherUser.body.code]).toEqual([422, 'idempotency_mismatch']);
  });

  test('stores no key for a call with an unknown user', async () => {
    const userId = newId();
    const headers = { 'Idempotency-Key': newId() };
    const refusal = await add(userId, {}, { headers });
    expect([refusal.status, refusal.body.error]).toEqual([404, 'user not found']);
    await createUser(userId);
    expect((await add(userId, {}, { headers })).status).toBe(200);
  });
});

describe.each(['put', 'post'] as const)(
  '%s /v1/apps/:app_id/users/:user_id/devices/:device_id',
  (method) => {
    test('updates the given fields, and finds the device by device_sid or by the client’s id', async () => {
      const userId = await createUser();
      const { body } = await add(userId, { id: 'my phone/1', platform: 'ios', vivo_token: 'v' });
      const fcm_token = newId();
      const first = await at(method, userId, body.device_sid, { body: { fcm_token } });
      expect(first.status).toBe(200);
      expect(first.body).toEqual({ ...body, fcm_token, updated_at: expect.any(Number) });
      const second = await at(method, userId, 'my phone/1', { body: { platform: 'Web' } });
      expect(second.body).toEqual({
        ...first.body,
        platform: 'web',
        updated_at: expect.any(Number),
      });
      expect(await listDevices(userId)).toEqual([second.body]);
    });

    test('clears nothing for null or an empty string', async () => {
      const userId = await createUser();
      const fields = { id: 'p', fcm_token: newId(), platform: 'ios', ...otherTokens };
      const { body } = await add(userId, fields);
      for (const value of [null, '']) {
        const empty = Object.fromEntries(Object.keys(fields).map((name) => [name, value]));
        const answer = await at(method, userId, body.device_sid, { body: empty });
        expect(answer.body).toEqual({ ...body, updated_at: expect.any(Number) });
      }
    });

    test('takes a token from the device that has it, whichever user owns it', async () => {
      const [userId, otherUserId] = [await createUser(), await createUser()];
      const token = newId();
      const { body } = await add(userId, {});
      for (const owner of [userId, otherUserId]) {
        const old = await add(owner, { fcm_token: token });
        const answer = await at(method, userId, body.device_sid, { body: { fcm_token: token } });
        expect(answer.body).toMatchObject({ device_sid: body.device_sid, fcm_token: token });
        expect((await at('get', owner, old.body.device_sid)).status).toBe(404);
        await at(method, userId, body.device_sid, { body: { fcm_token: newId() } });
      }
      expect(await listDevices(userId)).toHaveLength(1);
    });

    test('answers all callers that swap tokens concurrently, and each token has one device', async () => {
      const userId = await createUser();
      const tokens = [newId(), newId()];
      const sids = await Promise.all(
        tokens.map(async (fcm_token) => (await add(userId, { fcm_token })).body.device_sid),
      );
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          at(method, userId, sids[index % 2], {
            body: { fcm_token: tokens[Math.floor(index / 2) % 2] },
          }),
        ),
      );
      expect(answers.filter(({ status }) => ![200, 404].includes(status))).toEqual([]);
      const listedTokens = (await listDevices(userId)).map((device) => device['fcm_token']);
      expect(new Set(listedTokens).size).toBe(listedTokens.length);
    });
  },
);

describe('notifications_disabled', () => {
  test('is set by the client and cleared when a token is written again', async () => {
    const userId = await createUser();
    const fcm_token = newId();
    const { body } = await add(userId, { fcm_token, notifications_disabled: true });
    expect(body.notifications_disabled).toBe(true);
    const updateResponse = await at('put', userId, body.id, { body: { platform: 'ios' } });
    expect(updateResponse.body.notifications_disabled).toBe(true);
    const cleared = await at('put', userId, body.id, { body: { fcm_token } });
    expect(cleared.body.notifications_disabled).toBe(false);
    const both = await at('put', userId, body.id, {
      body: { fcm_token, notifications_disabled: true },
    });
    expect(both.body.notifications_disabled).toBe(true);
    expect((await add(userId, { fcm_token })).body.notifications_disabled).toBe(false);
  });

  test('set by Belfry is cleared with its reason when the client writes a token', async () => {
    const userId = await createUser();
    const { body } = await add(userId, { fcm_token: newId() });
    const { prisma } = gateway.database;
    const where = { id: body.device_sid };
    const data = { notificationsDisabled: true, disabledReason: 'unregistered' };
    await prisma.device.update({ where, data });
    await at('put', userId, body.id, { body: { platform: 'ios' } });
    expect(await prisma.device.findUnique({ where })).toMatchObject(data);
    await at('put', userId, body.id, { body: { fcm_token: newId() } });
    expect(await prisma.device.findUnique({ where })).toMatchObject({
      notificationsDisabled: false,
      disabledReason: null,
    });
  });
});

describe('an Idempotency-Key on a device update', () => {
  test('is honored by POST and ignored by PUT, even one that is invalid for POST', async () => {
    const userId = await createUser();
    const { body } = await add(userId, {});
    const headers = { 'Idempotency-Key': newId() };
    const first = await at('post', userId, body.id, { body: { id: 'a' }, headers });
    await at('put', userId, body.id, { body: { id: 'b' }, headers });
    const replay = await at('post', userId, body.id, { body: { id: 'a' }, headers });
    expect(replay.text).toBe(first.text);
    expect(replay.headers['idempotent-replayed']).toBe('true');
    expect((await at('get', userId, body.device_sid)).body.id).toBe('b');
    const put = await at('put', userId, body.device_sid, {
      body: { id: 'c' },
      headers: { 'Idempotency-Key': 'not valid' },
    });
    expect(put.body.id).toBe('c');
    const mismatch = await at('post', userId, body.device_sid, { body: { id: 'z' }, headers });
    expect(mismatch.body.code).toBe('idempotency_mismatch');
  });
});

describe('GET /v1/apps/:app_id/users/:user_id/devices/:device_id', () => {
  test('finds the device by device_sid first and by the client’s id second', async () => {
    const userId = await createUser();
    const first = await add(userId, {});
    const second = await add(userId, { id: first.body.device_sid });
    expect((await at('get', userId, first.body.device_sid)).body).toEqual(first.body);
    expect((await at('get', userId, first.body.device_sid.toUpperCase())).body).toEqual(first.body);
    expect((await at('get', userId, second.body.device_sid)).body).toEqual(second.body);
  });
});

describe('DELETE /v1/apps/:app_id/users/:user_id/devices/:device_id', () => {
  test('removes only that device', async () => {
    const userId = await createUser();
    const first = await add(userId, { id: 'one', fcm_token: newId() });
    const second = await add(userId, { fcm_token: newId() });
    const { status, text } = await at('delete', userId, 'one');
    expect([status, text]).toEqual([200, '{"success":true}']);
    expect(await listDevices(userId)).toEqual([second.body]);
    const again = await at('delete', userId, first.body.device_sid);
    expect([again.status, again.body.error]).toEqual([404, 'device not found']);
  });

  test('returns 200 to exactly one of many concurrent callers', async () => {
    const userId = await createUser();
    const { body } = await add(userId, {});
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => at('delete', userId, body.id)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(404)]);
  });
});

describe('an unknown device or user', () => {
  const ids = ['nothing', newId(), '\u0007', 'x'.repeat(3_000), '.x', '%'];

  test.each(['get', 'put', 'post', 'delete'] as const)(
    'gets 404 from %s, and changes no row',
    async (method) => {
      const userId = await createUser();
      const changes = method === 'put' || method === 'post' ? { body: { platform: 'ios' } } : {};
      const before = await countRows();
      for (const id of ids) {
        const { status, body, headers } = await at(method, userId, id, changes);
        expect({ status, body }).toEqual({
          status: 404,
          body: {
            success: false,
            error: 'device not found',
            code: 'device_not_found',
            request_id: headers['x-request-id'],
          },
        });
      }
      for (const unknownUserId of [newId(), '%07', 'x'.repeat(256)]) {
        const { status, body } = await at(method, unknownUserId, 'id', changes);
        expect([status, body.error, body.code]).toEqual([404, 'user not found', 'user_not_found']);
      }
      expect(await countRows()).toEqual(before);
    },
  );

  test.each(['get', 'put', 'post', 'delete'] as const)(
    'a device of another user or account gets the same 404 from %s',
    async (method) => {
      const [userId, otherUserId] = [await createUser(), await createUser()];
      const tenant = await gateway.factories.createTenant();
      const place = { app: tenant.appId, apiKey: tenant.apiKey };
      const theirUser = newId();
      const path = '/users';
      await gateway.call({ method: 'post', path, body: { user_id: theirUser }, ...place });
      const devices = [await add(otherUserId, {}), await add(theirUser, {}, place)];
      const changes = method === 'put' || method === 'post' ? { body: { platform: 'ios' } } : {};
      const unknown = await at(method, userId, newId(), changes);
      for (const { body } of devices) {
        const answer = await at(method, userId, body.device_sid, changes);
        expect(answer.status).toBe(unknown.status);
        expect({ ...answer.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' });
        expect(Object.keys(answer.headers)).toEqual(Object.keys(unknown.headers));
      }
      const elsewhere = await at(method, theirUser, devices[1]?.body.device_sid, {
        ...changes,
        app: tenant.appId,
      });
      expect(elsewhere.body.error).toBe('app not found');
      const { prisma } = gateway.database;
      const where = { id: { in: devices.map(({ body }) => body.device_sid) }, platform: null };
      expect(await prisma.device.count({ where })).toBe(2);
    },
  );
});

describe('an invalid device body', () => {
  const rows: [string, string | object, number, string, string | undefined][] = [
    ['invalid JSON', '{', 400, 'malformed_json', 'Unable to process JSON'],
    ['a list', '[]', 400, 'invalid_type', undefined],
    ['a token as a number', { fcm_token: 1 }, 400, 'invalid_type', 'fcm_token must be a string'],
    ['a flag as a string', { notifications_disabled: 'true' }, 400, 'invalid_type', undefined],
    [
      'an unknown platform',
      { platform: 'windows' },
      422,
      'validation_failed',
      'platform must be one of android, web, ios',
    ],
    [
      'a long token',
      { fcm_token: 'x'.repeat(4_097) },
      422,
      'validation_failed',
      'fcm_token must be at most 4096 characters',
    ],
    ['a long id', { id: 'x'.repeat(256) }, 422, 'validation_failed', undefined],
    [
      'a long token of another provider',
      { huaweiToken: 'x'.repeat(4_097) },
      422,
      'validation_failed',
      undefined,
    ],
  ];

  test.each(rows.map(([what, ...rest]) => [what, rest] as const))(
    'with %s leaves no row, on all three routes',
    async (_, [input, status, code, text]) => {
      const userId = await createUser();
      const { body } = await add(userId, {});
      const before = await countRows();
      const answers = [
        await add(userId, input, { headers: { 'Idempotency-Key': newId() } }),
        await at('put', userId, body.id, { body: input }),
        await at('post', userId, body.id, { body: input }),
      ];
      for (const answer of answers) {
        expect([answer.status, answer.body.code]).toEqual([status, code]);
        if (text) expect(answer.body.error).toBe(text);
      }
      expect(await countRows()).toEqual(before);
      expect(await listDevices(userId)).toEqual([body]);
    },
  );

  test('every route returns 401 without a valid key', async () => {
    const userId = await createUser();
    const apiKey = 'bk_nothing';
    const answers = [
      await add(userId, {}, { apiKey }),
      await at('put', userId, 'd', { body: {}, apiKey }),
      await at('get', userId, 'd', { apiKey }),
      await at('delete', userId, 'd', { apiKey }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  });
});

describe('the device calls of existing clients', () => {
  const javaNulls = {
    ...{ id: null, platform: null, onesignal_player_id: null, xiaomi_token: null },
    ...{ oppo_token: null, vivo_token: null, huaweiToken: null, fcm_token: null, raven_id: null },
    ...{ device_sid: null, notifications_disabled: null, created_at: null, updated_at: null },
  };

  test.each<[string, StoredCall['method'], object]>([
    ['Node', 'put', {}],
    ['Python', 'put', {}],
    ['Java', 'put', javaNulls],
    ['Android', 'post', {}],
    ['Flutter', 'post', javaNulls],
  ])('%s adds, updates, reads and deletes', async (_, method, nulls) => {
    const userId = await createUser();
    const fields = { fcm_token: newId(), platform: 'android', huaweiToken: 'h' };
    const path = `/users/${userId}/devices/`;
    const added = await add(userId, { ...nulls, ...fields }, { path });
    expect(added.body).toMatchObject({ ...fields, device_sid: expect.stringMatching(uuid) });
    const fcm_token = newId();
    const sid = added.body.device_sid;
    const updated = await at(method, userId, sid, { body: { ...nulls, fcm_token } });
    expect(updated.body).toEqual({ ...added.body, fcm_token, updated_at: expect.any(Number) });
    const headers = { 'Content-Type': 'application/json' };
    expect((await at('get', userId, sid, { headers })).body).toEqual(updated.body);
    const length = { 'Content-Length': '0' };
    expect((await at('delete', userId, sid, { headers: length })).body).toEqual({ success: true });
  });
});
