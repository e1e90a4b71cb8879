import {
  createTwilioSimulator,
  type TwilioFault,
  type TwilioSend,
  type TwilioSimulatorOptions,
} from '@belfry/testing';
import type { SendCall } from '../channel';
import { readPayload } from '../payload';
import type { SmsContent } from './template';
import { twilioSms } from './twilio';

const credentials = { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'a'.repeat(32) };
const service = `MG${'1'.repeat(32)}`;
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function setUp(options: TwilioSimulatorOptions = {}) {
  const simulator = await createTwilioSimulator(options);
  const sender = twilioSms.createSender({
    baseUrls: { twilio: simulator.url },
    allowedPrivateHosts: ['127.0.0.1'],
  });
  closers.push(simulator.close, sender.close);
  const send = (changes: Partial<SendCall<SmsContent>> = {}) =>
    sender.send({ ...createCall(changes), signal: AbortSignal.timeout(5_000) });
  return { simulator, sender, send };
}

function createCall(changes: Partial<SendCall<SmsContent>> = {}) {
  return {
    messageId: '0193',
    target: '+4512345678',
    content: { text: 'Hello' },
    settings: { sender: '+15005550009' },
    integrationId: 'i',
    integrationVersion: '1',
    credentials,
    deadlineAt: Date.now() + 5_000,
    ...changes,
  };
}

