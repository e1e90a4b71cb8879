import { createTwilioSimulator } from '@belfry/testing';
import { whatsapp } from './channel';
import type { WhatsappContent, WhatsappTemplate } from './template';
import { twilioWhatsapp } from './twilio';

const contentSid = `HX${'3'.repeat(32)}`;
const service = `MG${'1'.repeat(32)}`;
const number = '+1 415 523 8886';
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function setUp() {
  const simulator = await createTwilioSimulator();
  const sender = twilioWhatsapp.createSender({
    baseUrls: { twilio: simulator.url },
    allowedPrivateHosts: ['127.0.0.1'],
  });
  closers.push(simulator.close, sender.close);
  const send = (content: WhatsappContent, settings: Record<string, unknown> = { sender: number }) =>
    sender.send({
      messageId: '0193',
      target: '+4512345678',
      content,
      settings,
      integrationId: 'i',
      integrationVersion: '1',
      credentials: { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'a'.repeat(32) },
      signal: AbortSignal.timeout(5_000),
      deadlineAt: Date.now() + 5_000,
    });
  return { simulator, send };
}

function compose(template: WhatsappTemplate, data = {}): WhatsappContent {
  const input = {
    data,
    target: '+4512345678',
    override: undefined,
    missing: 'empty',
    isSensitive: false,
  } as const;
  const composed = whatsapp.compile(template).compose(input);
  if ('failed' in composed) throw new Error(composed.detail);
  return composed.content;
}

describe('WhatsApp through Twilio', () => {
  test('sends text from number to number, in Twilio’s WhatsApp addresses', async () => {
    const { simulator, send } = await setUp();
    const { outcome } = await send(compose({ text: 'Hi {{v}}' }, { v: '<b> & {{x}}' }));
    expect(outcome.outcome).toBe('accepted');
    expect(simulator.sends[0]?.fields).toEqual({
      To: ['whatsapp:+4512345678'],
      From: ['whatsapp:+14155238886'],
      Body: ['Hi <b> & {{x}}'],
    });
  });

  test('leaves the sender to a messaging service', async () => {
    const { simulator, send } = await setUp();
    await send({ kind: 'text', text: 'Hi' }, { sender: service });
    expect(simulator.sends[0]?.fields).toMatchObject({ MessagingServiceSid: [service] });
    expect(simulator.sends[0]?.fields).not.toHaveProperty('From');
  });

  // caronc/apprise#1283
  test.each([
    ['by position', [{ value: '{{id}}' }, { value: 'Ana' }], { 1: '42', 2: 'Ana' }],
    ['by name', [{ name: 'order_id', value: '{{id}}' }], { order_id: '42' }],
  ])('fills the variables of a content template %s', async (_how, parameters, expected) => {
    const { simulator, send } = await setUp();
    await send(compose({ template: { content_sid: contentSid, parameters } }, { id: 42 }));
    const { ContentSid, ContentVariables, ...rest } = simulator.sends[0]?.fields ?? {};
    expect(ContentSid).toEqual([contentSid]);
    expect(JSON.parse(ContentVariables?.[0] ?? '')).toEqual(expected);
    expect(rest).not.toHaveProperty('Body');
  });

  test('sends a template without variables with no variables', async () => {
    const { simulator, send } = await setUp();
    await send(compose({ template: { content_sid: contentSid } }));
    expect(simulator.sends[0]?.fields).not.toHaveProperty('ContentVariables');
  });

  test.each<[string, WhatsappContent, object]>([
    [
      'a template that exists only at Meta',
      { kind: 'template', name: 'order', language: 'en', parameters: [], buttons: [] },
      { reason: 'no_content_sid' },
    ],
    [
      'a text over 1,600 characters',
      { kind: 'text', text: 'a'.repeat(1_601) },
      { reason: 'too_long', detail: expect.stringContaining('1600') },
    ],
  ])('refuses before the call: %s', async (_case, content, expected) => {
    const { simulator, send } = await setUp();
    expect((await send(content)).outcome).toMatchObject({
      outcome: 'rejected',
      scope: 'content',
      ...expected,
    });
    expect(simulator.requests).toEqual([]);
  });

  // twilio-labs/twilio-firebase-extensions#105, chatwoot/chatwoot#10563, tactilenews/100eyes#1739
  test('suggests an approved template for a text outside of the 24 hours', async () => {
    const { simulator, send } = await setUp();
    simulator.fail({ code: 63016 });
    expect((await send({ kind: 'text', text: 'Hi' })).outcome).toMatchObject({
      outcome: 'rejected',
      scope: 'content',
      detail: expect.stringContaining('use an approved template'),
    });
  });

  test('does not blame the integration when a template is paused', async () => {
    const { simulator, send } = await setUp();
    simulator.fail({ code: 63041 });
    const { outcome } = await send(compose({ template: { content_sid: contentSid } }));
    expect(outcome).toMatchObject({ scope: 'integration', sparesIntegration: true });
  });

  test('suppresses a person who blocked the sender for that sender', async () => {
    const { simulator, send } = await setUp();
    simulator.fail({ code: 63014 });
    expect(await send({ kind: 'text', text: 'Hi' })).toMatchObject({
      changes: [{ change: 'suppress', reason: 'opted_out', sender: number }],
    });
  });

  test('accepts only numbers and messaging services as senders', () => {
    const credentials = { account_sid: `AC${'0'.repeat(32)}`, auth_token: 'a'.repeat(32) };
    const listProblems = (sender: string) =>
      twilioWhatsapp.check({ settings: { sender }, credentials });
    expect(listProblems(number)).toEqual([]);
    expect(listProblems(`whatsapp:${number}`)).toEqual([]);
    expect(listProblems(service)).toEqual([]);
    for (const sender of ['Acme', '12345']) {
      expect(listProblems(sender)).toEqual([expect.stringContaining('sender must be')]);
    }
  });
});
