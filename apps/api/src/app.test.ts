import { AppError, createApiKey } from '@belfry/shared';
import request, { type Test } from 'supertest';
import { appId, createGateway, otherAppId, sendPath } from './gateway.fixture';

type Gateway = ReturnType<typeof createGateway>;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function send(gateway: Gateway, body: string | object): Test {
  return request(gateway.server)
    .post(sendPath)
    .set('Authorization', gateway.auth)
    .set('Content-Type', 'application/json')
    .send(body);
}

describe('POST /v1/apps/:app_id/events/send', () => {
  test('returns the request ID twice and passes on the parsed send', async () => {
    const gateway = createGateway();
    const body = {
      event: 'order_shipped',
      user: { user_id: 'u1', email: 'a@example.com', toy_address: 'T1' },
      data: { user_name: 'Ann', list: [1, null] },
      override: { toy: { colour: 'red' } },
    };
    const response = await send(gateway, body).set('Idempotency-Key', '"k-1"');
    expect(response.status).toBe(200);
    expect(response.text).toBe(
      `{"request_id":"${response.headers['x-request-id']}","id":"${response.headers['x-request-id']}","success":true}`,
    );
    expect(response.headers['x-request-id']).toMatch(uuid);
    expect(gateway.sent).toEqual([
      {
        callId: response.headers['x-request-id'],
        accountId: 'account_1',
        apiKeyId: gateway.keyId,
        app: {
          id: appId,
          accountId: 'account_1',
          delivery: 'sandbox',
          defaultRegion: null,
          isStorageFull: false,
        },
        eventName: 'order_shipped',
        item: { user: body.user, data: body.data, override: body.override },
        idempotencyKey: '"k-1"',
        key: {
          hash: expect.any(Buffer),
          fingerprint: expect.any(Buffer),
          ringKeyId: 'k1',
          status: 200,
        },
      },
    ]);
  });

  test('marks a replay and returns the first response under its own X-Request-Id', async () => {
    const gateway = createGateway({
      runIdempotentRequest: async (_call, work) => ({
        status: 200,
        body: work.buildBody?.('first') ?? '',
        isReplay: true,
      }),
    });
    const response = await send(gateway, { event: 'e' });
    expect(response.body).toEqual({ request_id: 'first', id: 'first', success: true });
    expect(response.headers['idempotent-replayed']).toBe('true');
    expect(response.headers['x-request-id']).toMatch(uuid);
  });

  test.each([
    ['a trailing slash', `${sendPath}/`],
    ['query parameters', `${sendPath}?app_id=${appId}&x[y]=1`],
    ['an app ID in upper case', sendPath.replace(appId, appId.toUpperCase())],
  ])('accepts %s', async (_, path) => {
    const gateway = createGateway();
    const response = await request(gateway.server)
      .post(path)
      .set('Authorization', gateway.auth)
      .send({ event: 'e' });
    expect(response.status).toBe(200);
    expect(gateway.sent[0]?.app.id).toBe(appId);
  });

  test.each([['AuthKey'], ['authkey'], ['AUTHKEY']])('accepts the scheme %s', async (scheme) => {
    const gateway = createGateway();
    const response = await send(gateway, { event: 'e' }).set(
      'Authorization',
      `${scheme} ${gateway.key}`,
    );
    expect(response.status).toBe(200);
  });

  test.each([
    ['Node', '{"event":"e","data":{}}'],
    ['Python', '{"event":"e","data":{},"user":null,"scheduleAt":null,"override":null}'],
    [
      'Java',
      '{"data":{},"scheduleAt":null,"override":{"email":null,"sms":null,"providers":{}},"event":"e","user":{"user_id":"u","mobile":null,"slack":null,"fcm_tokens":null,"preferences":null}}',
    ],
    ['Go', '{"event":"e","user":null}\n'],
    ['Android', '{"event":"e","locale":"en","user":{"user_id":"u"}}'],
  ])('accepts the body of the %s client', async (_, body) => {
    const gateway = createGateway();
    expect((await send(gateway, body)).status).toBe(200);
    expect(JSON.stringify(gateway.sent[0]?.item)).not.toContain('null');
  });

  test('accepts the content type with a parameter and in any letter case', async () => {
    const gateway = createGateway();
    const response = await send(gateway, '{"event":"e"}').set(
      'Content-Type',
      'Application/JSON ; charset=utf-8',
    );
    expect(response.status).toBe(200);
  });
});

