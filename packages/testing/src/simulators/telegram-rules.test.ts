import { closeAll, closers, post } from './raw-calls.fixture';
import { createTelegramSimulator } from './telegram';

afterAll(closeAll);

// Each row is a valid request with one change.
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
    ['4,096 characters after removing markup', { ...valid, text: `<b>${'x'.repeat(4_096)}</b>` }],
    ['every tag', { ...valid, text: '<b>a</b><span class="tg-spoiler">b</span>' }],
    [
      'a button',
      { ...valid, reply_markup: keyboard({ text: 'a', callback_data: 'x'.repeat(64) }) },
    ],
    [
      'options',
      { ...valid, disable_notification: 'true', link_preview_options: '{"is_disabled":true}' },
    ],
  ])('accepts %s', async (_what, fields) => {
    expect((await send(fields)).status).toBe(200);
  });

  test.each<[string, Record<string, string>]>([
    ['no chat', { ...valid, chat_id: '' }],
    ['a chat of more than 52 bits', { ...valid, chat_id: '4503599627370496' }],
    ['a name without @', { ...valid, chat_id: 'acme_news' }],
    ['no text', { ...valid, text: '' }],
    ['a text of blanks', { ...valid, text: ' \n' }],
    ['4,097 characters', { ...valid, text: 'x'.repeat(4_097) }],
    ['an unknown tag', { ...valid, text: '<p>a</p>' }],
    ['an unclosed tag', { ...valid, text: '<b>a' }],
    ['a span of another class', { ...valid, text: '<span class="x">a</span>' }],
    ['an emoji without an id', { ...valid, text: '<tg-emoji>a</tg-emoji>' }],
    ['an unknown mode', { ...valid, parse_mode: 'html5' }],
    ['an invalid flag', { ...valid, disable_notification: 'yes' }],
    ['a topic that is not a number', { ...valid, message_thread_id: 'a' }],
    ['a preview that is not an object', { ...valid, link_preview_options: 'off' }],
    ['a button without an action', { ...valid, reply_markup: keyboard({ text: 'a' }) }],
    [
      'a button with two actions',
      { ...valid, reply_markup: keyboard({ text: 'a', url: 'https://x.org', callback_data: 'x' }) },
    ],
    [
      'a button with 66 bytes of data',
      { ...valid, reply_markup: keyboard({ text: 'a', callback_data: 'é'.repeat(33) }) },
    ],
    ['a button without a text', { ...valid, reply_markup: keyboard({ url: 'https://x.org' }) }],
    ['an unknown field', { ...valid, message: 'x' }],
  ])('refuses %s', async (_what, fields) => {
    expect(await send(fields)).toMatchObject({ status: 400, body: { ok: false, error_code: 400 } });
  });

  test('refuses a body of another content type, and a malformed token', async () => {
    expect((await send(valid, { 'content-type': 'text/plain' })).status).toBe(400);
    const otherUrl = url.replace(/bot\d+/, 'bot1');
    expect((await post(otherUrl, { headers: form, body: 'chat_id=1&text=a' })).status).toBe(404);
  });
});

describe('the simulator’s setWebhook', () => {
  const valid = {
    url: 'https://belfry.example/hook',
    secret_token: 'a-Z_9',
    allowed_updates: '["message","my_chat_member"]',
  };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const token = `123456789:${'s'.repeat(35)}`;

  async function setUp() {
    const simulator = await createTelegramSimulator();
    closers.push(simulator.close);
    const register = (fields: Record<string, string>) =>
      post(`${simulator.url}/bot${token}/setWebhook`, {
        headers: form,
        body: new URLSearchParams(fields).toString(),
      });
    return { simulator, register };
  }

  test('registers a webhook, describes it without its secret, and removes it by an empty URL', async () => {
    const { simulator, register } = await setUp();
    expect(await register(valid)).toMatchObject({ status: 200, body: { ok: true, result: true } });
    const read = () => post(`${simulator.url}/bot${token}/getWebhookInfo`, { body: '' });
    const { body } = await read();
    expect(body).toMatchObject({ result: { url: valid.url } });
    expect(JSON.stringify(body)).not.toContain(valid.secret_token);
    await register({ url: '' });
    expect((await read()).body).toMatchObject({ result: { url: '' } });
  });

  test.each<[string, Record<string, string>]>([
    ['a URL without TLS', { url: 'http://belfry.example/hook' }],
    ['a text that is no URL', { url: 'belfry' }],
    ['a port that Telegram does not call', { url: 'https://belfry.example:4000/hook' }],
    ['a secret with other characters', { secret_token: 'a b' }],
    ['a secret of 257 characters', { secret_token: 'x'.repeat(257) }],
    ['an unknown kind of update', { allowed_updates: '["messages"]' }],
    ['updates that are no list', { allowed_updates: 'message' }],
    ['an unknown field', { secret: 'x' }],
  ])('refuses %s', async (_what, change) => {
    const { simulator, register } = await setUp();
    expect((await register({ ...valid, ...change })).status).toBe(400);
    expect(simulator.getWebhook(token).url).toBe('');
  });
});
