import { buildReceiptUrl } from '@belfry/runtime';
import {
  channelVersion,
  createMetaSimulator,
  type MessageRow,
  type MetaSend,
  type MetaSimulator,
  type MetaWebhook,
  type System,
  startSystem,
  type Tenant,
  testSecrets,
} from '@belfry/testing';

const appSecret = 'app-5ecret';
const verifyToken = 'verify-5ecret';
const sender = '100000000000001';

let meta: MetaSimulator;
let system: System;
let tenant: Tenant;
let event: string;
let receipts: string;

beforeAll(async () => {
  meta = await createMetaSimulator();
  system = await startSystem({ env: { META_API_URL: meta.url, SEND_TIMEOUT_MS: '5000' } });
  tenant = await system.factories.createTenant({ delivery: 'live' });
  const { id } = await system.factories.createIntegration(tenant, {
    channel: 'whatsapp',
    provider: 'meta',
    settings: { sender },
    credentials: { access_token: 'EAAG', app_secret: appSecret, verify_token: verifyToken },
  });
  const template = {
    name: 'order_shipped',
    language: 'en_US',
    parameters: [{ value: '{{name}}' }],
  };
  const version = channelVersion({ template }, { integrationIds: [id] });
  event = (await system.factories.createEvent(tenant, { whatsapp: version })).name;
  receipts = buildReceiptUrl({
    publicUrl: system.apiUrl,
    secrets: testSecrets(),
    integrationId: id,
  });
}, 120_000);

afterAll(async () => {
  await system.stop();
  await meta.close();
}, 120_000);

async function send(mobile: string): Promise<string> {
  const { status, body } = await system.send(tenant, {
    event,
    user: { mobile },
    data: { name: 'Ana\n& <Bo>' },
  });
  expect(status).toBe(200);
  return String(body.request_id);
}

async function settled(requestId: string, state: string): Promise<MessageRow> {
  const [message] = await system.settled(requestId, [state]);
  if (!message) throw new Error('No message');
  return message;
}

async function sendTo(mobile: string): Promise<{ requestId: string; sent: MetaSend }> {
  const requestId = await send(mobile);
  await settled(requestId, 'sent');
  const sent = meta.sends.find(({ to }) => to === mobile);
  if (!sent) throw new Error('No message was sent');
  return { requestId, sent };
}

async function report({ headers, body }: MetaWebhook): Promise<number> {
  const response = await fetch(receipts, { method: 'POST', headers, body: new Uint8Array(body) });
  return response.status;
}

const status = (sent: MetaSend, state: string, code?: number, secret = appSecret) =>
  meta.webhook([meta.createStatus(sent, state, code)], { appSecret: secret });

describe('a WhatsApp message by Meta', () => {
  test('arrives as an approved template, with its value on one line', async () => {
    const { requestId, sent } = await sendTo('+4512345601');
    const message = await settled(requestId, 'sent');
    expect(sent).toMatchObject({
      phoneNumberId: sender,
      messageId: message.id,
      body: {
        template: {
          components: [{ type: 'body', parameters: [{ type: 'text', text: 'Ana & <Bo>' }] }],
        },
      },
    });
    expect(message.attemptRows).toMatchObject([{ providerMessageId: sent.id }]);
  });

  test('becomes read when Meta says so, and stays read after late, repeated or wrongly signed receipts', async () => {
    const { requestId, sent } = await sendTo('+4512345602');
    expect(await report(status(sent, 'read', undefined, 'another'))).not.toBe(200);
    await settled(requestId, 'sent');
    expect(await report(status(sent, 'delivered'))).toBe(200);
    await settled(requestId, 'delivered');
    expect(await report(status(sent, 'read'))).toBe(200);
    for (const late of ['sent', 'delivered', 'read']) {
      expect(await report(status(sent, late))).toBe(200);
    }
    await settled(requestId, 'read');
  });

  test('to a person who stopped the number is the last by that number', async () => {
    const { requestId, sent } = await sendTo('+4512345603');
    expect(await report(status(sent, 'failed', 131_050))).toBe(200);
    expect((await settled(requestId, 'skipped')).reason).toBe('opted_out');
    const next = await settled(await send('+4512345603'), 'skipped');
    expect(next.reason).toBe('suppressed');
  });

  test('has a webhook that Meta verifies by the verify token', async () => {
    const requestChallenge = (token: string) =>
      fetch(`${receipts}?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=1158201444`);
    const answer = await requestChallenge(verifyToken);
    expect([answer.status, await answer.text()]).toEqual([200, '1158201444']);
    expect((await requestChallenge('another')).status).not.toBe(200);
  });
});
