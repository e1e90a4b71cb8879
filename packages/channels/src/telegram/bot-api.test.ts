import { hash } from 'node:crypto';
import { inspect } from 'node:util';
import { createTelegramSimulator, type TelegramFault } from '@belfry/testing';
import { Value } from '@sinclair/typebox/value';
import fc from 'fast-check';
import type { SendCall } from '../channel';
import { telegramBotApi } from './bot-api';
import { compileTelegram } from './compose';
import type { TelegramContent } from './template';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const token = '123456789:AAH-secret_secret_secret_secret_xyz';
const oldChat = '-100200300';
const newChat = -1_001_234_567_890;

async function setUp() {
  const simulator = await createTelegramSimulator();
  const sender = telegramBotApi.createSender({
    baseUrls: { telegram: simulator.url },
    allowedPrivateHosts: [],
  });
  closers.push(simulator.close, sender.close);
  const send = (changes: Partial<SendCall<TelegramContent>> = {}) =>
    sender.send({
      messageId: '0193-a',
      target: '42',
      content: { text: '<b>Hello</b>' },
      settings: {},
      integrationId: 'i1',
      integrationVersion: '1',
      credentials: { bot_token: token },
      signal: AbortSignal.timeout(5_000),
      deadlineAt: Date.now() + 5_000,
      ...changes,
    });
  const test = (bot_token: unknown) =>
    sender.test({
      settings: {},
      credentials: { bot_token },
      signal: AbortSignal.timeout(5_000),
    });
  return { simulator, send, test };
}

const refuse = (errorCode: number, description: string, parameters = {}): TelegramFault => ({
  errorCode,
  description,
  parameters,
});
const migrate = (to: unknown, description = 'Bad Request: group chat was upgraded') =>
  refuse(400, description, { migrate_to_chat_id: to });
const move = (to: number) => ({
  change: 'move_address',
  path: ['telegram', 'chat_id'],
  to: String(to),
});

describe('a message to Telegram', () => {
  test('is sent once as HTML, and identified by chat and message number', async () => {
    const { simulator, send } = await setUp();
    const result = await send();
    expect(simulator.sends).toEqual([
      {
        chatId: '42',
        messageId: 1,
        html: '<b>Hello</b>',
        text: 'Hello',
        entities: [{ type: 'b', text: 'Hello' }],
        options: { parse_mode: 'HTML' },
        tokenHash: hash('sha256', token, 'hex'),
      },
    ]);
    expect(result).toEqual({
      outcome: { outcome: 'accepted', providerMessageId: '42:1' },
      response: { ok: true, chat_id: 42, message_id: 1 },
    });
  });

  test('keeps the exact chat ID, and may go to a channel by name', async () => {
    const { simulator, send } = await setUp();
    for (const target of ['-1001234567890', '4503599627370495', '@belfry_news']) {
      await send({ target });
    }
    expect(simulator.sends.map(({ chatId }) => chatId)).toEqual([
      '-1001234567890',
      '4503599627370495',
      '@belfry_news',
    ]);
  });

  test('has its flags, unless the call’s own fields replace them', async () => {
    const { simulator, send } = await setUp();
    const content = { text: 'a', disableNotification: true, linkPreview: false };
    const payload = {
      disable_notification: false,
      message_thread_id: 7,
      protect_content: true,
      reply_markup: { inline_keyboard: [[{ text: 'Open', url: 'https://x.org' }]] },
    };
    await send({ content });
    await send({ content, payload });
    const flags = { parse_mode: 'HTML', link_preview_options: { is_disabled: true } };
    expect(simulator.sends.map(({ options }) => options)).toEqual([
      { ...flags, disable_notification: true },
      { ...flags, ...payload },
    ]);
  });

  test.each<[string, TelegramFault, number]>([
    ['hdghg/cjbot#13', refuse(429, 'Too Many Requests', { retry_after: 1 }), 2_000],
    ['a long wait', refuse(429, 'Too Many Requests', { retry_after: 18_053 }), 18_054_000],
  ])('is one call and no second message when it is throttled: %s', async (_report, fault, wait) => {
    const { simulator, send } = await setUp();
    simulator.fail(fault);
    // Only the chat is slowed: Telegram does not say whether the limit is the bot's.
    const slowed = { outcome: 'retry', afterMs: wait, slows: 'target' };
    expect((await send()).outcome).toMatchObject(slowed);
    expect(simulator.requests).toHaveLength(1);
    expect(simulator.sends).toEqual([]);
  });

  test('is not retried when its response was lost', async () => {
    const { simulator, send } = await setUp();
    simulator.fail({ reset: 'after' });
    expect((await send()).outcome.outcome).toBe('unknown');
    expect(simulator.sends).toHaveLength(1);
  });

  test('is refused before any request when the token is malformed', async () => {
    const { simulator, send } = await setUp();
    for (const bot_token of [undefined, '', '123:abc/../x', `${token}\n`, `${token}/../x`]) {
      expect((await send({ credentials: { bot_token } })).outcome).toMatchObject({
        outcome: 'rejected',
        scope: 'integration',
        reason: 'malformed_token',
      });
    }
    expect(simulator.requests).toEqual([]);
  });
});

