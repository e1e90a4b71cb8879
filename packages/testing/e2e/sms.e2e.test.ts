import {
  channelVersion,
  createTwilioSimulator,
  type MessageRow,
  type System,
  simulatedAuthToken,
  startSystem,
  type Tenant,
  type TwilioSend,
  type TwilioSimulator,
} from '@belfry/testing';

const sender = '+1 500 555 0009';

let twilio: TwilioSimulator;
let system: System;
let tenant: Tenant;
let event: string;

beforeAll(async () => {
  twilio = await createTwilioSimulator();
  system = await startSystem({ env: { TWILIO_API_URL: twilio.url, SEND_TIMEOUT_MS: '5000' } });
  tenant = await system.factories.createTenant({ delivery: 'live' });
  const { id } = await system.factories.createIntegration(tenant, {
    channel: 'sms',
    provider: 'twilio',
    settings: { sender },
    credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: simulatedAuthToken },
  });
  const version = channelVersion({ text: 'Hi {{name}}' }, { integrationIds: [id] });
  event = (await system.factories.createEvent(tenant, { sms: version })).name;
}, 120_000);

afterAll(async () => {
  await system.stop();
  await twilio.close();
}, 120_000);

async function send(mobile: string): Promise<string> {
  const body = { event, user: { mobile }, data: { name: '<Ana> & Bo' } };
  const answer = await system.send(tenant, body);
  expect(answer.status).toBe(200);
  return String(answer.body.request_id);
}

async function settled(requestId: string, state: string): Promise<MessageRow> {
  const [message] = await system.settled(requestId, [state]);
  if (!message) throw new Error('No message');
  return message;
}

async function sendTo(mobile: string): Promise<{ requestId: string; sent: TwilioSend }> {
  const requestId = await send(mobile);
  await settled(requestId, 'sent');
  const sent = twilio.sends.find(({ to }) => to === mobile);
  if (!sent) throw new Error('No SMS was sent');
  return { requestId, sent };
}

const report = (sent: TwilioSend, status: string, more = {}) =>
  twilio.report(sent, { status, origin: system.apiUrl, ...more });

describe('an SMS by Twilio', () => {
  test('arrives as the author wrote it, and requests its own receipts', async () => {
    const requestId = await send('45 20 12 34 56');
    const message = await settled(requestId, 'sent');
    const sent = twilio.sends.find(({ to }) => to === '+4520123456');
    expect(sent).toMatchObject({
      from: '+15005550009',
      body: 'Hi <Ana> & Bo',
      messageId: message.id,
    });
    expect(message.attemptRows).toMatchObject([{ providerMessageId: sent?.sid }]);
  });

  // twilio-labs/twilio-firebase-extensions#21, department-of-veterans-affairs/notification-api#1488, twilio/twilio-csharp#633
  test('stays delivered when an older receipt comes late, twice or wrongly signed', async () => {
    const { requestId, sent } = await sendTo('+4512345602');
    expect(await report(sent, 'delivered', { signature: 'wrong' })).not.toBe(200);
    expect(await report(sent, 'delivered', { signature: 'none' })).not.toBe(200);
    await settled(requestId, 'sent');
    expect(await report(sent, 'delivered')).toBe(200);
    await settled(requestId, 'delivered');
    for (const status of ['sent', 'queued', 'delivered']) {
      expect(await report(sent, status, { times: 2 })).toBe(200);
    }
    await settled(requestId, 'delivered');
  });

  test('that Twilio refuses because of a STOP is skipped, and its attempt keeps request and answer', async () => {
    twilio.fail({ code: 21610 });
    const skipped = await settled(await send('+4512345604'), 'skipped');
    expect(skipped).toMatchObject({
      reason: 'opted_out',
      attemptRows: [
        {
          outcome: 'rejected',
          reason: '21610',
          request: expect.stringContaining('+4512345604'),
          response: expect.stringContaining('21610'),
        },
      ],
    });
    expect((await settled(await send('+4512345604'), 'skipped')).reason).toBe('suppressed');
  });

  // opengovsg/postmangovsg#1150, chatwoot/chatwoot#14149, SparkDevNetwork/Rock#5581
  test('to a person who sent STOP is skipped permanently, and is the last by this sender', async () => {
    const { requestId, sent } = await sendTo('+4512345603');
    expect(await report(sent, 'undelivered', { errorCode: 21610 })).toBe(200);
    const skipped = await settled(requestId, 'skipped');
    expect(skipped.reason).toBe('opted_out');
    expect(await report(sent, 'failed')).toBe(200);
    expect((await settled(requestId, 'skipped')).reason).toBe('opted_out');
    const next = await settled(await send('+4512345603'), 'skipped');
    expect(next.reason).toBe('suppressed');
  });
});
