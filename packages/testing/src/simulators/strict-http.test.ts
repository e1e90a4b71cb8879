import { createSign } from 'node:crypto';
import { createFcmSimulator, simulatedServiceAccount } from './fcm';
import { createOnesignalSimulator } from './onesignal';
import { createTelegramSimulator } from './telegram';
import { createTwilioSimulator } from './twilio';

/** Each row is a request that keeps every rule, but for one change: the simulator has to refuse what its vendor refuses. */
const closers: (() => Promise<void>)[] = [];

afterAll(async () => {
  for (const close of closers) await close();
});

type Answer = { status: number; body: Record<string, unknown> };
type Sent = { headers?: Record<string, string>; body: string };

async function post(url: string, { headers = {}, body }: Sent): Promise<Answer> {
  const answer = await fetch(url, { method: 'POST', headers, body });
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : {} };
}

describe('the simulator of Twilio', () => {
  const account = `AC${'0'.repeat(32)}`;
  const login = (user: string, password: string) =>
    `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const valid = { To: '+4512345678', From: '+15005550009', Body: 'Hello' };
  const template = { To: '+4512345678', From: '+15005550009', ContentSid: `HX${'a'.repeat(32)}` };
  const service = `MG${'a'.repeat(32)}`;
  let url: string;

  beforeAll(async () => {
    const simulator = await createTwilioSimulator();
    closers.push(simulator.close);
    url = `${simulator.url}/2010-04-01/Accounts/${account}/Messages.json`;
  });

  const send = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    post(url, {
      headers: {
        authorization: login(account, 'token'),
        'content-type': 'application/x-www-form-urlencoded',
        ...headers,
      },
      body: new URLSearchParams(fields).toString(),
    });

  test.each<[string, Record<string, string>]>([
    ['a text', valid],
    ['a text of 1,600 characters', { ...valid, Body: 'x'.repeat(1_600) }],
    ['a name as the sender', { ...valid, From: 'Acme 1' }],
    ['a short code', { ...valid, From: '12345' }],
    ['a service', { To: valid.To, Body: 'x', MessagingServiceSid: service, ShortenUrls: 'true' }],
    ['WhatsApp', { To: 'whatsapp:+4512345678', From: 'whatsapp:+15005550009', Body: 'x' }],
    ['a template', { ...template, ContentVariables: '{"1":"x"}' }],
    ['options', { ...valid, ValidityPeriod: '36000', ContentRetention: 'discard' }],
  ])('takes %s', async (_what, fields) => {
    expect((await send(fields)).status).toBe(201);
  });

  test.each<[string, Record<string, string>, number]>([
    ['no recipient', { ...valid, To: '' }, 21604],
    ['a recipient without +', { ...valid, To: '4512345678' }, 21211],
    ['a recipient of 16 digits', { ...valid, To: '+1234567890123456' }, 21211],
    ['no sender', { To: valid.To, Body: 'x' }, 21603],
    ['a sender of 12 letters', { ...valid, From: 'abcdefghijkl' }, 21212],
    ['a sender with a dash', { ...valid, From: 'Acme-1' }, 21212],
    ['the recipient as the sender', { ...valid, From: valid.To }, 21266],
    ['two channels', { ...valid, From: 'whatsapp:+15005550009' }, 21910],
    ['a malformed service', { To: valid.To, Body: 'x', MessagingServiceSid: 'MG1' }, 21701],
    ['nothing to say', { To: valid.To, From: valid.From }, 21619],
    ['an empty text', { ...valid, Body: '' }, 21602],
    ['a text of 1,601 characters', { ...valid, Body: 'x'.repeat(1_601) }, 21617],
    ['media that are no URL', { ...valid, MediaUrl: 'x' }, 21620],
    ['a malformed template', { ...template, ContentSid: 'HX1' }, 21655],
    ['variables without a template', { ...valid, ContentVariables: '{"1":"x"}' }, 21656],
    ['variables that are no JSON', { ...template, ContentVariables: '{1}' }, 21656],
    ['an empty variable', { ...template, ContentVariables: '{"1":""}' }, 21656],
    ['a number as a variable', { ...template, ContentVariables: '{"1":1}' }, 21656],
    ['an underscore in the callback', { ...valid, StatusCallback: 'https://a_b.example/' }, 21609],
    ['short links without a service', { ...valid, ShortenUrls: 'true' }, 20001],
    ['a validity of 0', { ...valid, ValidityPeriod: '0' }, 20001],
    ['a validity over 10 hours', { ...valid, ValidityPeriod: '36001' }, 20001],
    ['a text to be obfuscated', { ...valid, ContentRetention: 'obfuscate' }, 20001],
    ['a number to be discarded', { ...valid, AddressRetention: 'discard' }, 20001],
    ['a parameter that is not known', { ...valid, Text: 'x' }, 20001],
  ])('refuses %s', async (_what, fields, code) => {
    expect(await send(fields)).toMatchObject({ status: 400, body: { code } });
  });

  test.each<[string, Record<string, string>, number]>([
    ['no login', { authorization: '' }, 401],
    ['the login of another account', { authorization: login(`AC${'1'.repeat(32)}`, 'x') }, 401],
    ['a login without a password', { authorization: login(account, '') }, 401],
    ['JSON', { 'content-type': 'application/json' }, 415],
  ])('refuses %s', async (_what, headers, status) => {
    expect((await send(valid, headers)).status).toBe(status);
  });
});

describe('the simulator of OneSignal', () => {
  const valid = {
    app_id: '11111111-1111-4111-8111-111111111111',
    target_channel: 'push',
    include_aliases: { external_id: ['ana'] },
    contents: { en: 'Hello' },
  };
  const subscription = {
    app_id: valid.app_id,
    contents: valid.contents,
    include_subscription_ids: ['22222222-2222-4222-8222-222222222222'],
  };
  let url: string;
  let keys = 0;

  beforeAll(async () => {
    const simulator = await createOnesignalSimulator();
    closers.push(simulator.close);
    url = `${simulator.url}/notifications`;
  });

  const send = (body: object, headers: Record<string, string> = {}) => {
    keys += 1;
    const key = `33333333-3333-3333-8333-${String(keys).padStart(12, '0')}`;
    return post(url, {
      headers: {
        authorization: 'Key os_v2_app_x',
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify({ idempotency_key: key, ...body }),
    });
  };

  test.each<[string, object]>([
    ['a text to an alias', valid],
    ['a text to a subscription', subscription],
    ['a key of version 4', { ...valid, idempotency_key: '44444444-4444-4444-8444-444444444444' }],
    ['2,048 bytes of data', { ...valid, data: { k: 'x'.repeat(2_048 - '{"k":""}'.length) } }],
  ])('takes %s', async (_what, body) => {
    const answer = await send(body);
    expect(answer).toMatchObject({ status: 200, body: { id: expect.stringMatching(/./) } });
  });

  const without = (name: keyof typeof valid) =>
    Object.fromEntries(Object.entries(valid).filter(([each]) => each !== name));

  test.each<[string, object, RegExp]>([
    ['no app', without('app_id'), /app_id is invalid/],
    ['an app that is no UUID', { ...valid, app_id: 'x' }, /app_id is invalid/],
    ['no target', without('include_aliases'), /one targeting parameter/],
    ['two targets', { ...valid, ...subscription }, /one targeting parameter/],
    ['an alias without a channel', without('target_channel'), /target_channel is required/],
    ['another channel', { ...valid, target_channel: 'fax' }, /target_channel/],
    [
      'a subscription that is no UUID',
      { ...subscription, include_subscription_ids: ['x'] },
      /UUID/,
    ],
    ['no text', without('contents'), /English/],
    ['no English', { ...valid, contents: { de: 'Hallo' } }, /English/],
    ['an empty text', { ...valid, contents: { en: '' } }, /contents/],
    [
      'a key of version 7',
      { ...valid, idempotency_key: '01930000-0000-7000-8000-000000000001' },
      /3 or 4/,
    ],
    [
      'a key of version 1',
      { ...valid, idempotency_key: '01930000-0000-1000-8000-000000000001' },
      /3 or 4/,
    ],
    [
      'a key of no variant',
      { ...valid, idempotency_key: '01930000-0000-4000-0000-000000000001' },
      /3 or 4/,
    ],
    [
      '2,049 bytes of data',
      { ...valid, data: { k: 'x'.repeat(2_049 - '{"k":""}'.length) } },
      /2048/,
    ],
    ['data that is a list', { ...valid, data: [] }, /data/],
    ['65 characters to collapse by', { ...valid, collapse_id: 'x'.repeat(65) }, /64/],
    ['a lifetime over 28 days', { ...valid, ttl: 2_419_201 }, /ttl/],
    ['a link without a scheme', { ...valid, url: 'x.example' }, /url/],
    [
      'an unknown interruption',
      { ...valid, ios_interruption_level: 'loud' },
      /ios_interruption_level/,
    ],
    ['a field that is not known', { ...valid, content: 'x' }, /content is not known/],
  ])('refuses %s', async (_what, body, problem) => {
    const answer = await send(body);
    expect(answer.status).toBe(400);
    expect(String(answer.body['errors'])).toMatch(problem);
  });

  test.each<[string, Record<string, string>, number]>([
    ['no key', { authorization: '' }, 401],
    ['a key in the old form', { authorization: 'Basic x' }, 401],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 400],
  ])('refuses %s', async (_what, headers, status) => {
    expect((await send(valid, headers)).status).toBe(status);
  });
});

describe('the simulator of Telegram', () => {
  const valid = { chat_id: '4242', text: 'Hello', parse_mode: 'HTML' };
  const keyboard = (...buttons: object[]) => JSON.stringify({ inline_keyboard: [buttons] });
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  let url: string;

  beforeAll(async () => {
    const simulator = await createTelegramSimulator();
    closers.push(simulator.close);
    url = `${simulator.url}/bot123456789:${'s'.repeat(35)}/sendMessage`;
  });

  const send = (fields: Record<string, string>, headers: Record<string, string> = form) =>
    post(url, { headers, body: new URLSearchParams(fields).toString() });

  test.each<[string, Record<string, string>]>([
    ['a text', valid],
    ['the largest chat', { ...valid, chat_id: '4503599627370495' }],
    ['a channel by its name', { ...valid, chat_id: '@acme_news' }],
    ['4,096 characters behind markup', { ...valid, text: `<b>${'x'.repeat(4_096)}</b>` }],
    ['every tag', { ...valid, text: '<b>a</b><span class="tg-spoiler">b</span>' }],
    [
      'a button',
      { ...valid, reply_markup: keyboard({ text: 'a', callback_data: 'x'.repeat(64) }) },
    ],
    [
      'options',
      { ...valid, disable_notification: 'true', link_preview_options: '{"is_disabled":true}' },
    ],
  ])('takes %s', async (_what, fields) => {
    expect((await send(fields)).status).toBe(200);
  });

  test.each<[string, Record<string, string>]>([
    ['no chat', { ...valid, chat_id: '' }],
    ['a chat of more than 52 bits', { ...valid, chat_id: '4503599627370496' }],
    ['a name without @', { ...valid, chat_id: 'acme_news' }],
    ['no text', { ...valid, text: '' }],
    ['a text of blanks', { ...valid, text: ' \n' }],
    ['4,097 characters', { ...valid, text: 'x'.repeat(4_097) }],
    ['a tag that is not known', { ...valid, text: '<p>a</p>' }],
    ['a tag that is open', { ...valid, text: '<b>a' }],
    ['a span of another class', { ...valid, text: '<span class="x">a</span>' }],
    ['an emoji without an id', { ...valid, text: '<tg-emoji>a</tg-emoji>' }],
    ['an unknown mode', { ...valid, parse_mode: 'html5' }],
    ['a flag that is none', { ...valid, disable_notification: 'yes' }],
    ['a topic that is no number', { ...valid, message_thread_id: 'a' }],
    ['a preview that is no object', { ...valid, link_preview_options: 'off' }],
    ['a button without a use', { ...valid, reply_markup: keyboard({ text: 'a' }) }],
    [
      'a button with two uses',
      { ...valid, reply_markup: keyboard({ text: 'a', url: 'https://x.org', callback_data: 'x' }) },
    ],
    [
      'a button with 66 bytes',
      { ...valid, reply_markup: keyboard({ text: 'a', callback_data: 'é'.repeat(33) }) },
    ],
    ['a button without a text', { ...valid, reply_markup: keyboard({ url: 'https://x.org' }) }],
    ['a field that is not known', { ...valid, message: 'x' }],
  ])('refuses %s', async (_what, fields) => {
    expect(await send(fields)).toMatchObject({ status: 400, body: { ok: false, error_code: 400 } });
  });

  test('refuses a body of another type, and a token of another form', async () => {
    expect((await send(valid, { 'content-type': 'text/plain' })).status).toBe(400);
    const other = url.replace(/bot\d+/, 'bot1');
    expect((await post(other, { headers: form, body: 'chat_id=1&text=a' })).status).toBe(404);
  });
});

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

  const ask = (assertion: string, headers: Record<string, string> = form) =>
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
    const { body } = await ask(sign(claims));
    token = String(body['access_token']);
  });

  test.each<[string, string]>([
    ['another algorithm', sign(claims, { alg: 'HS256' })],
    ['another endpoint', sign({ ...claims, aud: 'https://x.example' })],
    ['another scope', sign({ ...claims, scope: 'https://www.googleapis.com/auth/drive' })],
    ['no account', sign({ ...claims, iss: 'ana@example.com' })],
    ['more than an hour', sign({ ...claims, exp: seconds + 7_200 })],
    ['a time that is over', sign({ ...claims, iat: seconds - 7_200, exp: seconds - 3_600 })],
    ['a wrong signature', `${sign(claims).split('.').slice(0, 2).join('.')}.${'A'.repeat(342)}`],
    ['no signature', sign(claims).split('.').slice(0, 2).join('.')],
  ])('gives no access token for %s', async (_what, assertion) => {
    expect(await ask(assertion)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  test('gives no access token for JSON', async () => {
    const answer = await ask(sign(claims), { 'content-type': 'application/json' });
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } });
  });

  test.each<[string, object]>([
    ['a token', { token: 'a:b', notification: { title: 'x' } }],
    ['a topic', { topic: 'news', data: { k: 'v', from_user: 'x' } }],
    ['4,096 bytes', { token: 'a', data: { k: 'x'.repeat(4_095) } }],
  ])('takes %s', async (_what, message) => {
    expect((await send(message)).status).toBe(200);
  });

  const to = { token: 'a' };
  test.each<[string, object]>([
    ['no target', { data: {} }],
    ['two targets', { token: 'a', topic: 'b' }],
    ['a token with a space', { token: 'a b' }],
    ['a topic with a space', { topic: 'a b' }],
    ['a number in the data', { ...to, data: { k: 1 } }],
    ['a key that is reserved', { ...to, data: { from: 'x' } }],
    ['a key that begins as reserved', { ...to, data: { 'google.x': 'x' } }],
    ['4,097 bytes', { ...to, data: { k: 'x'.repeat(4_096) } }],
    ['2,049 bytes to a topic', { topic: 'a', data: { k: 'x'.repeat(2_048) } }],
    ['a field that is not known', { ...to, title: 'x' }],
    ['a field of another platform', { ...to, notification: { sound: 'x' } }],
    ['an unknown priority', { ...to, android: { priority: 'urgent' } }],
    ['a lifetime over 4 weeks', { ...to, android: { ttl: '2419201s' } }],
    ['a colour by its name', { ...to, android: { notification: { color: 'red' } } }],
    [
      '65 bytes to collapse by',
      { ...to, apns: { headers: { 'apns-collapse-id': 'x'.repeat(65) } } },
    ],
    ['a link without https', { ...to, webpush: { fcm_options: { link: 'http://x.org' } } }],
    ['a label with a space', { ...to, fcm_options: { analytics_label: 'a b' } }],
  ])('refuses %s', async (_what, message) => {
    const answer = await send(message);
    expect(answer).toMatchObject({ status: 400, body: { error: { status: 'INVALID_ARGUMENT' } } });
  });

  test('refuses another token, and another type', async () => {
    expect((await send(to, { authorization: 'Bearer x' })).status).toBe(401);
    expect((await send(to, { 'content-type': 'text/plain' })).status).toBe(400);
  });
});
