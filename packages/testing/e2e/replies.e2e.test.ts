import { channels, type IntegrationInput } from '@belfry/channels';
import { buildReceiptUrl } from '@belfry/runtime';
import { finalStates } from '@belfry/shared';
import {
  channelVersion,
  createMembershipUpdate,
  createMetaMessage,
  createMetaSimulator,
  createTelegramSimulator,
  createTextUpdate,
  createTwilioSimulator,
  eventually,
  type MetaSimulator,
  type System,
  simulatedAuthToken,
  startSystem,
  type TelegramSimulator,
  type Tenant,
  type TwilioSimulator,
  testSecrets,
} from '@belfry/testing';

const number = '+15005550009';
const appSecret = 'app-5ecret';
const phoneNumberId = '100000000000001';
const botToken = `123456789:${'s'.repeat(35)}`;
const publicUrl = 'https://belfry.example';

let twilio: TwilioSimulator;
let meta: MetaSimulator;
let telegram: TelegramSimulator;
let system: System;
let tenant: Tenant;

beforeAll(async () => {
  [twilio, meta, telegram] = await Promise.all([
    createTwilioSimulator(),
    createMetaSimulator(),
    createTelegramSimulator(),
  ]);
  system = await startSystem({
    env: {
      ...{ TWILIO_API_URL: twilio.url, META_API_URL: meta.url, TELEGRAM_API_URL: telegram.url },
      PUBLIC_URL: publicUrl,
    },
  });
  tenant = await system.factories.createTenant({ delivery: 'live' });
}, 120_000);

afterAll(async () => {
  await system.stop();
  await Promise.all([twilio.close(), meta.close(), telegram.close()]);
}, 120_000);

type Integration = IntegrationInput & { channel: string; provider: string };

/** An integration with an optional and a mandatory event, and the URL where its provider calls us. */
async function setUp(integration: Integration, template: object) {
  const { id } = await system.factories.createIntegration(tenant, integration);
  const version = channelVersion(template, { integrationIds: [id] });
  const channels = { [integration.channel]: version };
  const createEvent = async (kind: 'optional' | 'mandatory') =>
    (await system.factories.createEvent(tenant, channels, { kind })).name;
  const events = {
    optional: await createEvent('optional'),
    mandatory: await createEvent('mandatory'),
  };
  const url = buildReceiptUrl({ publicUrl, secrets: testSecrets(), integrationId: id });
  return { events, url };
}

/** The state in which a message ends, with its reason. */
async function send(event: string, user: object): Promise<string> {
  const requestId = await system.sendAccepted(tenant, { event, user });
  return eventually(
    async () => {
      const [message] = await system.readMessages(requestId);
      if (!message || !finalStates.includes(message.state)) throw new Error('It is not settled');
      return [message.state, message.reason].filter(Boolean).join(' ');
    },
    { timeoutMs: 30_000 },
  );
}

type Person = { events: { optional: string; mandatory: string }; user: object };

async function expectStopAndStart(
  { events, user }: Person,
  reply: (wish: 'stop' | 'start') => Promise<unknown>,
): Promise<void> {
  expect(await send(events.optional, user)).toBe('sent');
  expect(await reply('stop')).toBe(200);
  expect(await send(events.optional, user)).toBe('skipped suppressed');
  expect(await send(events.mandatory, user)).toBe('sent');
  expect(await reply('start')).toBe(200);
  expect(await send(events.optional, user)).toBe('sent');
}

/** As the dashboard does. */
async function testConnection(call: IntegrationInput & { receiptUrl: string }): Promise<void> {
  const sender = channels.telegram.providers['telegram']?.createSender({
    baseUrls: { telegram: telegram.url },
    allowedPrivateHosts: [],
  });
  await sender?.test({ ...call, signal: AbortSignal.timeout(5_000) });
  await sender?.close();
}

/** The tests run at once: most wait for the rate of their channel. Each sends to its own person. */
describe('a person who replies STOP gets no optional message, still gets mandatory ones, and gets both after START', () => {
  test.concurrent('by SMS', async () => {
    const { events, url } = await setUp(
      {
        ...{ channel: 'sms', provider: 'twilio', settings: { sender: number } },
        credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: simulatedAuthToken },
      },
      { text: 'Hi' },
    );
    const mobile = '+4512345601';
    const ends = { from: mobile, to: number };
    await expectStopAndStart({ events, user: { mobile } }, async (wish) => {
      const body = wish.toUpperCase();
      return (await twilio.reply({ url, origin: system.apiUrl, body, ...ends })).status;
    });
  });

  test.concurrent('by WhatsApp', async () => {
    const template = { name: 'news', language: 'en', parameters: [] };
    const { events, url } = await setUp(
      {
        ...{ channel: 'whatsapp', provider: 'meta', settings: { sender: phoneNumberId } },
        credentials: { access_token: 'EAAG', app_secret: appSecret, verify_token: 'v' },
      },
      { template },
    );
    let seconds = Math.floor(Date.now() / 1_000) - 60;
    await expectStopAndStart({ events, user: { mobile: '+4512345602' } }, async (wish) => {
      seconds += 1;
      const text = wish === 'stop' ? 'Stop promotions' : 'Start';
      const message = {
        ...{ from: '4512345602', id: `wamid.${wish}`, timestamp: String(seconds) },
        ...{ type: 'button', button: { text, payload: text } },
      };
      const moreChanges = [createMetaMessage(message, phoneNumberId)];
      const { headers, body } = meta.webhook([], { appSecret, phoneNumberId, moreChanges });
      const to = system.apiUrl + new URL(url).pathname;
      return (await fetch(to, { method: 'POST', headers, body: new Uint8Array(body) })).status;
    });
  });

  test.concurrent('by Telegram, and by blocking and unblocking the bot, once a connection test has registered the webhook', async () => {
    const bot = {
      settings: { sender: '@simulated_bot', receives_replies: true },
      credentials: { bot_token: botToken },
    };
    const place = { channel: 'telegram', provider: 'telegram' };
    const { events, url } = await setUp({ ...place, ...bot }, { text: 'Hi' });
    await testConnection({ ...bot, receiptUrl: url });
    expect(telegram.getWebhook(botToken).url).toBe(url);
    const user = { telegram: { chat_id: '4242' } };
    const { apiUrl: origin } = system;
    await expectStopAndStart({ events, user }, (wish) =>
      telegram.postUpdate(botToken, createTextUpdate(`/${wish}`, { chatId: 4242 }), { origin }),
    );
    await expectStopAndStart({ events, user }, (wish) => {
      const [from, to] = wish === 'stop' ? ['member', 'kicked'] : ['kicked', 'member'];
      const update = createMembershipUpdate(from, to, { chatId: 4242 });
      return telegram.postUpdate(botToken, update, { origin });
    });
  });
});