describe('a group that became a supergroup', () => {
  test.each([
    ['TwiN/gatus#179', 'Bad Request: group chat was upgraded to a supergroup chat'],
    ['ableev/Zabbix-in-Telegram#210', 'Bad Request: group chat was migrated to a supergroup chat'],
    ['irazasyed/telegram-bot-sdk#354', '[Error]: whatever the text is'],
  ])(
    'gets the message once under its new ID, which is stored for the user: %s',
    async (_report, words) => {
      const { simulator, send } = await setUp();
      simulator.fail(migrate(newChat, words));
      const { outcome, changes } = await send({ target: oldChat });
      expect(outcome).toEqual({ outcome: 'accepted', providerMessageId: `${newChat}:1` });
      expect(changes).toEqual([move(newChat)]);
      expect(simulator.sends.map(({ chatId }) => chatId)).toEqual([String(newChat)]);
      expect(simulator.requests).toHaveLength(2);
    },
  );

  test('keeps its new ID when the second call fails', async () => {
    const { simulator, send } = await setUp();
    simulator.moveChat(oldChat, newChat);
    simulator.fail(migrate(newChat), refuse(403, 'Forbidden: bot was kicked from the group chat'));
    const { outcome, changes } = await send({ target: oldChat });
    expect(outcome).toMatchObject({ outcome: 'rejected', reason: 'bot_kicked' });
    expect(changes).toEqual([move(newChat)]);
  });

  test('that moves again waits for the next attempt, so that a loop ends', async () => {
    const { simulator, send } = await setUp();
    simulator.moveChat(oldChat, newChat);
    simulator.moveChat(String(newChat), Number(oldChat));
    const { outcome, changes } = await send({ target: oldChat });
    expect(outcome).toMatchObject({ outcome: 'retry', reason: 'chat_moved' });
    expect(changes).toEqual([move(Number(oldChat))]);
    expect(simulator.requests).toHaveLength(2);
  });

  test.each([null, 1.5, 'x/../y', {}, 0])('is not followed to %j', async (to) => {
    const { simulator, send } = await setUp();
    simulator.fail(migrate(to));
    const { outcome, changes } = await send({ target: oldChat });
    expect(outcome).toMatchObject({ outcome: 'rejected', scope: 'content' });
    expect(changes).toBeUndefined();
    expect(simulator.requests).toHaveLength(1);
  });
});

