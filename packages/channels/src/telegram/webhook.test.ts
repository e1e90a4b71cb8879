import { createTelegramSimulator, type TelegramFault } from '@belfry/testing';
import { telegramBotApi } from './bot-api';
import { createWebhookSecret } from './updates';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const token = '123456789:AAH-secret_secret_secret_secret_xyz';
const receiptUrl = 'https://belfry.example/v1/receipts/i1/s3cret';

async function setUp() {
  const simulator = await createTelegramSimulator();
  const sender = telegramBotApi.createSender({
    baseUrls: { telegram: simulator.url },
    allowedPrivateHosts: [],
  });
  closers.push(simulator.close, sender.close);
  const test = (changes: { receiptUrl?: string | undefined; isOn?: boolean } = {}) => {
    const { isOn = true, ...input } = { receiptUrl, ...changes };
    return sender.test({
      settings: { receives_replies: isOn },
      credentials: { bot_token: token },
      signal: AbortSignal.timeout(5_000),
      ...(input.receiptUrl === undefined ? {} : { receiptUrl: input.receiptUrl }),
    });
  };
  const listMethods = () => simulator.requests.map(({ path }) => path.split('/').at(-1));
  return { simulator, test, listMethods };
}

const ours = {
  ...{ url: receiptUrl, secret: createWebhookSecret(token) },
  allowedUpdates: ['message', 'my_chat_member'],
};

describe('a connection test of a bot that receives replies', () => {
  test('registers the webhook with its secret, for the updates that are read', async () => {
    const { simulator, test: testConnection, listMethods } = await setUp();
    expect(await testConnection()).toEqual({
      isWorking: true,
      detail:
        'Telegram identifies the token as the bot @simulated_bot. Belfry receives /stop and /start.',
    });
    expect(simulator.getWebhook(token)).toEqual(ours);
    expect(listMethods()).toEqual(['getMe', 'getWebhookInfo', 'setWebhook']);
  });

  test('renews its own webhook, also if the key ring has changed its URL', async () => {
    const { simulator, test: testConnection } = await setUp();
    const url = receiptUrl.replace('s3cret', '0ld');
    simulator.setWebhook(token, { url, allowedUpdates: [] });
    expect(await testConnection()).toMatchObject({ isWorking: true });
    expect(simulator.getWebhook(token)).toEqual(ours);
  });

  test.each([
    'https://shop.example/bot',
    'https://belfry.example/v1/receipts/i2/s3cret',
    'https://belfry.example.org/v1/receipts/i1/s3cret',
  ])('leaves the webhook %s alone and names its host only', async (url) => {
    const { simulator, test: testConnection, listMethods } = await setUp();
    simulator.setWebhook(token, { url, allowedUpdates: [] });
    const { isWorking, detail } = await testConnection();
    expect(isWorking).toBe(false);
    expect(detail).toContain(`The bot has a webhook on ${new URL(url).host}, which stays.`);
    expect(detail).not.toContain(new URL(url).pathname);
    expect(simulator.getWebhook(token).url).toBe(url);
    expect(listMethods()).not.toContain('setWebhook');
  });

  test.each([
    [undefined, 'Save the integration and test it again.'],
    ['http://127.0.0.1:4000/v1/receipts/i1/s', 'PUBLIC_URL must begin with https://.'],
  ])('calls no webhook method with the URL %s', async (url, cause) => {
    const { test: testConnection, listMethods } = await setUp();
    const { isWorking, detail } = await testConnection({ receiptUrl: url });
    expect([isWorking, detail.endsWith(cause)]).toEqual([false, true]);
    expect(listMethods()).toEqual(['getMe']);
  });

  test('is off unless the setting is on', async () => {
    const { simulator, test: testConnection, listMethods } = await setUp();
    expect(await testConnection({ isOn: false })).toMatchObject({ isWorking: true });
    expect(listMethods()).toEqual(['getMe']);
    expect(simulator.getWebhook(token).url).toBe('');
  });

  test.each<[TelegramFault, RegExp]>([
    [
      {
        ...{ on: '/setWebhook', errorCode: 400 },
        description: 'Bad Request: bad webhook: Failed to resolve host',
      },
      /start: Bad Request: bad webhook: Failed to resolve host\.$/,
    ],
    [{ on: '/setWebhook', reply: { status: 502, body: '' } }, /status 502\.$/],
    [{ on: '/getWebhookInfo', reset: 'after' }, /was lost[^.]*\.$/],
  ])('names the problem: %j', async (fault, detail) => {
    const { simulator, test: testConnection } = await setUp();
    simulator.fail(fault);
    const tested = await testConnection();
    expect(tested).toEqual({ isWorking: false, detail: expect.stringMatching(detail) });
    expect(tested.detail).not.toContain(token);
  });
});
