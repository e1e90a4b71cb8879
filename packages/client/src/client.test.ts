import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type BelfryOptions, createBelfryClient } from './index';

const good = { baseUrl: 'https://notify.example.com', apiKey: 'bk_secret', appId: 'app-1' };
const answer = () => Response.json({ success: true });

function setUp(changes: Partial<BelfryOptions> = {}) {
  const calls: { url: string; init: RequestInit }[] = [];
  const belfry = createBelfryClient({
    ...good,
    fetch: async (url, init) => {
      calls.push({ url, init });
      return answer();
    },
    ...changes,
  });
  return { belfry, calls };
}

describe('createBelfryClient', () => {
  test.each<[string, object, string]>([
    ['a host name instead of a URL', { baseUrl: 'notify' }, 'baseUrl must be a URL'],
    ['another scheme', { baseUrl: 'ftp://notify.example.com' }, 'baseUrl must be a URL'],
    [
      'a password in the URL',
      { baseUrl: 'https://a:b@notify.example.com' },
      'must not contain a user',
    ],
    ['plain HTTP', { baseUrl: 'http://notify.example.com' }, 'must start with https://'],
    [
      'a host that only looks like this machine',
      { baseUrl: 'http://127.0.0.1.example.com' },
      'https',
    ],
    ['no key', { apiKey: undefined }, 'apiKey is missing: set the API key of the account'],
    ['an empty key', { apiKey: '' }, 'apiKey is missing: set the API key of the account'],
    [
      'a URL with the version',
      { baseUrl: 'https://notify.example.com/v1' },
      'baseUrl must not end in /v1, which the client adds: use https://notify.example.com',
    ],
    [
      'a URL with a prefix, the version and a slash',
      { baseUrl: 'https://example.com/belfry/v1/' },
      'baseUrl must not end in /v1, which the client adds: use https://example.com/belfry',
    ],
    [
      'a URL with the app',
      { baseUrl: 'https://notify.example.com/v1/apps/app-1/' },
      'baseUrl must not end in /v1/apps/app-1, which the client adds: use https://notify.example.com',
    ],
    ['a key with its scheme', { apiKey: 'AuthKey bk_secret' }, 'apiKey must be only the key'],
    ['a key with a line break', { apiKey: 'bk_secret\n' }, 'apiKey must be only the key'],
    ['no app', { appId: undefined }, 'appId is missing: set the id of the app'],
    ['no URL', { baseUrl: '' }, 'baseUrl is missing: set the URL of the gateway'],
    ['an app id that changes the path', { appId: '..' }, 'appId must be'],
    ['a timeout of zero', { timeoutMs: 0 }, 'timeoutMs must be a whole number'],
    ['endless retries', { retries: Number.POSITIVE_INFINITY }, 'retries must be a whole number'],
  ])('rejects %s without showing the key', (_title, changes, text) => {
    // Callers without types can pass this.
    const create = () => createBelfryClient({ ...good, ...changes } as BelfryOptions);
    expect(create).toThrow(TypeError);
    expect(create).toThrow(text);
    expect(create).not.toThrow('bk_secret');
  });

  test('lists all missing options at once', () => {
    // Callers without types can do this.
    const create = () => (createBelfryClient as (options?: object) => unknown)();
    expect(create).toThrow(
      new TypeError(
        'baseUrl is missing: set the URL of the gateway, such as https://notify.example.com; ' +
          'apiKey is missing: set the API key of the account, which starts with bk_; ' +
          'appId is missing: set the id of the app, which the dashboard shows. ' +
          'Check that your environment variables are set.',
      ),
    );
  });

  test.each([
    [{ baseUrl: 'http://127.0.0.1:4400' }, 'http://127.0.0.1:4400/v1/apps/app-1/users/u'],
    [{ baseUrl: 'http://localhost/' }, 'http://localhost/v1/apps/app-1/users/u'],
    [{ baseUrl: 'http://[::1]:1' }, 'http://[::1]:1/v1/apps/app-1/users/u'],
    [{ baseUrl: 'https://a.example/b//' }, 'https://a.example/b/v1/apps/app-1/users/u'],
    [{ baseUrl: 'https://a.example/v1x' }, 'https://a.example/v1x/v1/apps/app-1/users/u'],
    [{ baseUrl: 'http://api:4400', allowHttp: true }, 'http://api:4400/v1/apps/app-1/users/u'],
  ])('accepts %j', async (changes, url) => {
    const { belfry, calls } = setUp(changes);
    await belfry.users.get('u');
    expect(calls.map((call) => call.url)).toEqual([url]);
  });
});

describe('the User-Agent of the client', () => {
  test('is sent with every call and contains the version', async () => {
    const { belfry, calls } = setUp();
    await belfry.users.get('u');
    await belfry.events.send({ event: 'e' });
    const { version } = JSON.parse(readFileSync(path.join(__dirname, '../package.json'), 'utf8'));
    for (const { init } of calls) {
      expect(new Headers(init.headers).get('user-agent')).toBe(`belfry-client/${version}`);
    }
  });

  test('is not set in a page, because a browser has its own', async () => {
    const { belfry, calls } = setUp();
    Object.assign(globalThis, { document: {} });
    try {
      await belfry.users.get('u');
    } finally {
      Reflect.deleteProperty(globalThis, 'document');
    }
    expect(new Headers(calls[0]?.init.headers).has('user-agent')).toBe(false);
  });
});