describe('Telegram’s answer about a chat', () => {
  test.each([
    [403, 'Forbidden: bot was blocked by the user', 'opted_out'],
    [403, 'Forbidden: bot was kicked from the supergroup chat', 'opted_out'],
    [403, 'Forbidden: user is deactivated', 'bounced'],
    [403, "Forbidden: bot can't send messages to bots", 'bounced'],
    [403, 'Forbidden: the group chat was deleted', 'bounced'],
    [400, 'Bad Request: group is deactivated', 'bounced'],
  ])(
    '%i "%s" suppresses the chat for this bot, and /start undoes an opt-out: %s',
    async (code, description, reason) => {
      const { simulator, send } = await setUp();
      simulator.fail(refuse(code, description), refuse(code, description));
      const detail = expect.stringMatching(/^The .*\.$/);
      const source = reason === 'opted_out' ? { source: 'reply' } : {};
      const change = { change: 'suppress', reason, detail, ...source };
      expect((await send()).changes).toEqual([{ ...change, sender: '' }]);
      const { changes } = await send({ settings: { sender: '@acme_bot' } });
      expect(changes).toEqual([{ ...change, sender: '@acme_bot' }]);
    },
  );

  test.each([
    [400, 'Bad Request: chat not found'],
    [403, "Forbidden: bot can't initiate conversation with a user"],
    [403, 'Forbidden: bot is not a member of the channel chat'],
    [400, 'Bad Request: not enough rights to send text messages to the chat'],
    [401, 'Unauthorized'],
    [404, 'Not Found'],
    [400, "Bad Request: can't parse entities: Unsupported start tag"],
  ])('%i "%s" is temporary, so it suppresses nobody', async (code, description) => {
    const { simulator, send } = await setUp();
    simulator.fail(refuse(code, description));
    const { outcome, changes } = await send();
    expect(outcome.outcome).toBe('rejected');
    expect(changes).toBeUndefined();
  });

  test.each(['yagop/node-telegram-bot-api#1030', 'yagop/node-telegram-bot-api#273'])(
    'is a returned result, not an unhandled rejection: %s',
    async () => {
      const unhandled = jest.fn();
      process.on('unhandledRejection', unhandled);
      const { simulator, send } = await setUp();
      simulator.fail(refuse(403, 'Forbidden: bot was blocked by the user'));
      await expect(send()).resolves.toMatchObject({
        outcome: { outcome: 'rejected', scope: 'recipient', reason: 'bot_blocked' },
      });
      await new Promise((resolve) => setImmediate(resolve));
      process.off('unhandledRejection', unhandled);
      expect(unhandled).not.toHaveBeenCalled();
    },
  );
});

describe('the token', () => {
  test.each<[string, TelegramFault]>([
    ['tucnak/telebot#770', refuse(400, `Post "https://api.telegram.org/bot${token}/sendMessage"`)],
    ['appleboy/drone-telegram#65', refuse(400, `bot987654321:ZZZ-other_other_other_other_other`)],
    ['smithersai/smithers#812', refuse(500, token.split(':')[1] ?? '')],
    ['a broken connection', { reset: 'before' }],
    ['a page', { reply: { status: 502, body: `bot${token}` } }],
  ])('is in no stored part of a failure: %s', async (_report, fault) => {
    const { simulator, send } = await setUp();
    simulator.fail(fault);
    const output = inspect(await send(), { depth: null });
    expect(output).not.toMatch(/AAH-secret|ZZZ-other|\d{9}:/);
    expect(output).toMatch(/outcome/);
  });

  test.each([
    [token, []],
    ['12345:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', []],
    ['1234:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', [expect.stringMatching(/^bot_token must be/)]],
    [`bot${token}`, [expect.anything()]],
    [`${token} `, [expect.anything()]],
    ['123:abc/../x', [expect.anything()]],
    ['', [expect.anything()]],
    [undefined, [expect.anything()]],
  ])('%j is checked on save', (bot_token, problems) => {
    expect(telegramBotApi.check({ settings: {}, credentials: { bot_token } })).toEqual(problems);
    expect(Value.Check(telegramBotApi.credentials, { bot_token })).toBe(problems.length === 0);
  });
});

describe('a connection test', () => {
  test('gets the bot’s name, and sends nothing', async () => {
    const { simulator, test: testConnection } = await setUp();
    expect(await testConnection(token)).toEqual({
      isWorking: true,
      detail: 'Telegram identifies the token as the bot @simulated_bot.',
    });
    expect(simulator.requests.map(({ path }) => path)).toEqual([`/bot${token}/getMe`]);
    expect(simulator.sends).toEqual([]);
  });

  test.each<[TelegramFault, RegExp]>([
    [refuse(401, 'Unauthorized'), /^Telegram has no bot with this token/],
    [refuse(404, 'Not Found'), /^Telegram has no bot with this token/],
    [{ reply: { status: 502, body: '<html>' } }, /status 502/],
    [{ reset: 'after' }, /^The connection to 127\.0\.0\.1:\d+ was lost/],
  ])('names the problem: %j', async (fault, detail) => {
    const { simulator, test: testConnection } = await setUp();
    simulator.fail(fault);
    expect(await testConnection(token)).toEqual({
      isWorking: false,
      detail: expect.stringMatching(detail),
    });
  });

  test('needs a well-formed token', async () => {
    const { simulator, test: testConnection } = await setUp();
    expect(await testConnection('x')).toMatchObject({ isWorking: false });
    expect(simulator.requests).toEqual([]);
  });
});