describe('errors', () => {
  const longKey = 'k'.repeat(256);
  const lateAppId = '0197f0c0-0000-7000-8000-00000000000f';
  const json = 'Unable to process JSON';
  const noApp = { status: 404, code: 'app_not_found', error: 'app not found' };
  const notJson = { status: 400, code: 'malformed_json', error: json, message: json };
  const wrongType = { status: 400, code: 'invalid_type', message: json };
  const hostile = {
    status: 400,
    code: 'hostile_json',
    error: expect.stringContaining('The JSON is refused: '),
  };
  const badKey = {
    status: 400,
    code: 'idempotency_key_invalid',
    error: 'the Idempotency-Key must be sent once, with 1 to 255 characters (bytes)',
  };
  const noKey = { status: 401, code: 'unauthenticated' };
  const notThere = { status: 404, code: 'not_found', error: 'route not found' };
  const tooLarge = {
    status: 413,
    code: 'body_too_large',
    error: 'the body must be at most 20000 bytes',
  };
  const wrongMedia = { status: 415, code: 'unsupported_media_type' };
  const invalid = (problem: string) => ({
    status: 422,
    code: 'validation_failed',
    error: problem,
    errors: [problem],
  });

  type Expected = { status: number; [member: string]: unknown };
  type Ask = (gateway: Gateway) => Test;

  const rows: [string, Expected, Ask][] = [
    ['a body that is not JSON', notJson, (g) => send(g, '{"event":')],
    ['an empty body', notJson, (g) => send(g, '')],
    [
      'no body at all',
      notJson,
      (g) => request(g.server).post(sendPath).set('Authorization', g.auth),
    ],
    [
      'a field of the wrong type',
      { ...wrongType, error: 'event must be a string' },
      (g) => send(g, { event: {} }),
    ],
    [
      'a phone as a number',
      { ...wrongType, error: 'user.mobile must be a string' },
      (g) => send(g, { event: 'e', user: { mobile: 1 } }),
    ],
    [
      'an array as the body',
      { ...wrongType, error: 'body must be an object' },
      (g) => send(g, '[]'),
    ],
    ['null as the body', { ...wrongType, error: 'body must be an object' }, (g) => send(g, 'null')],
    [
      'JSON that is too deep',
      hostile,
      (g) => send(g, `{"data":${'['.repeat(40)}${']'.repeat(40)}}`),
    ],
    [
      'too many keys',
      hostile,
      (g) =>
        send(g, {
          event: 'e',
          data: Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [i, 0])),
        }),
    ],
    ['U+0000', hostile, (g) => send(g, '{"event":"e","data":{"a":"\\u0000"}}')],
    ['a lone surrogate', hostile, (g) => send(g, '{"event":"e","data":{"a":"\\ud800"}}')],
    ['a number that is not finite', hostile, (g) => send(g, '{"event":"e","data":{"a":1e400}}')],
    ['__proto__', hostile, (g) => send(g, '{"event":"e","unknown":{"__proto__":{}}}')],
    [
      '__proto__ inside a constructor',
      hostile,
      (g) => send(g, '{"event":"e","data":{"constructor":{"__proto__":{}}}}'),
    ],
    ['a missing event', invalid('event must not be blank'), (g) => send(g, {})],
    ['an event that is null', invalid('event must not be blank'), (g) => send(g, { event: null })],
    ['a blank event', invalid('event must not be blank'), (g) => send(g, { event: ' ' })],
    [
      'an event that is too long',
      invalid('event must be at most 128 characters'),
      (g) => send(g, { event: 'e'.repeat(129) }),
    ],
    [
      'a Slack object without a recipient',
      invalid('user.slack must have channel_id or email'),
      (g) => send(g, { event: 'e', user: { slack: { access_token: 't', email: null } } }),
    ],
    [
      'an integer beyond 2^53 - 1',
      invalid('data.id must be sent as a string'),
      (g) => send(g, '{"event":"e","data":{"id":9007199254740993}}'),
    ],
    [
      'an unreadable time',
      invalid('schedule_at must be epoch milliseconds or an ISO 8601 time'),
      (g) => send(g, { event: 'e', schedule_at: 'soon' }),
    ],
    [
      'a time too far ahead',
      invalid('override.toy.schedule_at must be at most 366 days ahead'),
      (g) => send(g, { event: 'e', override: { toy: { schedule_at: '2030-01-01' } } }),
    ],
    [
      'no Authorization',
      { ...noKey, error: 'the Authorization header is missing: send "AuthKey <API key>"' },
      (g) => request(g.server).post(sendPath).send({ event: 'e' }),
    ],
    [
      'an empty Authorization',
      { ...noKey, error: 'the Authorization header must be "AuthKey <API key>"' },
      (g) => send(g, {}).set('Authorization', ''),
    ],
    [
      'another scheme',
      { ...noKey, error: 'the Authorization header must be "AuthKey <API key>"' },
      (g) => send(g, {}).set('Authorization', `Bearer ${g.key}`),
    ],
    [
      'a key without scheme',
      {
        ...noKey,
        error: 'the Authorization header has only the API key: it must be "AuthKey <API key>"',
      },
      (g) => send(g, {}).set('Authorization', g.key),
    ],
    [
      'an unknown key',
      { ...noKey, error: 'the API key is not valid' },
      (g) => send(g, {}).set('Authorization', `AuthKey ${createApiKey().key}`),
    ],
    [
      'a malformed key',
      { ...noKey, error: 'the API key is not valid' },
      (g) => send(g, {}).set('Authorization', 'AuthKey x'),
    ],
    [
      'an unknown app',
      noApp,
      (g) =>
        request(g.server)
          .post(sendPath.replace(appId, lateAppId))
          .set('Authorization', g.auth)
          .send({ event: 'e' }),
    ],
    [
      'another account’s app',
      noApp,
      (g) =>
        request(g.server)
          .post(sendPath.replace(appId, otherAppId))
          .set('Authorization', g.auth)
          .send({ event: 'e' }),
    ],
    [
      'an app ID that is not a UUID',
      noApp,
      (g) =>
        request(g.server)
          .post('/v1/apps/app1/events/send')
          .set('Authorization', g.auth)
          .send({ event: 'e' }),
    ],
    [
      'an app ID with SQL in it',
      noApp,
      (g) =>
        request(g.server)
          .post(`/v1/apps/${encodeURIComponent("' or 1=1; --")}/events/send`)
          .set('Authorization', g.auth)
          .send({}),
    ],
    [
      'a body whose declared size is too large',
      tooLarge,
      (g) => send(g, { event: 'e'.repeat(20_000) }),
    ],
    [
      'another content type',
      { ...wrongMedia, error: 'the content type must be application/json' },
      (g) => send(g, 'event=e').set('Content-Type', 'application/x-www-form-urlencoded'),
    ],
    [
      'a content type that only starts like JSON',
      { ...wrongMedia, error: 'the content type must be application/json' },
      (g) => send(g, '{}').set('Content-Type', 'application/json-patch+json'),
    ],
    [
      'a compressed body',
      { ...wrongMedia, error: 'the body must not be compressed' },
      (g) => send(g, '{}').set('Content-Encoding', 'gzip'),
    ],
    ['an empty key', badKey, (g) => send(g, { event: 'e' }).set('Idempotency-Key', '')],
    [
      'a key over 255 characters',
      badKey,
      (g) => send(g, { event: 'e' }).set('Idempotency-Key', longKey),
    ],
    ['an unknown route', notThere, (g) => request(g.server).post('/v1/nothing').send({})],
    [
      'an unknown route with credentials',
      notThere,
      (g) => request(g.server).get(`/v1/apps/${appId}/nothing`).set('Authorization', g.auth),
    ],
    [
      'another method',
      notThere,
      (g) => request(g.server).get(sendPath).set('Authorization', g.auth),
    ],
    [
      'OPTIONS, as there is no CORS',
      notThere,
      (g) => request(g.server).options(sendPath).set('Origin', 'https://a.example'),
    ],
    [
      'an empty app ID',
      notThere,
      (g) => request(g.server).post('/v1/apps//events/send').set('Authorization', g.auth).send({}),
    ],
    [
      'a path that is not percent-encoded',
      { status: 400, code: 'bad_request', error: 'the URL must be percent-encoded UTF-8' },
      (g) =>
        request(g.server).post('/v1/apps/%zz/events/send').set('Authorization', g.auth).send({}),
    ],
    [
      'a path in another letter case',
      notThere,
      (g) =>
        request(g.server)
          .post(sendPath.replace('events', 'EVENTS'))
          .set('Authorization', g.auth)
          .send({}),
    ],
  ];

  test.each(rows)(
    '%s has the exact status and body, and passes nothing on',
    async (_, expected, sendCall) => {
      const gateway = createGateway();
      const response = await sendCall(gateway);
      const { status, ...members } = expected;
      expect(response.status).toBe(status);
      expect(response.body).toEqual({
        success: false,
        ...members,
        request_id: response.headers['x-request-id'],
      });
      expect(gateway.sent).toEqual([]);
    },
  );

  test.each(rows)('%s has the common response headers', async (_, _expected, sendCall) => {
    const response = await sendCall(createGateway());
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-request-id': expect.stringMatching(uuid),
      'x-content-type-options': 'nosniff',
      'x-belfry-version': expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
    expect(
      Object.keys(response.headers).filter((name) =>
        /^access-control|powered|etag|location/.test(name),
      ),
    ).toEqual([]);
    expect(response.headers['www-authenticate']).toBe(
      response.status === 401 ? 'AuthKey' : undefined,
    );
  });

  test.each<[string, AppError, Expected, Record<string, string>]>([
    [
      'an unknown event',
      new AppError('event_not_found', 'event not found'),
      { status: 404, code: 'event_not_found', error: 'event not found' },
      {},
    ],
    [
      'an event whose name is not ASCII, with all of its bytes',
      new AppError('event_not_found', 'Größe 🎉'),
      { status: 404, code: 'event_not_found', error: 'Größe 🎉' },
      {},
    ],
    [
      'the same with other headers',
      new AppError('event_not_found', 'Größe 🎉', { headers: { 'Retry-After': '3' } }),
      { status: 404, code: 'event_not_found', error: 'Größe 🎉' },
      { 'retry-after': '3' },
    ],
    [
      'a draft',
      new AppError('event_not_live', 'draft'),
      { status: 400, code: 'event_not_live', error: 'draft' },
      {},
    ],
    [
      'a key reused with other parameters',
      new AppError('idempotency_mismatch', 'm'),
      { status: 422, code: 'idempotency_mismatch', error: 'm' },
      {},
    ],
    [
      'a key in flight',
      new AppError('idempotency_conflict', 'c', { headers: { 'Retry-After': '1' } }),
      { status: 409, code: 'idempotency_conflict', error: 'c' },
      { 'retry-after': '1' },
    ],
    [
      'an unavailable database',
      new AppError('unavailable', 'u', { headers: { 'Retry-After': '2' } }),
      { status: 503, code: 'unavailable', error: 'u' },
      { 'retry-after': '2' },
    ],
    [
      'an unavailable database without a retry time',
      new AppError('unavailable', 'u'),
      { status: 503, code: 'unavailable', error: 'u' },
      { 'retry-after': '1' },
    ],
  ])(
    'an error of the pipeline passes through unchanged: %s',
    async (_, error, { status, ...members }, headers) => {
      const gateway = createGateway({ sendEvent: () => Promise.reject(error) });
      const response = await send(gateway, { event: 'e' });
      expect(response.status).toBe(status);
      expect(response.body).toEqual({
        success: false,
        ...members,
        request_id: response.headers['x-request-id'],
      });
      expect(response.headers).toMatchObject(headers);
    },
  );

  test.each<[string, unknown]>([
    ['an Error', new Error('relation "secret_table" does not exist')],
    ['a thrown string', 'secret_table'],
    ['nothing', undefined],
  ])(
    'an internal error reveals nothing of its cause (%s) and is logged with the request ID',
    async (_, cause) => {
      const gateway = createGateway({ sendEvent: () => Promise.reject(cause) });
      const response = await send(gateway, { event: 'e' });
      expect(response.status).toBe(500);
      expect(response.body).toEqual({
        success: false,
        error: 'internal error',
        code: 'internal',
        request_id: response.headers['x-request-id'],
      });
      const logged = gateway.lines.find((line) => line['message'] === 'call.failed');
      expect(logged).toMatchObject({
        level: 'error',
        request_id: response.headers['x-request-id'],
      });
    },
  );

  test('another account’s app and an unknown one get identical responses except for the request ID', async () => {
    const gateway = createGateway();
    const sendToApp = async (id: string) => {
      const response = await request(gateway.server)
        .post(sendPath.replace(appId, id))
        .set('Authorization', gateway.auth)
        .send({});
      const { 'x-request-id': _id, date: _date, ...headers } = response.headers;
      return { status: response.status, body: { ...response.body, request_id: '' }, headers };
    };
    expect(await sendToApp(otherAppId)).toEqual(await sendToApp(lateAppId));
    expect(await sendToApp(otherAppId)).toEqual(await sendToApp('no-uuid'));
  });

  test('a known key ID with a wrong secret gets 401 and records no use', async () => {
    const { secretHash } = createApiKey();
    const used: string[] = [];
    const gateway = createGateway({
      findApiKey: async () => ({ accountId: 'account_1', secretHash }),
      recordKeyUse: (id) => used.push(id),
    });
    expect((await send(gateway, { event: 'e' })).status).toBe(401);
    expect(gateway.sent).toEqual([]);
    expect(used).toEqual([]);
  });

  test('each call records one use of its key', async () => {
    const used: string[] = [];
    const gateway = createGateway({ recordKeyUse: (id) => used.push(id) });
    expect((await send(gateway, { event: 'e' })).status).toBe(200);
    expect(used).toEqual([gateway.keyId]);
  });

  test('a key with a wrong checksum causes no look-up', async () => {
    const queriedIds: string[] = [];
    const gateway = createGateway({
      findApiKey: async (id) => {
        queriedIds.push(id);
        return undefined;
      },
      findApp: async (id) => {
        queriedIds.push(id);
        return undefined;
      },
    });
    await send(gateway, {}).set('Authorization', `${gateway.auth.slice(0, -1)}_`);
    expect(queriedIds).toEqual([]);
  });

  test('an app ID that is not a UUID causes no look-up', async () => {
    const queriedIds: string[] = [];
    const gateway = createGateway({
      findApp: async (id) => {
        queriedIds.push(id);
        return undefined;
      },
    });
    for (const id of ['app1', `${appId}0`, `%20${appId}`, `${appId}%0A`, 'null']) {
      const path = `/v1/apps/${id}/events/send`;
      const response = await request(gateway.server).post(path).set('Authorization', gateway.auth);
      expect(response.body.code).toBe('app_not_found');
    }
    expect(queriedIds).toEqual([]);
  });
});

