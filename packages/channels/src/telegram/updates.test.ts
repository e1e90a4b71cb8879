import { createMembershipUpdate, createTextUpdate, type TelegramUpdate } from '@belfry/testing';
import type { ReceiptCall } from '../channel';
import { createWebhookSecret, telegramUpdates } from './updates';

const token = '123456789:AAH-secret_secret_secret_secret_xyz';
const date = 1_767_225_600;
const chat = { chatId: 4242, date };
const call: ReceiptCall = {
  ...{ url: 'https://belfry.example/', headers: {}, rawBody: Buffer.alloc(0) },
  ...{ settings: { sender: '@acme_bot' }, credentials: { bot_token: token } },
};

const readReplies = (update: unknown) =>
  telegramUpdates.readReplies?.({ ...call, rawBody: Buffer.from(JSON.stringify(update)) });
const readWishes = (update: unknown) => readReplies(update)?.map(({ wish }) => wish);

describe('a call to a bot’s webhook', () => {
  const secret = createWebhookSecret(token);
  const read = (header: string | string[] | undefined, credentials: Record<string, unknown> = {}) =>
    telegramUpdates.read({
      ...call,
      headers: { 'x-telegram-bot-api-secret-token': header },
      credentials: { ...call.credentials, ...credentials },
    });

  test('is Telegram’s if it has the secret of the bot, and reports no message', () => {
    expect(read(secret)).toEqual([]);
  });

  test.each([undefined, '', 'wrong', [secret], `${secret}x`])(
    'is refused with the secret %j',
    (header) => {
      expect(read(header)).toBeUndefined();
    },
  );

  test('is refused with the secret of another bot, and by an integration without a token', () => {
    expect(read(createWebhookSecret(`${token}a`))).toBeUndefined();
    expect(read(createWebhookSecret(''), { bot_token: '' })).toBeUndefined();
    expect(read(secret, { bot_token: undefined })).toBeUndefined();
  });

  test('has a secret that Telegram accepts and that does not contain the token', () => {
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });
});

describe('a message in a private chat', () => {
  test('that is /stop is about the chat and this bot', () => {
    const update = createTextUpdate('/stop', chat);
    expect(readReplies(update)).toEqual([
      {
        ...{ wish: 'stop', address: '4242', sender: '@acme_bot' },
        ...{ at: new Date(date * 1_000), identity: String(update.update_id) },
      },
    ]);
  });

  test('to a bot without a name is about every bot of the app', () => {
    const rawBody = Buffer.from(JSON.stringify(createTextUpdate('/stop', chat)));
    expect(telegramUpdates.readReplies?.({ ...call, rawBody, settings: {} })).toMatchObject([
      { sender: '' },
    ]);
  });

  test.each([
    ['/stop', ['stop']],
    ['/STOP@acme_bot', ['stop']],
    [' stop ', ['stop']],
    ['/start', ['start']],
    ['/start ref_42', ['start']],
    ['/stop now', []],
    ['/start a b', []],
    ['/startle', []],
    ['/help', []],
    ['stop it', []],
  ])('%j asks for %j', (text, wishes) => {
    expect(readWishes(createTextUpdate(text, chat))).toEqual(wishes);
  });
});

describe('a bot', () => {
  test('is not stopped for a group by one member', () => {
    expect(readWishes(createTextUpdate('/stop', { chatId: -100_200, date }))).toEqual([]);
  });

  test.each([
    ['member', 'kicked', ['stop']],
    ['kicked', 'member', ['start']],
    ['kicked', 'administrator', ['start']],
    ['kicked', 'left', []],
    ['left', 'member', []],
    ['member', 'administrator', []],
    ['member', 'left', []],
  ])('whose status changes from %s to %s is asked for %j', (from, to, wishes) => {
    expect(readWishes(createMembershipUpdate(from, to, chat))).toEqual(wishes);
  });

  test('that is removed from a group is about the group', () => {
    const update = createMembershipUpdate('administrator', 'kicked', { chatId: -100_200, date });
    expect(readReplies(update)).toMatchObject([{ wish: 'stop', address: '-100200' }]);
  });
});

test.each<[string, unknown]>([
  ['no JSON object', 'x'],
  ['no ID', { ...createTextUpdate('/stop', chat), update_id: undefined }],
  ['another kind', { update_id: 1, edited_message: createTextUpdate('/stop', chat)['message'] }],
  [
    'a chat without a number',
    { update_id: 1, message: { chat: { type: 'private' }, text: '/stop' } },
  ],
  ['a chat that is null', { update_id: 1, message: { chat: null, text: '/stop' } }],
  ['a membership without members', { update_id: 1, my_chat_member: {} }],
] as [string, unknown][])('an update with %s changes nothing', (_title, update) => {
  expect(readReplies(update)).toEqual([]);
});

test('an update with an impossible date counts when it arrives', () => {
  const update = createTextUpdate('/stop', { ...chat, date: 1e18 }) as TelegramUpdate;
  expect(readReplies(update)?.[0]).not.toHaveProperty('at');
});