describe('the request to Twilio', () => {
  test.each<[string, string, object]>([
    ['a number', '+15005550009', { From: ['+15005550009'] }],
    // twilio/twilio-csharp#421
    ['a number as Twilio’s console shows it', '+1 (500) 555-0009', { From: ['+15005550009'] }],
    ['a number without its plus', '15005550009', { From: ['+15005550009'] }],
    ['a short code', '12345', { From: ['12345'] }],
    ['a name', 'Acme 24', { From: ['Acme 24'] }],
    ['a messaging service', service, { MessagingServiceSid: [service] }],
  ])('is sent from %s', async (_kind, sender, expected) => {
    const { simulator, send } = await setUp();
    expect((await send({ settings: { sender } })).outcome.outcome).toBe('accepted');
    expect(simulator.sends).toMatchObject([{ to: '+4512345678', body: 'Hello', fields: expected }]);
    const otherField = sender === service ? 'From' : 'MessagingServiceSid';
    expect(simulator.sends[0]?.fields).not.toHaveProperty(otherField);
  });

  test('is sent from the call’s sender, if set', async () => {
    const { simulator, send } = await setUp();
    await send({ content: { text: 'Hello', sender: 'Acme' } });
    expect(simulator.sends).toMatchObject([{ from: 'Acme' }]);
  });

  test.each(['Much too long a name', '!', '+12', `AC${'0'.repeat(32)}`, '+15005550009,Acme'])(
    'is not sent when the call’s sender is invalid: %s',
    async (sender) => {
      const { simulator, send } = await setUp();
      expect((await send({ content: { text: 'Hello', sender } })).outcome).toMatchObject({
        outcome: 'rejected',
        scope: 'content',
        reason: 'bad_sender',
      });
      expect(simulator.requests).toEqual([]);
    },
  );

  // 21266; and twilio/twilio-ruby#348, where Twilio reports an object or a colon in To as a wrong
  // From.
  test.each<[string, Partial<SendCall<SmsContent>>, string]>([
    ['to equals from', { settings: { sender: '+45 12 34 56 78' } }, '21266'],
    ['to is not a number', { target: '[object Object]' }, 'no_target'],
    ['to holds a colon', { target: 'tel:+4512345678' }, 'no_target'],
  ])('is not sent when %s', async (_case, changes, reason) => {
    const { simulator, send } = await setUp();
    expect((await send(changes)).outcome).toMatchObject({
      outcome: 'rejected',
      scope: 'recipient',
      reason,
    });
    expect(simulator.requests).toEqual([]);
  });

  test('is not sent without credentials, whatever the environment contains', async () => {
    process.env['TWILIO_ACCOUNT_SID'] = credentials.account_sid;
    process.env['TWILIO_AUTH_TOKEN'] = credentials.auth_token;
    const { simulator, send } = await setUp();
    for (const partialCredentials of [{}, { account_sid: credentials.account_sid }]) {
      expect((await send({ credentials: partialCredentials })).outcome).toMatchObject({
        outcome: 'rejected',
        scope: 'integration',
      });
    }
    delete process.env['TWILIO_ACCOUNT_SID'];
    delete process.env['TWILIO_AUTH_TOKEN'];
    expect(simulator.requests).toEqual([]);
  });

  test('goes to Twilio’s own host, whatever region the environment sets', async () => {
    process.env['TWILIO_REGION'] = 'ie1';
    const { simulator, send } = await setUp();
    expect((await send()).outcome.outcome).toBe('accepted');
    delete process.env['TWILIO_REGION'];
    expect(simulator.requests[0]?.path).toBe(
      `/2010-04-01/Accounts/${credentials.account_sid}/Messages.json`,
    );
  });

  test('is signed with the API key, if set', async () => {
    const { simulator, send } = await setUp();
    const key = { api_key_sid: `SK${'2'.repeat(32)}`, api_key_secret: 'key-secret' };
    await send({ credentials: { ...credentials, ...key } });
    expect(simulator.requests[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from(`${key.api_key_sid}:key-secret`).toString('base64')}`,
    );
    expect(simulator.sends).toMatchObject([{ accountSid: credentials.account_sid }]);
  });

  test('requests receipts at the message’s own URL only when their signature can be checked', async () => {
    const { simulator, send } = await setUp();
    const receiptUrl = 'https://belfry.example/v1/receipts/i/s?message=0193';
    const { account_sid } = credentials;
    const key = { account_sid, api_key_sid: `SK${'2'.repeat(32)}`, api_key_secret: 'key-secret' };
    await send({ receiptUrl });
    await send({ receiptUrl, credentials: key });
    expect(simulator.sends[0]).toMatchObject({ statusCallback: receiptUrl, messageId: '0193' });
    expect(simulator.sends[1]).not.toHaveProperty('statusCallback');
  });

  test('accepts the call’s allowed fields over ours, and never another address or sender', async () => {
    const { simulator, send } = await setUp();
    const ownPayload = {
      ValidityPeriod: 60,
      SmartEncoded: true,
      MediaUrl: ['https://example.com/a.png', 'https://example.com/b.png'],
      To: '+15005550001',
      From: 'Evil',
      StatusCallback: 'https://evil.example',
      Body: 'Evil',
      RiskCheck: 'maybe',
    };
    const override = JSON.stringify({ providers: { main: { payload: ownPayload } } });
    const { payload, notes } = readPayload({ override }, 'main', twilioSms.payload);
    await send(payload ? { payload } : {});
    expect(simulator.sends[0]?.fields).toEqual({
      To: ['+4512345678'],
      From: ['+15005550009'],
      Body: ['Hello'],
      ValidityPeriod: ['60'],
      SmartEncoded: ['true'],
      MediaUrl: ['https://example.com/a.png', 'https://example.com/b.png'],
    });
    expect(notes).toEqual({
      ignored_override: 'To, From, StatusCallback, Body, RiskCheck',
    });
  });

  test('sends a text byte for byte, whatever it contains', async () => {
    const { simulator, send } = await setUp();
    const text = 'a&To=+15005550001\n<b>%0d%0aFrom: é 👋 {{x}} "\'';
    await send({ content: { text } });
    expect(simulator.sends).toMatchObject([{ to: '+4512345678', body: text }]);
  });

  test('matches its description', async () => {
    const { simulator, send } = await setUp();
    await send();
    const { operation, body } = twilioSms.describe(createCall());
    expect(operation).toBe(
      'POST https://api.twilio.com/2010-04-01/Accounts/{account_sid}/Messages.json',
    );
    const fields = Object.entries(simulator.sends[0]?.fields ?? {});
    expect(body).toEqual(Object.fromEntries(fields.map(([name, [value]]) => [name, value])));
  });

  test('is sent for many messages at once', async () => {
    const { simulator, send } = await setUp();
    simulator.fail(...Array.from({ length: 60 }, () => ({ slowMs: 300 })));
    const results = await Promise.all(Array.from({ length: 60 }, () => send()));
    expect(results.filter(({ outcome }) => outcome.outcome === 'accepted')).toHaveLength(60);
    expect(simulator.sends).toHaveLength(60);
  });
});

describe('contact updates from Twilio’s responses', () => {
  const number = '+1 500 555 0009';

  test.each<[string, number, string, object[]]>([
    // SparkDevNetwork/Rock#5581
    ['a STOP applies to its sender', 21610, number, [{ reason: 'opted_out', sender: number }]],
    ['a STOP applies to its service', 21610, service, [{ reason: 'opted_out', sender: service }]],
    // twilio/twilio-node#845
    ['a landline applies to every sender', 21614, number, [{ reason: 'bounced', sender: '' }]],
    ['a bad number applies to every sender', 21211, number, [{ reason: 'bounced', sender: '' }]],
    ['a fault changes nothing', 20500, number, []],
    ['an unknown code changes nothing', 29999, number, []],
  ])('%s', async (_case, code, sender, expected) => {
    const { simulator, send } = await setUp({ isListing: false });
    simulator.fail({ code });
    const { changes = [] } = await send({ settings: { sender } });
    expect(changes).toMatchObject(expected.map((change) => ({ change: 'suppress', ...change })));
    expect(changes).toHaveLength(expected.length);
  });

  test('a STOP to the call’s own sender applies only to that sender', async () => {
    const { simulator, send } = await setUp();
    simulator.fail({ code: 21610 }, { code: 21610 });
    const withSender = (sender: string) => ({ content: { text: 'Hello', sender } });
    const settings = { sender: number };
    expect(await send({ settings, ...withSender('+1 500 555 0007') })).toMatchObject({
      changes: [{ sender: '+15005550007' }],
    });
    expect(await send({ settings, ...withSender('15005550009') })).toMatchObject({
      changes: [{ sender: number }],
    });
  });

  // CodeWithAsheville/court-notifications#44
  test('the detail of an opt-out tells how to lift it', async () => {
    const { simulator, send } = await setUp();
    simulator.fail({ code: 21610 });
    expect((await send()).outcome.detail).toContain('START');
  });

  test('a code that does not certainly blame the integration fails only its message', async () => {
    const { simulator, send } = await setUp();
    simulator.fail({ code: 21212 }, { code: 21606 }, { code: 21606 });
    expect((await send()).outcome).toMatchObject({ scope: 'integration', sparesIntegration: true });
    expect((await send()).outcome).not.toHaveProperty('sparesIntegration');
    expect((await send({ content: { text: 'Hello', sender: 'Acme' } })).outcome).toMatchObject({
      scope: 'integration',
      sparesIntegration: true,
    });
  });
});

describe('a message whose response was lost', () => {
  const foundOutcome = { outcome: 'accepted', providerMessageId: expect.stringMatching(/^SM/) };

  // twilio/twilio-ruby#519; twilio/twilio-node#312, #338, #317
  test.each<[string, TwilioFault]>([
    ['reset', { reset: 'after' }],
    ['cut off', { truncated: true }],
  ])('is found in Twilio’s list when the response was %s', async (_case, fault) => {
    const { simulator, send } = await setUp();
    await send({ content: { text: 'Another text' } });
    simulator.fail(fault);
    expect((await send()).outcome).toMatchObject(foundOutcome);
    expect(simulator.sends.filter(({ body }) => body === 'Hello')).toHaveLength(1);
  });

  test.each<[string, TwilioFault[], TwilioSimulatorOptions]>([
    ['Twilio does not list it yet', [{ reset: 'after' }], { isListing: false }],
    ['it never arrived', [{ reset: 'before' }], {}],
    ['the list cannot be read', [{ reset: 'after' }, { code: 20503 }], {}],
  ])('stays unknown when %s', async (_case, faults, options) => {
    const { simulator, send } = await setUp(options);
    simulator.fail(...faults);
    expect((await send()).outcome.outcome).toBe('unknown');
    expect(simulator.sends.length).toBeLessThanOrEqual(1);
  });

  test('stays unknown when two messages match, and when the only match is old', async () => {
    const { simulator, send } = await setUp();
    await send();
    simulator.fail({ reset: 'after' });
    expect((await send()).outcome.outcome).toBe('unknown');

    const otherStage = await setUp();
    await otherStage.send();
    setAge(otherStage.simulator.sends, 60_000);
    otherStage.simulator.fail({ reset: 'before' });
    expect((await otherStage.send()).outcome.outcome).toBe('unknown');
  });

  function setAge(sends: TwilioSend[], ageMs: number): void {
    for (const send of sends) send.createdAt = new Date(Date.now() - ageMs);
  }
});

describe('a Twilio integration', () => {
  const settings = { sender: '+15005550009' };

  test.each<[string, object, object, string[]]>([
    ['an auth token', settings, credentials, []],
    [
      'an API key',
      settings,
      {
        account_sid: credentials.account_sid,
        api_key_sid: `SK${'2'.repeat(32)}`,
        api_key_secret: 'x',
      },
      [],
    ],
    [
      'an API key’s SID instead of the account’s',
      settings,
      { ...credentials, account_sid: `SK${'2'.repeat(32)}` },
      ['account_sid is the SID'],
    ],
    ['no account', settings, { auth_token: credentials.auth_token }, ['account_sid must be']],
    ['no secret', settings, { account_sid: credentials.account_sid }, ['auth_token must be set']],
    [
      'a token with a space',
      settings,
      { ...credentials, auth_token: `${'a'.repeat(31)} ` },
      ['auth_token must have 32'],
    ],
    [
      'half a key',
      settings,
      { ...credentials, api_key_sid: `SK${'2'.repeat(32)}` },
      ['api_key_secret must be set'],
    ],
    [
      'the other half',
      settings,
      { ...credentials, api_key_secret: 'x' },
      ['api_key_sid must be set'],
    ],
    ['no sender', {}, credentials, ['sender must be']],
    ['an invalid sender', { sender: 'hello@example.org' }, credentials, ['sender must be']],
  ])('is checked on save: %s', (_case, savedSettings, secrets, problems) => {
    expect(
      twilioSms.check({ settings: { ...savedSettings }, credentials: { ...secrets } }),
    ).toEqual(problems.map((problem) => expect.stringContaining(problem)));
  });

  test.each<[string, TwilioFault | undefined, object, object]>([
    ['an active account', undefined, credentials, { isWorking: true }],
    ['wrong credentials', { code: 20003 }, credentials, { isWorking: false }],
    [
      'a suspended account',
      { reply: { body: { status: 'suspended' } } },
      credentials,
      { isWorking: false, detail: 'Twilio reports the account as suspended.' },
    ],
    ['a broken connection', { reset: 'before' }, credentials, { isWorking: false }],
    ['no credentials', undefined, {}, { isWorking: false }],
  ])('is tested without sending anything: %s', async (_case, fault, secrets, expected) => {
    const { simulator, sender } = await setUp();
    if (fault) simulator.fail(fault);
    const signal = AbortSignal.timeout(5_000);
    const tested = await sender.test({ settings, credentials: { ...secrets }, signal });
    expect(tested).toMatchObject(expected);
    expect(tested.detail).toMatch(/^[A-Z].*\.$/);
    expect(simulator.sends).toEqual([]);
  });
});