describe('the order of checks', () => {
  const bad = {
    key: (test: Test) => test.set('Authorization', 'AuthKey x'),
    size: (test: Test) => test.send(' '.repeat(30_000)),
    type: (test: Test) => test.set('Content-Type', 'text/plain'),
    idempotencyKey: (test: Test) => test.set('Idempotency-Key', ''),
    json: (test: Test) => test.send('{"__proto__":'),
    schema: (test: Test) => test.send('{}'),
  };
  const at = (path: string) => (g: Gateway) =>
    request(g.server)
      .post(path)
      .set('Authorization', g.auth)
      .set('Content-Type', 'application/json');

  test.each<[string, (g: Gateway) => Test]>([
    [
      'unauthenticated',
      (g) => bad.idempotencyKey(bad.type(bad.key(bad.size(at('/v1/apps/x/events/send')(g))))),
    ],
    [
      'app_not_found',
      (g) => bad.idempotencyKey(bad.type(bad.size(at('/v1/apps/x/events/send')(g)))),
    ],
    ['body_too_large', (g) => bad.idempotencyKey(bad.type(bad.size(at(sendPath)(g))))],
    ['unsupported_media_type', (g) => bad.idempotencyKey(bad.json(bad.type(at(sendPath)(g))))],
    ['idempotency_key_invalid', (g) => bad.idempotencyKey(bad.json(at(sendPath)(g)))],
    ['malformed_json', (g) => bad.json(at(sendPath)(g))],
    ['validation_failed', (g) => bad.schema(at(sendPath)(g))],
  ])('checks %s before all later checks', async (code, sendCall) => {
    const gateway = createGateway({
      sendEvent: () => Promise.reject(new AppError('event_not_found', '')),
    });
    expect((await sendCall(gateway)).body.code).toBe(code);
  });
});