test.each<[string, unknown, boolean]>([
  ['message_thread_id', 7, true],
  ['message_thread_id', '7', false],
  ['disable_notification', true, true],
  ['protect_content', true, true],
  ['link_preview_options', { is_disabled: true, show_above_text: true }, true],
  ['link_preview_options', { url: 'javascript:x' }, false],
  ['reply_markup', { inline_keyboard: [[{ text: 'a', callback_data: 'b' }]] }, true],
  ['reply_markup', { inline_keyboard: [[{ text: 'a', url: 'javascript:x' }]] }, false],
  ['reply_markup', { keyboard: [] }, false],
  ['chat_id', '43', false],
  ['text', 'b', false],
  ['parse_mode', 'MarkdownV2', false],
  ['entities', [], false],
  ['business_connection_id', 'x', false],
])('a call may set the field %s to %j: %s', (name, value, isAllowed) => {
  const schema = telegramBotApi.payload.properties[name];
  expect(schema !== undefined && Value.Check(schema, value)).toBe(isAllowed);
});

test('the description shows the request without the token', () => {
  expect(
    telegramBotApi.describe({
      messageId: 'm',
      target: oldChat,
      content: { text: 'Hello' },
      settings: {},
      payload: { message_thread_id: 7 },
    }),
  ).toEqual({
    operation: 'POST https://api.telegram.org/bot…/sendMessage',
    body: { chat_id: oldChat, text: 'Hello', parse_mode: 'HTML', message_thread_id: 7 },
  });
});

describe('whatever a value contains', () => {
  const hostile = [
    '<b>',
    '</b></a>',
    '<a href="tg://user?id=1">x</a>',
    'tg://user?id=1',
    '"><b>x</b><a href="',
    "'><b>",
    '&lt;b&gt;',
    '&#60;b&#62;',
    '&amp;',
    '<!channel>',
    '{{x}}',
    '\r\nchat_id=43',
    '&chat_id=43',
    '\ud83d\udc4b',
    'é',
    'e\u0301',
    'javascript:alert(1)',
    '*_`[x](y)`',
    '@channel',
    '<',
    '&',
    '#',
  ];
  const value = fc.oneof(
    fc.constantFrom(...hostile),
    fc.array(fc.constantFrom(...hostile), { maxLength: 4 }).map((parts) => parts.join('')),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
  );
  const template = compileTelegram({
    text: '<b>{{v}}</b> <a href="{{v}}">{{v}}</a> <a href="https://x.org/?q={{v}}">q</a> <code>{{{v}}}</code>',
  });

  test('Telegram receives the author’s four tags, and the value as text', async () => {
    const { simulator, send } = await setUp();
    await fc.assert(
      fc.asyncProperty(value, async (v) => {
        const composed = template.compose({
          data: { v },
          target: '42',
          override: undefined,
          missing: 'empty',
          isSensitive: false,
        });
        if ('failed' in composed) throw new Error(composed.detail);
        simulator.sends.length = 0;
        expect((await send({ content: composed.content })).outcome.outcome).toBe('accepted');
        const [sent] = simulator.sends;
        const expectedText = v.replace(/\r\n?/g, '\n');
        expect(sent?.entities.map(({ type }) => type)).toEqual(['b', 'a', 'a', 'code']);
        expect(sent?.entities[0]?.text).toBe(expectedText);
        expect(sent?.entities[3]?.text).toBe(expectedText);
        expect(sent?.entities[1]?.url).toMatch(/^(#$|https?:|mailto:|tel:)/i);
        expect(sent?.entities[2]?.url).toBe(`https://x.org/?q=${expectedText}`);
        expect(sent?.chatId).toBe('42');
        expect(sent?.options).toEqual({ parse_mode: 'HTML' });
      }),
      { numRuns: 200 },
    );
  });
});
