import { channels } from '@belfry/channels';
import { buildReceiptUrl, newId } from '@belfry/runtime';
import {
  createMetaMessage,
  createMetaPreference,
  createMetaSimulator,
  createTelegramSimulator,
  createTextUpdate,
  createTwilioSimulator,
  type MetaSimulator,
  simulatedAuthToken,
  type TelegramSimulator,
  type Tenant,
  type TwilioSimulator,
  testSecrets,
} from '@belfry/testing';
import { createStoredGateway, type StoredGateway } from '../stored-gateway.fixture';

const publicUrl = 'https://belfry.example';
const appSecret = 'app-5ecret';
const botToken = `123456789:${'s'.repeat(35)}`;
const phoneNumberId = '100000000000001';

let gateway: StoredGateway;
let origin: string;
let twilio: TwilioSimulator;
let meta: MetaSimulator;
let telegram: TelegramSimulator;
let tenant: Tenant;

beforeAll(async () => {
  gateway = await createStoredGateway({ env: { PUBLIC_URL: publicUrl } });
  const address = gateway.server.address();
  if (typeof address !== 'object' || address === null) throw new Error('No port');
  origin = `http://127.0.0.1:${address.port}`;
  [twilio, meta, telegram] = await Promise.all([
    createTwilioSimulator(),
    createMetaSimulator(),
    createTelegramSimulator(),
  ]);
});
beforeEach(async () => {
  tenant = await gateway.factories.createTenant();
});
afterAll(async () => {
  await Promise.all([twilio.close(), meta.close(), telegram.close()]);
  await gateway.close();
});

type Signature = 'right' | 'wrong' | 'none';
type Call = { url: string; text: string; id: string; signature: Signature };

/** How a person's text arrives by each provider, and what it suppresses. */
const ways = {
  'SMS by Twilio': {
    integration: {
      ...{ channel: 'sms', provider: 'twilio', settings: { sender: '+15005550009' } },
      credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: simulatedAuthToken },
    },
    texts: ['STOP', 'START', 'HELP'],
    suppressed: { channel: 'sms', recipient: '+4512345678', sender: '+15005550009' },
    send: async ({ url, text, id, signature }: Call) =>
      (
        await twilio.reply({
          ...{ url, origin, body: text, sid: id, signature },
          ...{ from: '+4512345678', to: '+15005550009' },
        })
      ).status,
  },
  'WhatsApp by Twilio': {
    integration: {
      ...{ channel: 'whatsapp', provider: 'twilio', settings: { sender: '+15005550009' } },
      credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: simulatedAuthToken },
    },
    texts: ['Stop promotions', 'Start', 'Info'],
    suppressed: { channel: 'whatsapp', recipient: '+4512345678', sender: '+15005550009' },
    send: async ({ url, text, id, signature }: Call) =>
      (
        await twilio.reply({
          ...{ url, origin, body: text, sid: id, signature },
          ...{ from: 'whatsapp:+4512345678', to: 'whatsapp:+15005550009' },
        })
      ).status,
  },
  'WhatsApp by Meta': {
    integration: {
      ...{ channel: 'whatsapp', provider: 'meta', settings: { sender: phoneNumberId } },
      credentials: { access_token: 'EAAG', app_secret: appSecret, verify_token: 'v' },
    },
    texts: ['stop', 'unstop', 'help'],
    suppressed: { channel: 'whatsapp', recipient: '+4512345678', sender: phoneNumberId },
    send: ({ url, text, id, signature }: Call) =>
      postMeta(url, signature, [
        createMetaMessage(
          { from: '4512345678', id, timestamp: getSeconds(), type: 'text', text: { body: text } },
          phoneNumberId,
        ),
      ]),
  },
  Telegram: {
    integration: {
      ...{ channel: 'telegram', provider: 'telegram', settings: { sender: '@acme_bot' } },
      credentials: { bot_token: botToken },
    },
    texts: ['/stop', '/start', '/help'],
    suppressed: { channel: 'telegram', recipient: '4242', sender: '@acme_bot' },
    send: async ({ url, text, id, signature }: Call) => {
      await registerWebhook(url);
      const update = { ...createTextUpdate(text, { chatId: 4242 }), update_id: toNumber(id) };
      return telegram.postUpdate(botToken, update, { origin, secret: signature });
    },
  },
};

/** By a connection test, as an operator does. */
async function registerWebhook(receiptUrl: string): Promise<void> {
  if (telegram.getWebhook(botToken).url === receiptUrl) return;
  telegram.setWebhook(botToken, { url: '', allowedUpdates: [] });
  const sender = channels.telegram.providers['telegram']?.createSender({
    baseUrls: { telegram: telegram.url },
    allowedPrivateHosts: [],
  });
  const settings = { receives_replies: true };
  const signal = AbortSignal.timeout(5_000);
  await sender?.test({ settings, credentials: { bot_token: botToken }, receiptUrl, signal });
  await sender?.close();
}