describe('the access log', () => {
  test('writes one line for each call, with route template and IDs but no content', async () => {
    const gateway = createGateway();
    const response = await send(gateway, {
      event: 'secret_event',
      user: { email: 'ann@example.com' },
    })
      .query({ token: 'query_secret' })
      .set('Idempotency-Key', 'key_secret');
    const calls = gateway.lines.filter((line) => line['message'] === 'call');
    expect(calls).toEqual([
      {
        level: 'info',
        message: 'call',
        timestamp: expect.any(String),
        process: 'api',
        method: 'POST',
        route: '/v1/apps/:app_id/events/send',
        status: 200,
        duration_ms: expect.any(Number),
        request_id: response.headers['x-request-id'],
        account_id: 'account_1',
        app_id: appId,
      },
    ]);
    expect(JSON.stringify(gateway.lines)).not.toMatch(new RegExp(`secret|ann@|${gateway.key}`));
  });

  test('omits the path of an unknown route', async () => {
    const gateway = createGateway();
    await request(gateway.server).get('/v1/users/ann@example.com');
    expect(gateway.lines).toMatchObject([{ message: 'call', route: 'none', status: 404 }]);
    expect(JSON.stringify(gateway.lines)).not.toContain('ann@');
  });
});

describe('a restored copy that no operator has confirmed', () => {
  test.each([
    ['a send', sendPath, { event: 'e' }],
    ['a bulk', sendPath.replace(/send$/, 'bulk_send'), { event: 'e', items: [] }],
  ])('refuses %s with 503 and what to do, and accepts nothing', async (_, path, body) => {
    const gateway = createGateway({ isPaused: () => true });
    const response = await request(gateway.server)
      .post(path)
      .set('Authorization', gateway.auth)
      .send(body);
    expect(response.status).toBe(503);
    expect(response.headers['retry-after']).toBe('60');
    expect(response.text).toContain('belfry installation confirm');
    expect([gateway.sent, gateway.sentInBulk]).toEqual([[], []]);
  });
});