describe('waiting for captures', () => {
  test('sends only the given filters, without a key', async () => {
    const { belfry, calls } = setUp();
    await belfry.sandbox.wait();
    await belfry.sandbox.wait({ to: 'a+b@example.com', after: '1:2:', count: 2, timeout: 0 });
    const base = 'https://notify.example.com/v1/apps/app-1/sandbox/wait';
    expect(calls.map(({ url }) => url)).toEqual([
      base,
      `${base}?to=a%2Bb%40example.com&after=1%3A2%3A&count=2&timeout=0`,
    ]);
    for (const { init } of calls) expect(init.headers).not.toHaveProperty('Idempotency-Key');
  });

  test('allows time for the wait, and accepts another timeout', async () => {
    const limits: number[] = [];
    const timeout = jest.spyOn(globalThis, 'setTimeout');
    const { belfry } = setUp();
    await belfry.sandbox.wait({ timeout: 30 });
    await belfry.sandbox.wait({ timeout: 30 }, { timeoutMs: 5_000 });
    for (const [, ms] of timeout.mock.calls) limits.push(Number(ms));
    timeout.mockRestore();
    expect(limits).toEqual(expect.arrayContaining([40_000, 5_000]));
  });
});

describe('a dry run', () => {
  test('sends dry_run and no key', async () => {
    const { belfry, calls } = setUp();
    await belfry.events.dryRun({ event: 'order_shipped', user: { email: 'ana@example.com' } });
    const [{ url, init }] = calls as [(typeof calls)[number]];
    expect(url).toBe('https://notify.example.com/v1/apps/app-1/events/send?dry_run=true');
    expect(init.method).toBe('POST');
    expect(Object.keys(init.headers ?? {})).not.toContain('Idempotency-Key');
  });
});

describe('an invalid call', () => {
  type Client = ReturnType<typeof setUp>['belfry'];
  // Callers without types can pass this.
  const untyped = (value: unknown) => value as never;
  const sendWithKey =
    (idempotencyKey: string) =>
    ({ events }: Client) =>
      events.send({ event: 'e' }, { idempotencyKey });
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;

  test.each<[string, (belfry: Client) => Promise<unknown>, string]>([
    ['no body', ({ events }) => events.send(untyped(undefined)), 'the body must be an object'],
    ['no event', ({ events }) => events.send(untyped({})), 'events.send: event must be a string'],
    ['a blank event', ({ events }) => events.send({ event: ' ' }), 'event must be a string'],
    ['an empty batch', ({ events }) => events.bulkSend({ event: 'e', batch: [] }), 'batch must be'],
    ['no user_id', ({ users }) => users.upsert(untyped({})), 'user_id must be a string'],
    ['an empty user', ({ users }) => users.get(''), 'userId must be a string'],
    ['a user id that changes the path', ({ users }) => users.get('..'), 'userId must be a string'],
    ['a lone surrogate', ({ users }) => users.get('\ud800'), 'userId must be a string'],
    [
      'no device',
      ({ devices }) => devices.get('u', untyped(undefined)),
      'deviceId must be a string',
    ],
    [
      'a list as device',
      ({ devices }) => devices.add('u', untyped([])),
      'the body must be an object',
    ],
    [
      'a body that is not JSON',
      ({ events }) => events.send({ event: 'e', data: circular }),
      'cannot be serialized as JSON',
    ],
    ['an empty key', sendWithKey(''), 'idempotencyKey must have 1 to 255 characters'],
    ['a key over 255 characters', sendWithKey('k'.repeat(256)), 'idempotencyKey must have 1 to'],
    [
      'a key with a line break',
      sendWithKey('a\nb'),
      'idempotencyKey must have no control character',
    ],
    ['a key with DEL', sendWithKey('a\u007fb'), 'idempotencyKey must have no control character'],
    ['a key above U+00FF', sendWithKey('a\u0100'), 'none above U+00FF'],
    ['a key with an outer space', sendWithKey('a '), 'idempotencyKey must not start or end'],
    ['a key that is not a string', sendWithKey(untyped(7)), 'idempotencyKey must be a string'],
    [
      'a deadline that is not a number',
      ({ events }) => events.send({ event: 'e' }, { deadlineMs: Number.NaN }),
      'deadlineMs must be a whole number',
    ],
  ])('throws before sending: %s', async (_title, makeCall, text) => {
    const { belfry, calls } = setUp();
    const result = makeCall(belfry);
    await expect(result).rejects.toThrow(TypeError);
    await expect(result).rejects.toThrow(text);
    expect(calls).toEqual([]);
  });
});

test.each([
  ['a/b', 'a%2Fb'],
  ['?x#y', '%3Fx%23y'],
  ['ü', '%C3%BC'],
  ['...', '...'],
])('a user_id stays one segment of the path: %s', async (userId, part) => {
  const { belfry, calls } = setUp();
  await belfry.users.get(userId);
  expect(new URL(calls[0]?.url ?? '').pathname).toBe(`/v1/apps/app-1/users/${part}`);
});

test('only a POST has an Idempotency-Key and a body', async () => {
  const { belfry, calls } = setUp();
  await belfry.users.get('u');
  await belfry.devices.delete('u', 'd');
  await belfry.devices.update('u', 'd', { platform: 'ios' });
  const requests = calls.map(({ init }) => {
    const headers = new Headers(init.headers);
    return [init.method, headers.has('idempotency-key'), headers.has('content-type'), init.body];
  });
  expect(requests).toEqual([
    ['GET', false, false, undefined],
    ['DELETE', false, false, undefined],
    ['POST', true, true, '{"platform":"ios"}'],
  ]);
});

test('the types of a body have no field that only old clients send', () => {
  const types = readFileSync(path.join(__dirname, 'generated/wire.ts'), 'utf8');
  expect(types).toContain('file_name?:');
  expect(types).not.toMatch(/\b(?:filename|whats_app|scheduleAt|scheduled_at|scheduledAt)\?:/);
});
