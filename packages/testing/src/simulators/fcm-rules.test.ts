import { createSign } from 'node:crypto';
import { createFcmSimulator, simulatedServiceAccount } from './fcm';
import { closeAll, closers, post } from './raw-calls.fixture';

afterAll(closeAll);

// Each row is a valid request with one change.
describe('the simulator of FCM', () => {
  const account = JSON.parse(simulatedServiceAccount());
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const seconds = Math.floor(Date.now() / 1_000);
  const claims = {
    iss: account.client_email,
    aud: 'https://oauth2.googleapis.com/token',
    scope: 'https://www.googleapis.com/auth/firebase.messaging',
    iat: seconds,
    exp: seconds + 3_600,
  };
  let url: string;
  let token: string;

  function sign(body: object, { alg = 'RS256' } = {}): string {
    const text = `${encode({ alg, typ: 'JWT' })}.${encode(body)}`;
    const signature = createSign('RSA-SHA256').update(text).sign(account.private_key, 'base64url');
    return `${text}.${signature}`;
  }

  const requestToken = (assertion: string, headers: Record<string, string> = form) =>
    post(`${url}/token`, {
      headers,
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion,
      }).toString(),
    });

  const send = (message: object, headers: Record<string, string> = {}) =>
    post(`${url}/v1/projects/simulated-project/messages:send`, {
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify({ message }),
    });

  beforeAll(async () => {
    const simulator = await createFcmSimulator();
    closers.push(simulator.close);
    ({ url } = simulator);
    const { body } = await requestToken(sign(claims));
    token = String(body['access_token']);
  });

  test.each<[string, string]>([
    ['another algorithm', sign(claims, { alg: 'HS256' })],
    ['another endpoint', sign({ ...claims, aud: 'https://x.example' })],
    ['another scope', sign({ ...claims, scope: 'https://www.googleapis.com/auth/drive' })],
    ['an unknown account', sign({ ...claims, iss: 'ana@example.com' })],
    ['more than an hour', sign({ ...claims, exp: seconds + 7_200 })],
    ['an expired assertion', sign({ ...claims, iat: seconds - 7_200, exp: seconds - 3_600 })],
    ['a wrong signature', `${sign(claims).split('.').slice(0, 2).join('.')}.${'A'.repeat(342)}`],
    ['no signature', sign(claims).split('.').slice(0, 2).join('.')],
  ])('issues no access token for %s', async (_what, assertion) => {
    expect(await requestToken(assertion)).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });

  test('issues no access token for JSON', async () => {
    const answer = await requestToken(sign(claims), { 'content-type': 'application/json' });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test.each<[string, object]>([
    ['a token', { token: 'a:b', notification: { title: 'x' } }],
    ['a topic', { topic: 'news', data: { k: 'v', from_user: 'x' } }],
    ['4,096 bytes', { token: 'a', data: { k: 'x'.repeat(4_095) } }],
  ])('accepts %s', async (_what, message) => {
    expect((await send(message)).status).toBe(200);
  });

  const to = { token: 'a' };
  test.each<[string, object]>([
    ['no target', { data: {} }],
    ['two targets', { token: 'a', topic: 'b' }],
    ['a token with a space', { token: 'a b' }],
    ['a topic with a space', { topic: 'a b' }],
    ['a number in the data', { ...to, data: { k: 1 } }],
    ['a reserved key', { ...to, data: { from: 'x' } }],
    ['a key with a reserved prefix', { ...to, data: { 'google.x': 'x' } }],
    ['4,097 bytes', { ...to, data: { k: 'x'.repeat(4_096) } }],
    ['2,049 bytes to a topic', { topic: 'a', data: { k: 'x'.repeat(2_048) } }],
    ['an unknown field', { ...to, title: 'x' }],
    ['a field of another platform', { ...to, notification: { sound: 'x' } }],
    ['an unknown priority', { ...to, android: { priority: 'urgent' } }],
    ['a lifetime over 4 weeks', { ...to, android: { ttl: '2419201s' } }],
    ['a color name', { ...to, android: { notification: { color: 'red' } } }],
    [
      'a collapse ID of 65 bytes',
      { ...to, apns: { headers: { 'apns-collapse-id': 'x'.repeat(65) } } },
    ],
    ['a link without https', { ...to, webpush: { fcm_options: { link: 'http://x.org' } } }],
    ['a label with a space', { ...to, fcm_options: { analytics_label: 'a b' } }],
  ])('refuses %s', async (_what, message) => {
    const answer = await send(message);
    expect(answer).toMatchObject({ status: 400, body: { error: { status: 'INVALID_ARGUMENT' } } });
  });

  test('refuses another token, and another content type', async () => {
    expect((await send(to, { authorization: 'Bearer x' })).status).toBe(401);
    expect((await send(to, { 'content-type': 'text/plain' })).status).toBe(400);
  });
});
