import { userTokenPlace } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { testSecrets } from '@belfry/testing';
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

function write(body: string | object, changes: Partial<StoredCall> = {}) {
  return gateway.call({ method: 'post', path: '/users', body, ...changes });
}

function read(userId: string, changes: Partial<StoredCall> = {}) {
  return gateway.call({ method: 'get', path: `/users/${encodeURIComponent(userId)}`, ...changes });
}

function findRow(userId: string, appId = gateway.tenant.appId) {
  return gateway.database.prisma.user.findUnique({ where: { appId_userId: { appId, userId } } });
}

async function readToken(userId: string): Promise<string> {
  const row = await findRow(userId);
  const { slack } = row!.contact as { slack: { access_token: string } };
  return testSecrets().open(slack.access_token, userTokenPlace(row!.id));
}

function countRows() {
  const { prisma } = gateway.database;
  const { appId, accountId } = gateway.tenant;
  return Promise.all([
    prisma.user.count({ where: { appId } }),
    prisma.idempotencyKey.count({ where: { accountId } }),
  ]);
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const full = {
  email: ' ana@example.com ',
  mobile: '+1 (202) 555-0123',
  whatsapp_mobile: '+12025550124',
  slack: { access_token: 'xoxb-1234-canary', channel_id: 'C1', email: 'ana@example.com' },
  telegram: { chat_id: '42' },
  onesignal_external_id: 'os-1',
  preferences: {
    locale: 'de',
    disabled: false,
    channel_preferences: { sms: { disabled: true } },
  },
};

describe('POST /v1/apps/:app_id/users', () => {
  test('stores the user and returns the whole of it, with trimmed values', async () => {
    const userId = newId();
    const { status, headers, body } = await write({ user_id: userId, ...full, nothing: 'known' });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(body).toEqual({
      user_sid: expect.stringMatching(uuid),
      user_id: userId,
      ...full,
      email: 'ana@example.com',
      slack: { ...full.slack, access_token: '********' },
      devices: [],
      created_at: expect.any(Number),
      updated_at: expect.any(Number),
    });
    expect(Math.abs(Date.now() - body.created_at)).toBeLessThan(60_000);
    const row = await findRow(userId);
    expect(row?.id).toBe(body.user_sid);
    expect(row?.contact).toEqual({
      ...full,
      email: 'ana@example.com',
      slack: { ...full.slack, access_token: expect.stringMatching(/^v1\.test\./) },
    });
  });

  test('updates the given fields and keeps the rest, `slack` and `preferences` by member', async () => {
    const userId = newId();
    const first = await write({ user_id: userId, ...full });
    const { body } = await write({
      user_id: userId,
      mobile: '+4512345678',
      slack: { channel_id: 'C2' },
      preferences: { locale: 'fr' },
    });
    expect(body).toEqual({
      ...first.body,
      mobile: '+4512345678',
      slack: { ...first.body.slack, channel_id: 'C2' },
      preferences: { ...full.preferences, locale: 'fr' },
      updated_at: expect.any(Number),
    });
    expect(body.updated_at).toBeGreaterThanOrEqual(first.body.updated_at);
  });

  test('treats null as absent, at every level', async () => {
    const userId = newId();
    const first = await write({ user_id: userId, ...full });
    const { body } = await write({
      user_id: userId,
      email: null,
      mobile: null,
      whats_app: null,
      whatsapp_mobile: null,
      slack: { access_token: null, channel_id: 'C1', email: null },
      telegram: { chat_id: null },
      onesignal_external_id: null,
      preferences: null,
      devices: null,
    });
    expect(body).toEqual({ ...first.body, updated_at: expect.any(Number) });
  });

  test('clears a field for an empty string, and an object whose last member is cleared', async () => {
    const userId = newId();
    await write({ user_id: userId, ...full });
    const { body } = await write({
      user_id: userId,
      email: '',
      mobile: '  ',
      slack: { access_token: '', channel_id: '', email: '' },
      telegram: { chat_id: '' },
      preferences: { locale: '' },
    });
    expect(Object.keys(body)).toEqual([
      ...['user_sid', 'user_id', 'whatsapp_mobile', 'onesignal_external_id', 'preferences'],
      ...['devices', 'created_at', 'updated_at'],
    ]);
    expect((await findRow(userId))?.contact).toEqual({
      whatsapp_mobile: full.whatsapp_mobile,
      onesignal_external_id: 'os-1',
      preferences: { disabled: false, channel_preferences: { sms: { disabled: true } } },
    });
  });

  test.each<[string, object, string]>([
    ['only whats_app', { whats_app: '+1' }, '+1'],
    ['both', { whats_app: '+1', whatsapp_mobile: '+2' }, '+2'],
    ['null next to the alias', { whats_app: '+1', whatsapp_mobile: null }, '+1'],
  ])('reads the WhatsApp number from %s', async (_, input, expected) => {
    const { body } = await write({ user_id: newId(), ...input });
    expect(body.whatsapp_mobile).toBe(expected);
    expect(body).not.toHaveProperty('whats_app');
  });

  test('stores constructor and prototype as data keys, and ignores them as unknown fields', async () => {
    const channels = { constructor: { disabled: true }, prototype: { disabled: false } };
    const preferences = { channel_preferences: channels };
    const body = { user_id: 'keys', preferences, constructor: 1, prototype: { a: 1 } };
    const writeResponse = await write(JSON.stringify(body));
    expect(writeResponse.status).toBe(200);
    expect(JSON.parse(writeResponse.text).preferences).toEqual(preferences);
    expect(Object.keys(JSON.parse(writeResponse.text))).not.toContain('constructor');
  });

  test('accepts an invalid e-mail address or phone number', async () => {
    const { status, body } = await write({ user_id: newId(), email: 'nonsense', mobile: 'x' });
    expect({ status, email: body.email, mobile: body.mobile }).toEqual({
      ...{ status: 200, email: 'nonsense', mobile: 'x' },
    });
  });

  test('200 concurrent callers with one user_id create one row, and each gets 200', async () => {
    const userId = newId();
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        write({
          user_id: userId,
          [['email', 'mobile', 'onesignal_external_id'][index % 3]!]: `v${index}`,
          slack: { access_token: `xoxb-${index}`, channel_id: 'C1' },
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(200);
    expect(new Set(answers.map(({ body }) => body.user_sid)).size).toBe(1);
    const { body } = await read(userId);
    for (const field of ['email', 'mobile', 'onesignal_external_id']) {
      expect(body[field]).toMatch(/^v\d+$/);
    }
    expect(await readToken(userId)).toMatch(/^xoxb-/);
  });

  test('the last of sequential writes wins, field by field', async () => {
    const userId = newId();
    await write({ user_id: userId, email: '1', mobile: '1' });
    await write({ user_id: userId, email: '2' });
    expect((await read(userId)).body).toMatchObject({ email: '2', mobile: '1' });
  });
});

describe('the Slack token of a stored user', () => {
  test('is sealed for its row, even if the row existed before', async () => {
    const userId = newId();
    await write({ user_id: userId });
    await write({ user_id: userId, slack: { access_token: ' xoxb-first ', channel_id: 'C1' } });
    expect(await readToken(userId)).toBe('xoxb-first');
    await write({ user_id: userId, slack: { access_token: 'xoxb-second', channel_id: 'C1' } });
    expect(await readToken(userId)).toBe('xoxb-second');
  });

  test('is stored nowhere in clear text', async () => {
    const userId = newId();
    const key = { 'Idempotency-Key': newId() };
    const { text } = await write({ user_id: userId, ...full }, { headers: key });
    const { rows } = await gateway.database.delivery.query<{ row: string }>(
      `SELECT row_to_json(u)::text AS row FROM app_user u WHERE user_id = $1
       UNION ALL SELECT row_to_json(k)::text FROM idempotency_key k WHERE account_id = $2`,
      [userId, gateway.tenant.accountId],
    );
    expect(rows.length).toBeGreaterThan(1);
    expect(text + rows.map(({ row }) => row).join()).not.toContain('canary');
  });

  test('is kept when its mask is sent back', async () => {
    const userId = newId();
    const { body } = await write({ user_id: userId, ...full });
    const again = await write(body);
    expect(again.body).toEqual({ ...body, updated_at: expect.any(Number) });
    expect(await readToken(userId)).toBe(full.slack.access_token);
  });

  test('is returned as an empty string if none is stored, and `slack` is absent if it has no member', async () => {
    const { body } = await write({ user_id: newId(), slack: { channel_id: 'C1' } });
    expect(body.slack).toEqual({ access_token: '', channel_id: 'C1' });
    expect((await write({ user_id: newId() })).body).not.toHaveProperty('slack');
  });
});

describe('an Idempotency-Key on a user write', () => {
  test('replays the first response byte for byte, marked as a replay, and writes nothing again', async () => {
    const userId = newId();
    const headers = { 'Idempotency-Key': newId() };
    const first = await write({ user_id: userId, email: 'a' }, { headers });
    await write({ user_id: userId, email: 'b' });
    const second = await write({ email: 'a', user_id: userId, mobile: null }, { headers });
    expect(second.text).toBe(first.text);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect((await read(userId)).body.email).toBe('b');
  });

  test('with other parameters, or on another route, is refused', async () => {
    const userId = newId();
    const headers = { 'Idempotency-Key': newId() };
    await write({ user_id: userId, email: 'a' }, { headers });
    const mismatch = await write({ user_id: userId, email: 'b' }, { headers });
    expect([mismatch.status, mismatch.body.code]).toEqual([422, 'idempotency_mismatch']);
    const device = await write({}, { headers, path: `/users/${userId}/devices` });
    expect([device.status, device.body.code]).toEqual([422, 'idempotency_mismatch']);
    expect((await read(userId)).body).toMatchObject({ email: 'a', devices: [] });
  });

  test('is stored with the status and body of the response', async () => {
    const { prisma } = gateway.database;
    const { text, headers } = await write(
      { user_id: newId() },
      { headers: { 'Idempotency-Key': newId() } },
    );
    const { accountId } = gateway.tenant;
    const row = await prisma.idempotencyKey.findFirst({ where: { accountId, body: text } });
    expect(row).toMatchObject({ status: 200, requestId: headers['x-request-id'] });
  });

  test('allows one of many concurrent callers to write', async () => {
    const userId = newId();
    const headers = { 'Idempotency-Key': newId() };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => write({ user_id: userId, email: 'a' }, { headers })),
    );
    const successes = answers.filter(({ status }) => status === 200);
    expect(new Set(successes.map(({ text }) => text)).size).toBe(1);
    expect(successes.filter((answer) => !answer.headers['idempotent-replayed'])).toHaveLength(1);
    // Calls during the first one are asked to retry.
    const conflicts = answers.filter(({ status }) => status !== 200);
    for (const { status, body } of conflicts) {
      expect([status, body.code]).toEqual([409, 'idempotency_conflict']);
    }
    expect((await write({ user_id: userId, email: 'a' }, { headers })).text).toBe(
      successes[0]?.text,
    );
  });
});

describe('an invalid user write', () => {
  const long = (length: number) => 'x'.repeat(length);
  const rows: [string, object | string, number, string, string?][] = [
    ['invalid JSON', '{"user_id":', 400, 'malformed_json', 'Unable to process JSON'],
    ['an array', '[]', 400, 'invalid_type'],
    ['a user_id as a number', { user_id: 1 }, 400, 'invalid_type', 'user_id must be a string'],
    ['an e-mail as an object', { user_id: 'u', email: {} }, 400, 'invalid_type'],
    ['U+0000', '{"user_id":"a\\u0000b"}', 400, 'hostile_json'],
    ['no user_id', {}, 422, 'validation_failed', 'user_id must not be blank'],
    ['null as user_id', { user_id: null }, 422, 'validation_failed', 'user_id must not be blank'],
    ['an empty user_id', { user_id: '' }, 422, 'validation_failed', 'user_id must not be blank'],
    [
      'a user_id that is too long',
      { user_id: long(256) },
      422,
      'validation_failed',
      'user_id must be at most 255 characters',
    ],
    [
      'a control character in user_id',
      { user_id: 'a\nb' },
      422,
      'validation_failed',
      'user_id must not contain control characters or be "." or ".."',
    ],
    ['a dot as user_id', { user_id: '.' }, 422, 'validation_failed'],
    ['two dots as user_id', { user_id: '..' }, 422, 'validation_failed'],
    [
      'a long e-mail',
      { user_id: 'u', email: long(255) },
      422,
      'validation_failed',
      'email must be at most 254 characters',
    ],
    ['a long phone', { user_id: 'u', mobile: long(33) }, 422, 'validation_failed'],
    ['a long alias', { user_id: 'u', whats_app: long(33) }, 422, 'validation_failed'],
    [
      'a long token',
      { user_id: 'u', slack: { channel_id: 'C', access_token: long(513) } },
      422,
      'validation_failed',
      'slack.access_token must be at most 512 characters',
    ],
    [
      'a new Slack token with neither channel nor e-mail',
      { user_id: 'u', slack: { access_token: 'xoxb-1' } },
      422,
      'validation_failed',
      'slack must have channel_id or email',
    ],
    [
      'preferences that are too large',
      {
        user_id: 'u',
        preferences: { channel_preferences: { [long(17_000)]: { disabled: true } } },
      },
      422,
      'validation_failed',
    ],
  ];

  // Jest treats a parameter without a value in the row as a callback.
  const filled = rows.map(([what, ...rest]) => [what, rest] as const);
  test.each(filled)('with %s leaves no row', async (_, [body, status, code, text]) => {
    const before = await countRows();
    const answer = await write(body, { headers: { 'Idempotency-Key': newId() } });
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code });
    expect(answer.body).toMatchObject({
      success: false,
      error: text ?? expect.any(String),
      request_id: answer.headers['x-request-id'],
    });
    expect(answer.body.errors).toEqual(status === 422 ? [answer.body.error] : undefined);
    expect(await countRows()).toEqual(before);
  });

  test('without a valid key or with an unknown app gets the same errors as every route', async () => {
    const unknown = await write({ user_id: 'u' }, { apiKey: 'bk_nothing' });
    expect([unknown.status, unknown.body.code]).toEqual([401, 'unauthenticated']);
    const nowhere = await write({ user_id: 'u' }, { app: 'app1' });
    expect([nowhere.status, nowhere.body.error]).toEqual([404, 'app not found']);
  });
});

