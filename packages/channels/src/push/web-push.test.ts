import { createECDH } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWebPushSimulator, type WebPushFault } from '@belfry/testing';
import library from 'web-push';
import type { SendCall } from '../channel';
import type { PushContent } from './template';
import { webPush } from './web-push';
import { simulatedVapidKeys } from './web-push.subject.fixture';
import { buildWebPushRequest } from './web-push-request';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const settings = { subject: 'mailto:push@example.com' };
const messageId = '01930000-0000-7000-8000-00000000000a';
const topic = messageId.replaceAll('-', '');
const content: PushContent = {
  title: 'Hello',
  body: 'Grüße',
  image: 'https://x.example/i.png',
  click_action: 'https://x.example/orders',
  data: { order: 'A-1' },
};

type Options = { origin?: string; allowedPrivateHosts?: string[]; hasBaseUrl?: boolean };

async function setUp({ origin, allowedPrivateHosts = [], hasBaseUrl = true }: Options = {}) {
  const simulator = await createWebPushSimulator(origin === undefined ? {} : { origin });
  const baseUrls = hasBaseUrl ? { web_push: simulator.url } : {};
  const sender = webPush.createSender({ baseUrls, allowedPrivateHosts });
  closers.push(simulator.close, sender.close);
  const { endpoint, keys } = simulator.subscribe(simulatedVapidKeys.public_key);
  const send = (changes: Partial<SendCall<PushContent>> = {}) =>
    sender.send({
      ...{ messageId, target: endpoint, content, settings },
      ...{ integrationId: 'i1', integrationVersion: '1', credentials: simulatedVapidKeys },
      webPush: { ...keys, expiresAtMs: Date.now() + 90_500 },
      signal: AbortSignal.timeout(5_000),
      deadlineAt: Date.now() + 5_000,
      ...changes,
    });
  return { simulator, sender, endpoint, keys, send };
}

describe('a message by web push', () => {
  test('is decrypted by the browser, which gets the keys of a data message and the ID for reports', async () => {
    const { simulator, endpoint, send } = await setUp();
    const { outcome } = await send();
    expect(outcome).toEqual({ outcome: 'accepted', providerMessageId: 'm1' });
    expect(simulator.sends).toMatchObject([
      {
        ...{ endpoint, messageId, topic, urgency: 'high', ttl: 90 },
        publicKey: simulatedVapidKeys.public_key,
        claims: { sub: 'mailto:push@example.com' },
        payload: {
          ...{ order: 'A-1', title: 'Hello', body: 'Grüße', image: 'https://x.example/i.png' },
          ...{ click_action: 'https://x.example/orders', raven_notification_id: messageId },
        },
      },
    ]);
  });

  test('is the request that web-push itself would send', async () => {
    const { endpoint, keys, send, simulator } = await setUp();
    await send();
    const { public_key: publicKey, private_key: privateKey } = simulatedVapidKeys;
    const expected = library.generateRequestDetails(
      { endpoint, keys },
      JSON.stringify(simulator.sends[0]?.payload),
      {
        vapidDetails: { ...settings, publicKey, privateKey },
        ...{ TTL: 90, topic, urgency: 'high' },
      },
    );
    const [request] = simulator.requests;
    const { authorization, ...headers } = request?.headers ?? {};
    const texts = Object.entries(expected.headers).map(([name, value]) => [
      name.toLowerCase(),
      String(value),
    ]);
    const { authorization: itsAuthorization, ...itsHeaders } = Object.fromEntries(texts);
    expect(headers).toMatchObject(itsHeaders);
    expect(Object.keys(headers).sort()).toEqual(
      [...Object.keys(itsHeaders), 'connection', 'host'].sort(),
    );
    // The signature and the salt are random; the rest of both is equal.
    expect(readToken(authorization)).toEqual(readToken(itsAuthorization));
    expect(request?.body.length).toBe(expected.body.length);
  });

  test.each([
    [{ urgency: 'low' }, { urgency: 'low', topic, ttl: 90 }],
    [{ topic: 'score' }, { topic: 'score' }],
    [{ ttl: 10 }, { ttl: 10 }],
    [{ ttl: 1_000 }, { ttl: 90 }],
    [{ topic: 'x'.repeat(33) }, { topic }],
  ])('takes %j from the call, and lives no longer than the message', async (payload, expected) => {
    const { simulator, send } = await setUp();
    await send({ payload });
    expect(simulator.sends).toMatchObject([expected]);
  });

  test('that has expired is dropped by the push service, unless the browser is connected', async () => {
    const { simulator, keys, send } = await setUp();
    await send({ webPush: { ...keys, expiresAtMs: Date.now() - 5_000 } });
    expect(simulator.sends).toMatchObject([{ ttl: 0 }]);
  });

  test('replaces an undelivered earlier attempt by its topic, and no other message', async () => {
    const { simulator, send } = await setUp();
    await send();
    await send();
    await send({ messageId: messageId.replace(/a$/, 'b') });
    const [first, second, other] = simulator.sends.map((each) => each.topic);
    expect([first, other]).toEqual([second, topic.replace(/a$/, 'b')]);
  });

  test('shows neither endpoint, keys nor token in the log', async () => {
    const { endpoint, keys, send } = await setUp();
    const described = webPush.describe({ messageId, target: endpoint, content, settings });
    const text = JSON.stringify([await send(), described]);
    expect(text).toContain('"POST https://updates.push.services.mozilla.com/***');
    for (const secret of [
      endpoint,
      keys.auth,
      keys.p256dh,
      simulatedVapidKeys.private_key,
      'eyJ0eXAi',
    ]) {
      expect(text).not.toContain(secret);
    }
  });

  test.each<[string, Partial<SendCall<PushContent>>, string, string]>([
    ['without a key', { credentials: {} }, 'integration', 'incomplete_integration'],
    ['without a contact', { settings: {} }, 'integration', 'incomplete_integration'],
    [
      'without keys of the browser',
      { webPush: undefined } as object,
      'recipient',
      'invalid_subscription',
    ],
    [
      'with a point that is not on the curve',
      { webPush: { p256dh: 'B'.repeat(87), auth: 'A'.repeat(22), expiresAtMs: 1e15 } },
      'recipient',
      'invalid_subscription',
    ],
  ])('%s is refused before any request', async (_what, changes, scope, reason) => {
    const { simulator, send } = await setUp();
    expect((await send(changes)).outcome).toMatchObject({ outcome: 'rejected', scope, reason });
    expect(simulator.requests).toEqual([]);
  });
});