const getSeconds = () => String(Math.floor(Date.now() / 1_000));
const toNumber = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(-12), 16);

async function postMeta(url: string, signature: Signature, moreChanges: Record<string, unknown>[]) {
  const secret = signature === 'wrong' ? 'another' : appSecret;
  const { headers, body } = meta.webhook([], { appSecret: secret, phoneNumberId, moreChanges });
  if (signature === 'none') delete headers['x-hub-signature-256'];
  const { pathname } = new URL(url);
  const answer = await fetch(origin + pathname, {
    method: 'POST',
    headers,
    body: new Uint8Array(body),
  });
  return answer.status;
}

type NewIntegration = Parameters<StoredGateway['factories']['createIntegration']>[1];

async function createUrl(integration: NewIntegration, owner = tenant): Promise<string> {
  const { id } = await gateway.factories.createIntegration(owner, integration);
  return buildReceiptUrl({ publicUrl, secrets: testSecrets(), integrationId: id });
}

const list = (owner = tenant) =>
  gateway.database.prisma.suppression.findMany({ where: { appId: owner.appId } });

/** Forged calls, by the status of their answer. */
async function countRefused(): Promise<number> {
  const line = /belfry_http_requests_total\{route="\/v1\/receipts[^}]*status="403"\} (\d+)/;
  return Number(line.exec(await gateway.readMetrics())?.[1] ?? 0);
}

describe.each(Object.entries(ways))(
  'a reply on %s',
  (_name, { integration, texts, suppressed, send }) => {
    const [stop = '', start = '', help = ''] = texts;

    test('stops and starts the optional messages of its sender, and HELP changes nothing', async () => {
      const url = await createUrl(integration);
      const say = (text: string) => send({ url, text, id: newId(), signature: 'right' });
      expect(await say(help)).toBe(200);
      expect(await list()).toEqual([]);
      expect(await say(stop)).toBe(200);
      const row = { ...suppressed, source: 'reply', scope: 'optional', reason: 'opted_out' };
      expect(await list()).toMatchObject([row]);
      expect(await say(help)).toBe(200);
      expect(await list()).toHaveLength(1);
      expect(await say(start)).toBe(200);
      expect(await list()).toEqual([]);
    });

    test('counts once, however often the provider repeats it', async () => {
      const url = await createUrl(integration);
      const first = { url, text: stop, id: newId(), signature: 'right' } as const;
      const calls = Array.from({ length: 5 }, () => send(first));
      expect(await Promise.all(calls)).toEqual([200, 200, 200, 200, 200]);
      expect(await list()).toHaveLength(1);
      await send({ ...first, text: start, id: newId() });
      expect(await send(first)).toBe(200);
      expect(await list()).toEqual([]);
    });

    test('that is forged changes nothing and is counted, whether it stops or starts', async () => {
      const url = await createUrl(integration);
      const before = await countRefused();
      await send({ url, text: stop, id: newId(), signature: 'right' });
      const forged = { url, text: start, id: newId() };
      for (const signature of ['wrong', 'none'] as const) {
        expect(await send({ ...forged, signature })).toBe(403);
      }
      expect(await list()).toHaveLength(1);
      expect((await countRefused()) - before).toBe(2);
    });

    test('to another app’s integration is none of ours', async () => {
      const url = await createUrl(integration);
      await send({ url, text: stop, id: newId(), signature: 'right' });
      const neighbour = await gateway.factories.createTenant();
      const other = await createUrl(integration, neighbour);
      await send({ url: other, text: start, id: newId(), signature: 'right' });
      expect([await list(), await list(neighbour)]).toMatchObject([[suppressed], []]);
    });
  },
);

test('Twilio gets empty TwiML, so that no second answer reaches the person', async () => {
  const url = await createUrl(ways['SMS by Twilio'].integration);
  const people = { from: '+4512345678', to: '+15005550009' };
  const answer = await twilio.reply({ url, origin, body: 'STOP', ...people });
  expect(answer).toEqual({
    ...{ status: 200, type: 'text/xml; charset=utf-8' },
    body: expect.stringMatching(/<Response><\/Response>$/),
  });
});

test('a person who stops marketing in WhatsApp’s settings and resumes it is suppressed in between', async () => {
  const url = await createUrl(ways['WhatsApp by Meta'].integration);
  const preference = { wa_id: '4512345678', timestamp: 1_731_705_721 };
  const change = (value: 'stop' | 'resume', timestamp: number) =>
    postMeta(url, 'right', [
      createMetaPreference({ ...preference, value, timestamp }, phoneNumberId),
    ]);
  expect(await change('stop', 1_731_705_721)).toBe(200);
  expect(await list()).toMatchObject([{ source: 'reply', sender: phoneNumberId }]);
  await change('resume', 1_731_705_720);
  expect(await list()).toHaveLength(1);
  await change('resume', 1_731_705_800);
  expect(await list()).toEqual([]);
});