describe('GET /v1/apps/:app_id/users/:user_id', () => {
  test.each([
    'plain',
    'ü ñ 🎉',
    'a/b',
    'a%2Fb',
    'a?b#c',
    "Robert'); --",
    '...',
    'x'.repeat(255),
    ' ',
  ])('finds %j by its percent-encoded ID', async (userId) => {
    const { body } = await write({ user_id: userId });
    const response = await read(userId);
    expect(response.status).toBe(200);
    expect(response.body).toEqual(body);
  });

  test('compares IDs as bytes', async () => {
    const base = newId();
    await write({ user_id: `${base}a` });
    expect((await read(`${base}A`)).status).toBe(404);
    expect((await read(`${base}a `)).status).toBe(404);
  });

  test.each(['/users/nobody', '/users/%07', '/users/a%0Ab', `/users/${'x'.repeat(256)}`])(
    'returns 404 for %j',
    async (path) => {
      const { status, body, headers } = await read('', { path });
      expect({ status, body }).toEqual({
        status: 404,
        body: {
          success: false,
          error: 'user not found',
          code: 'user_not_found',
          request_id: headers['x-request-id'],
        },
      });
    },
  );

  test('returns a JSON 400 for an invalid percent-encoding', async () => {
    const { status, body } = await read('', { path: '/users/%ff' });
    expect([status, body.code]).toEqual([400, 'bad_request']);
  });

  test('ignores an Idempotency-Key, even one that is invalid for POST', async () => {
    const { body } = await write({ user_id: newId() });
    const headers = { 'Idempotency-Key': 'not valid' };
    expect((await read(body.user_id, { headers })).body).toEqual(body);
  });

  test('a user of another account gets the same response as an unknown one', async () => {
    const otherTenant = await gateway.factories.createTenant();
    const userId = newId();
    await write({ user_id: userId }, { app: otherTenant.appId, apiKey: otherTenant.apiKey });
    const ways: [Partial<StoredCall>, Partial<StoredCall>][] = [
      [{ app: otherTenant.appId }, { app: newId() }],
      [{}, { path: '/users/nobody' }],
    ];
    for (const [theirs, nobodys] of ways) {
      const first = await read(userId, theirs);
      const second = await read(userId, nobodys);
      expect(first.status).toBe(404);
      expect({ ...first.body, request_id: '' }).toEqual({ ...second.body, request_id: '' });
      expect(Object.keys(first.headers)).toEqual(Object.keys(second.headers));
    }
    expect(await findRow(userId)).toBeNull();
  });
});

describe('the user bodies that existing clients send', () => {
  test.each<[string, (userId: string) => object]>([
    ['Node', (user_id) => ({ user_id, mobile: '+1', email: null, whats_app: '+2' })],
    ['Python', (user_id) => ({ user_id, mobile: '+1', email: null, whats_app: null })],
    [
      'Java',
      (user_id) => ({
        ...{ user_id, mobile: '+1', email: null, whats_app: null, slack: null, telegram: null },
        onesignal_external_id: null,
      }),
    ],
    [
      'Flutter',
      (user_id) => ({ user_id, mobile: '+1', email: null, preferences: null, devices: null }),
    ],
    ['Android', (user_id) => ({ user_id, mobile: '+1' })],
  ])('%s gets the fields that it decodes, and clears nothing', async (_, buildBody) => {
    const userId = newId();
    await write({ user_id: userId, ...full });
    const { status, body } = await write(buildBody(userId));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ user_id: userId, mobile: '+1', email: 'ana@example.com', devices: [] },
      slack: { access_token: expect.any(String) },
      telegram: { chat_id: '42' },
    });
    expect(Number.isInteger(body.created_at) && Number.isInteger(body.updated_at)).toBe(true);
  });
});