function readToken(authorization: string | undefined) {
  const [, header = '', claims = '', key] =
    /^vapid t=([\w-]+)\.([\w-]+)\.[\w-]+, k=([\w-]+)$/.exec(authorization ?? '') ?? [];
  const parse = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString());
  return { header: parse(header), claims: { ...parse(claims), exp: 0 }, key };
}

describe('a subscription', () => {
  test.each<[string, WebPushFault, string]>([
    ['404', { status: 404, errno: 102 }, 'expired'],
    ['410', { status: 410, errno: 106 }, 'gone'],
    [
      'another public key',
      { reply: { status: 400, body: '{"reason":"VapidPkHashMismatch"}' } },
      'other_key',
    ],
  ])('is switched off after %s', async (_what, fault, reason) => {
    const { simulator, send } = await setUp();
    simulator.fail(fault);
    const { outcome, changes } = await send();
    expect(outcome).toMatchObject({ scope: 'recipient', skip: 'device_gone', reason });
    expect(changes).toEqual([{ change: 'disable_device', reason }]);
  });

  test('of another key or browser, or one that ended, is refused by the push service', async () => {
    const { simulator, send, endpoint } = await setUp();
    const other = simulator.subscribe(createECDH('prime256v1').generateKeys('base64url'));
    const createFacts = (keys: { p256dh: string; auth: string }) => ({
      ...keys,
      expiresAtMs: 1e15,
    });
    expect(
      (await send({ target: other.endpoint, webPush: createFacts(other.keys) })).outcome,
    ).toMatchObject({
      reason: 'other_key',
    });
    expect((await send({ webPush: createFacts(other.keys) })).outcome).toMatchObject({
      reason: 'bad_request',
    });
    simulator.unsubscribe(endpoint);
    expect((await send()).outcome).toMatchObject({ reason: 'gone' });
    expect(simulator.sends).toEqual([]);
  });
});

