import { createECDH, createPrivateKey, type ECDH, randomBytes, sign } from 'node:crypto';
import { closeAll, closers } from './raw-calls.fixture';
import { createWebPushSimulator, type WebPushSimulator } from './web-push';

afterAll(closeAll);

type Encrypt = (text: Buffer, options: object) => Buffer;
const { encrypt } = require('http_ece') as { encrypt: Encrypt };

const origin = 'https://push.example.net';
const daySeconds = 24 * 60 * 60;
const nowSeconds = () => Math.floor(Date.now() / 1_000);

function createPair(): ECDH {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  return pair;
}

const server = createPair();
const publicKey = server.getPublicKey('base64url');

/** A VAPID token (RFC 8292, section 2), signed without a library. */
function createToken(claims: object, { alg = 'ES256', pair = server } = {}): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${encode({ typ: 'JWT', alg })}.${encode(claims)}`;
  const point = pair.getPublicKey();
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      ...{ kty: 'EC', crv: 'P-256', d: pair.getPrivateKey('base64url') },
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  });
  const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
  return `${text}.${signature.toString('base64url')}`;
}

const claims = () => ({ aud: origin, exp: nowSeconds() + 3_600, sub: 'mailto:a@example.com' });
const authorize = (token: string, key = publicKey) => `vapid t=${token}, k=${key}`;

let simulator: WebPushSimulator;

beforeAll(async () => {
  simulator = await createWebPushSimulator({ origin });
  closers.push(simulator.close);
});

type Change = { headers?: Record<string, string | undefined>; text?: string; body?: Buffer };

/** A valid request with one change. */
async function push({ headers = {}, text = '{"title":"Hello"}', body }: Change = {}) {
  const { endpoint, keys } = simulator.subscribe();
  const encrypted = encrypt(Buffer.from(text), {
    ...{ version: 'aes128gcm', privateKey: createPair() },
    ...{ dh: keys.p256dh, authSecret: keys.auth, salt: randomBytes(16).toString('base64url') },
  });
  const all = {
    authorization: authorize(createToken(claims())),
    ...{ 'content-encoding': 'aes128gcm', ttl: '60' },
    ...headers,
  };
  const answer = await fetch(simulator.url + new URL(endpoint).pathname, {
    method: 'POST',
    headers: Object.fromEntries(
      Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
    body: new Uint8Array(body ?? encrypted),
  });
  const { status } = answer;
  const received = await answer.text();
  const { errno, message } = received.startsWith('{') ? JSON.parse(received) : {};
  return { status, errno, message, location: answer.headers.get('location') };
}

describe('the simulator of a push service', () => {
  test.each<[string, Change]>([
    ['a message', {}],
    ['every header', { headers: { topic: 'a_B-9', urgency: 'very-low', ttl: '0' } }],
    ['a topic of 32 characters', { headers: { topic: 'x'.repeat(32) } }],
    [
      'a contact URL',
      {
        headers: {
          authorization: authorize(createToken({ ...claims(), sub: 'https://x.example' })),
        },
      },
    ],
    [
      'a token for almost a day',
      {
        headers: {
          authorization: authorize(
            createToken({ ...claims(), exp: nowSeconds() + daySeconds - 60 }),
          ),
        },
      },
    ],
    ['3,993 bytes', { text: 'x'.repeat(3_993) }],
  ])('accepts %s', async (_what, change) => {
    expect(await push(change)).toMatchObject({
      status: 201,
      location: expect.stringMatching(/^https:\/\/push\.example\.net\/m\/m\d+$/),
    });
  });

  const token = (changes: object, options = {}) => ({
    headers: { authorization: authorize(createToken({ ...claims(), ...changes }, options)) },
  });

  test.each<[string, Change, number, number]>([
    ['no TTL', { headers: { ttl: undefined } }, 400, 111],
    ['a TTL that is no number', { headers: { ttl: '1m' } }, 400, 112],
    ['a negative TTL', { headers: { ttl: '-1' } }, 400, 112],
    ['a long topic', { headers: { topic: 'x'.repeat(33) } }, 400, 113],
    ['a topic in base64', { headers: { topic: 'a/b+' } }, 400, 113],
    ['another urgency', { headers: { urgency: 'highest' } }, 400, 110],
    ['another encoding', { headers: { 'content-encoding': 'aesgcm' } }, 400, 110],
    ['no encoding', { headers: { 'content-encoding': undefined } }, 400, 110],
    ['a body for another browser', { body: randomBytes(200) }, 400, 110],
    ['3,994 bytes', { text: 'x'.repeat(3_994) }, 413, 104],
    ['no token', { headers: { authorization: undefined } }, 401, 109],
    [
      'the token of a draft',
      { headers: { authorization: `WebPush ${createToken(claims())}` } },
      401,
      109,
    ],
    ['no signature', token({}, { alg: 'none' }), 401, 109],
    ['the signature of another key', token({}, { pair: createPair() }), 401, 109],
    ['another audience', token({ aud: 'https://push.example.net/' }), 401, 109],
    ['an expired token', token({ exp: nowSeconds() - 1 }), 401, 109],
    ['a token for more than a day', token({ exp: nowSeconds() + daySeconds + 60 }), 401, 109],
    ['no expiry', token({ exp: undefined }), 401, 109],
    ['no contact', token({ sub: undefined }), 401, 109],
    ['a contact without a scheme', token({ sub: 'a@example.com' }), 401, 109],
  ])('refuses %s', async (_what, change, status, errno) => {
    const before = simulator.sends.length;
    expect(await push(change)).toMatchObject({ status, errno });
    expect(simulator.sends).toHaveLength(before);
  });
});