describe('an endpoint that is no push service of a browser', () => {
  const origin = 'https://push.attacker.example';

  // Any user can add a device with an endpoint of their own.
  test.each<[string, WebPushFault]>([
    ['401', { status: 401, errno: 109 }],
    ['403', { reply: { status: 403, body: 'no' } }],
    ['a wait of an hour', { reply: { status: 429, body: '', headers: { 'retry-after': '3600' } } }],
    ['503', { status: 503, errno: 201 }],
    ['a broken connection', { reset: 'before' }],
  ])('cannot stop the messages of others with %s', async (_what, fault) => {
    const { simulator, send } = await setUp({ origin });
    simulator.fail(fault);
    const { outcome } = await send();
    expect(outcome).not.toHaveProperty('slows');
    if (outcome.outcome !== 'unknown') expect(outcome).toMatchObject({ sparesIntegration: true });
  });

  test('cannot open the circuit with timeouts, unlike a known push service', async () => {
    const deadline = () => ({ signal: AbortSignal.timeout(100), deadlineAt: Date.now() + 100 });
    for (const [place, reason] of [
      [{ origin }, 'endpoint_unreachable'],
      [{}, 'timeout'],
    ] as const) {
      const { simulator, send } = await setUp(place);
      simulator.fail({ hang: true });
      expect((await send(deadline())).outcome).toMatchObject({ outcome: 'unknown', reason });
    }
  });

  test.each([
    ['https://127.0.0.1/push', 'The endpoint must have a public address.'],
    ['https://[::1]/push', 'The endpoint must have a public address.'],
    ['https://169.254.169.254/latest', 'The endpoint must have a public address.'],
    ['https://localhost/push', 'The endpoint must have a public address.'],
    ['https://push.example.com:8443/x', 'The endpoint must use port 443.'],
    ['http://push.example.com/x', 'The endpoint must use https.'],
    ['https://android.googleapis.com/gcm/send/x', 'Google ended this push service in 2019.'],
  ])('is not called at %s', async (target, detail) => {
    const { send } = await setUp({ hasBaseUrl: false });
    expect((await send({ target })).outcome).toEqual({
      ...{ outcome: 'rejected', scope: 'recipient', reason: 'endpoint_refused' },
      detail,
    });
  });

  test('is called on a private host that the operator allows by name', async () => {
    const server = createServer((_request, response) => response.writeHead(201).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(() => new Promise((resolve) => server.close(() => resolve())));
    const { port } = server.address() as AddressInfo;
    const { send } = await setUp({ hasBaseUrl: false, allowedPrivateHosts: ['127.0.0.1'] });
    const target = `http://127.0.0.1:${port}/push`;
    expect((await send({ target })).outcome).toEqual({
      outcome: 'accepted',
      providerMessageId: messageId,
    });
  });
});

describe('an integration of web push', () => {
  const testIt = async (changes: { settings?: object; credentials?: object } = {}) => {
    const { sender } = await setUp();
    const input = { settings, credentials: simulatedVapidKeys, ...changes };
    return sender.test({ ...input, signal: AbortSignal.timeout(5_000) } as never);
  };

  test('is tested by a signature that its public key verifies, and says that nobody was called', async () => {
    expect(await testIt()).toEqual({
      isWorking: true,
      detail: expect.stringMatching(/mailto:push@example\.com.*No push service was called/),
    });
    expect(await testIt({ credentials: {} })).toMatchObject({ isWorking: false });
  });

  test('gets a new valid pair of keys each time', async () => {
    const pairs = [await webPush.makeCredentials?.(), await webPush.makeCredentials?.()];
    for (const credentials of pairs) {
      expect(webPush.check({ settings, credentials: credentials ?? {} })).toEqual([]);
    }
    expect(pairs[0]).not.toEqual(pairs[1]);
  });

  test.each([
    [{ subject: 'mailto:a@localhost' }, {}, /^subject must have a public host name/],
    [{ subject: 'https://localhost' }, {}, /^subject /],
    [{ subject: 'https://x.localhost/a' }, {}, /^subject /],
    [settings, { public_key: 'B'.repeat(87) }, /^public_key does not belong/],
    [settings, { private_key: 'A'.repeat(43) }, /^private_key is not/],
  ])('with %j %j is refused', (own, keys, problem) => {
    const credentials = { ...simulatedVapidKeys, ...keys };
    expect(webPush.check({ settings: own, credentials })).toEqual([expect.stringMatching(problem)]);
  });

  test('signs a token that is valid for less than a day', async () => {
    const { keys, endpoint } = await setUp();
    const { public_key: publicKey, private_key: privateKey } = simulatedVapidKeys;
    const { headers } = await buildWebPushRequest(
      { messageId, target: endpoint, content, settings },
      { ...settings, publicKey, privateKey },
      { ...keys, expiresAtMs: Date.now() + 60_000 },
    );
    const [, claims = ''] = (headers['Authorization'] ?? '').split('.');
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    expect(exp - Date.now() / 1_000).toBeLessThan(24 * 60 * 60);
  });
});
