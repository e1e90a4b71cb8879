import { hash } from 'node:crypto';
import { createMetaSimulator, type MetaFault } from '@belfry/testing';
import fc from 'fast-check';
import type { SendCall } from '../channel';
import { compileWhatsapp } from './compose';
import { meta } from './meta';
import type { WhatsappContent } from './template';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const token = 'EAAG-5ecret-t0ken';
const settings = { sender: '100000000000001' };
const credentials = { access_token: token };

async function setUp() {
  const simulator = await createMetaSimulator();
  const sender = meta.createSender({
    baseUrls: { meta: `${simulator.url}/` },
    allowedPrivateHosts: [],
  });
  closers.push(simulator.close, sender.close);
  const send = (changes: Partial<SendCall<WhatsappContent>> = {}) =>
    sender.send({
      messageId: '0193-a',
      target: '+4512345678',
      content: { kind: 'text', text: 'Hello' },
      settings,
      integrationId: 'i1',
      integrationVersion: '1',
      credentials,
      signal: AbortSignal.timeout(5_000),
      deadlineAt: Date.now() + 5_000,
      ...changes,
    });
  const test = (changes: Partial<Parameters<typeof sender.test>[0]> = {}) =>
    sender.test({ settings, credentials, signal: AbortSignal.timeout(5_000), ...changes });
  return { simulator, send, test };
}

describe('a message sent with Meta', () => {
  test('has its number, its text and its ID', async () => {
    const { simulator, send } = await setUp();
    const { outcome, response } = await send();
    expect(simulator.requests).toMatchObject([
      {
        method: 'POST',
        path: '/v23.0/100000000000001/messages',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      },
    ]);
    const [sent] = simulator.sends;
    expect(sent).toMatchObject({
      to: '+4512345678',
      messageId: '0193-a',
      tokenHash: hash('sha256', token, 'hex'),
      body: {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: '+4512345678',
        type: 'text',
        text: { preview_url: false, body: 'Hello' },
        biz_opaque_callback_data: '0193-a',
      },
    });
    expect(outcome).toEqual({ outcome: 'accepted', providerMessageId: sent?.id });
    expect(response).toEqual({ messages: [{ id: sent?.id, message_status: 'accepted' }] });
  });

  test('matches its description', async () => {
    const { simulator, send } = await setUp();
    const call = {
      payload: { preview_url: true },
      settings: { ...settings, graph_version: 'v24.0' },
    };
    await send(call);
    expect(simulator.requests[0]?.path).toBe('/v24.0/100000000000001/messages');
    const content: WhatsappContent = { kind: 'text', text: 'Hello' };
    expect(meta.describe({ messageId: '0193-a', target: '+4512345678', content, ...call })).toEqual(
      {
        operation: 'POST https://graph.facebook.com/v24.0/100000000000001/messages',
        body: simulator.sends[0]?.body,
      },
    );
  });

  test('accepts a link preview and a reply reference from the call, and nothing else', async () => {
    const { simulator, send } = await setUp();
    const context = { message_id: 'wamid.HBgL' };
    await send({ payload: { preview_url: true, context } });
    await send({ payload: { to: '+4587654321', biz_opaque_callback_data: 'x', type: 'image' } });
    await send({ payload: { context: { message_id: 'wamid.HBgL', to: '+4587654321' } } });
    expect(simulator.sends.map(({ body }) => body)).toMatchObject([
      { context, text: { preview_url: true, body: 'Hello' } },
      { to: '+4512345678', type: 'text', biz_opaque_callback_data: '0193-a' },
      { to: '+4512345678', type: 'text' },
    ]);
    for (const { body } of simulator.sends.slice(1)) expect(body).not.toHaveProperty('context');
  });

  test('that Meta holds is accepted with a note', async () => {
    const { simulator, send } = await setUp();
    const messages = [{ id: 'wamid.H', message_status: 'held_for_quality_assessment' }];
    simulator.fail({ reply: { body: { messages } } });
    expect((await send()).outcome).toEqual({
      outcome: 'accepted',
      providerMessageId: 'wamid.H',
      detail: expect.stringContaining('holds the message'),
    });
  });
});

describe('an approved template sent with Meta', () => {
  const content: WhatsappContent = {
    kind: 'template',
    name: 'order_shipped',
    language: 'pt_BR',
    parameters: [{ text: 'Ada' }, { text: '7' }],
    buttons: [],
  };
  const name = { name: 'order_shipped', language: { code: 'pt_BR' } };
  const body = {
    type: 'body',
    parameters: [
      { type: 'text', text: 'Ada' },
      { type: 'text', text: '7' },
    ],
  };

  test.each<[string, Partial<typeof content>, object]>([
    ['ordered parameters', {}, { ...name, components: [body] }],
    ['no parameter', { parameters: [] }, name],
    [
      'named parameters',
      { parameters: [{ name: 'order_id', text: '7' }] },
      {
        ...name,
        components: [
          { type: 'body', parameters: [{ type: 'text', parameter_name: 'order_id', text: '7' }] },
        ],
      },
    ],
    [
      'a text header',
      { header: { kind: 'text', text: 'T' } },
      { components: [{ type: 'header', parameters: [{ type: 'text', text: 'T' }] }, body] },
    ],
    [
      'an image',
      { header: { kind: 'image', url: 'https://x.org/a' } },
      {
        components: [
          { type: 'header', parameters: [{ type: 'image', image: { link: 'https://x.org/a' } }] },
          body,
        ],
      },
    ],
    [
      'a document',
      { header: { kind: 'document', url: 'https://x.org/a', fileName: 'A.pdf' } },
      {
        components: [
          {
            type: 'header',
            parameters: [
              { type: 'document', document: { link: 'https://x.org/a', filename: 'A.pdf' } },
            ],
          },
          body,
        ],
      },
    ],
    [
      'buttons',
      {
        buttons: [
          { index: 0, kind: 'url', text: 'orders/7' },
          { index: 1, kind: 'quick_reply', text: 'stop' },
          { index: 2, kind: 'copy_code', text: 'SAVE7' },
        ],
      },
      {
        components: [
          body,
          {
            type: 'button',
            sub_type: 'url',
            index: '0',
            parameters: [{ type: 'text', text: 'orders/7' }],
          },
          {
            type: 'button',
            sub_type: 'quick_reply',
            index: '1',
            parameters: [{ type: 'payload', payload: 'stop' }],
          },
          {
            type: 'button',
            sub_type: 'copy_code',
            index: '2',
            parameters: [{ type: 'coupon_code', coupon_code: 'SAVE7' }],
          },
        ],
      },
    ],
  ])('has the right component for %s', async (_what, changes, template) => {
    const { simulator, send } = await setUp();
    await send({ content: { ...content, ...changes } });
    expect(simulator.sends[0]?.body).toMatchObject({ type: 'template', template });
    expect(simulator.sends[0]?.body).not.toHaveProperty('text');
  });

  test('is refused before the call with only a Content SID', async () => {
    const { simulator, send } = await setUp();
    const { outcome } = await send({
      content: { kind: 'template', contentSid: `HX${'0'.repeat(32)}`, parameters: [], buttons: [] },
    });
    expect(outcome).toMatchObject({ outcome: 'rejected', scope: 'content' });
    expect(simulator.requests).toEqual([]);
  });
});

describe('a refusal by Meta', () => {
  test.each<[string, MetaFault, object]>([
    // twilio-labs/twilio-firebase-extensions#105, chatwoot/chatwoot#10563, tactilenews/100eyes#1739, hackclub/attend#84
    [
      'of a text outside of the 24 hours suggests a template',
      { code: 131_047, with: { message: '' } },
      {
        outcome: 'rejected',
        scope: 'content',
        detail: expect.stringContaining('approved template'),
      },
    ],
    // swampratnz/community-agent#470
    [
      'with 429 is retried when Meta asks, and does not blame the credentials',
      { code: 80_007, status: 429 },
      { outcome: 'retry', afterMs: 60_000 },
    ],
    // chatwoot/chatwoot#12179
    [
      'with the sporadic 131000 is retried after a minute',
      { code: 131_000, status: 500 },
      { outcome: 'retry', afterMs: 60_000 },
    ],
    // chatwoot/chatwoot#15563
    [
      'with the sporadic 131026 is retried once, after an hour',
      { code: 131_026 },
      { outcome: 'retry', afterMs: 3_600_000, maxAttempts: 2 },
    ],
    // caronc/apprise#1283
    [
      'of parameters that the template does not have blames the content',
      { code: 132_000 },
      { outcome: 'rejected', scope: 'content' },
    ],
    [
      'of a paused template does not blame the integration',
      { code: 132_015 },
      { outcome: 'rejected', scope: 'content' },
    ],
  ])('%s', async (_what, fault, expected) => {
    const { simulator, send } = await setUp();
    simulator.fail(fault);
    expect((await send()).outcome).toMatchObject(expected);
  });

  // SparkDevNetwork/Rock#5581
  test('of a person who opted out suppresses the person only for this number', async () => {
    const { simulator, send } = await setUp();
    simulator.fail({ code: 131_050 });
    expect(await send()).toMatchObject({
      outcome: { outcome: 'rejected', scope: 'recipient', reason: '131050' },
      changes: [{ change: 'suppress', reason: 'opted_out', sender: '100000000000001' }],
    });
  });

  test('with any other code does not change the person', async () => {
    const { simulator, send } = await setUp();
    for (const code of [131_026, 131_047, 131_049, 131_000, 199_999]) {
      simulator.fail({ code });
      expect(await send()).not.toHaveProperty('changes');
    }
  });

  test('is stored cut, with useful fields only', async () => {
    const { simulator, send } = await setUp();
    const details = 'x'.repeat(500);
    simulator.fail({
      code: 100,
      with: { error_data: { details, secret: 's' }, error_subcode: 33 },
    });
    expect((await send()).response).toEqual({
      status: 400,
      error: {
        code: '100',
        error_subcode: 33,
        type: 'OAuthException',
        message: '(#100) Simulated',
        details: details.slice(0, 300),
        fbtrace_id: 'A0SIMULATED',
      },
    });
  });
});

describe('a connection test', () => {
  test('returns the number that Meta has, and sends nothing', async () => {
    const { simulator, test } = await setUp();
    expect(await test()).toEqual({
      isWorking: true,
      detail: 'Meta identifies the number as +1 555-010-0000, Simulated business.',
    });
    expect(simulator.requests).toMatchObject([
      { method: 'GET', path: expect.stringMatching(/^\/v23\.0\/100000000000001\?fields=/) },
    ]);
    expect(simulator.sends).toEqual([]);
  });

  test.each<[MetaFault, string]>([
    [{ code: 190, status: 401 }, 'rejected the access token'],
    [{ code: 100, status: 400 }, 'refused the request'],
    [{ reply: { status: 502, body: '<html>' } }, 'HTTP status 502'],
    [{ reply: { body: '<html>' } }, 'could not be read'],
    [{ reset: 'after' }, 'was lost before an answer came.'],
    [{ redirectTo: 'http://127.0.0.1:1/' }, 'HTTP status 302'],
  ])('names the problem for %j', async (fault, detail) => {
    const { simulator, test } = await setUp();
    simulator.fail(fault);
    expect(await test()).toEqual({ isWorking: false, detail: expect.stringContaining(detail) });
  });

  test('does not repeat a token in a name', async () => {
    const { simulator, test } = await setUp();
    simulator.fail({ reply: { body: { id: '1', verified_name: `It is ${token}` } } });
    expect(JSON.stringify(await test())).not.toContain(token);
  });
});

describe('a Meta integration', () => {
  test('is accepted with its token, and with both credentials that receipts need', () => {
    const allCredentials = { ...credentials, app_secret: 's', verify_token: 'v' };
    expect(meta.check({ settings, credentials })).toEqual([]);
    expect(meta.check({ settings, credentials: allCredentials })).toEqual([]);
  });

  test.each<[Record<string, unknown>, string]>([
    [{ access_token: 'EAAG\r\nHost: evil' }, 'access_token must not have spaces'],
    [{ access_token: 'EAAG EAAG' }, 'access_token must not have spaces'],
    [{}, 'access_token must not have spaces'],
    [{ ...credentials, app_secret: 's' }, 'verify_token must be set if there is an app secret'],
    [{ ...credentials, verify_token: 'v' }, 'app_secret must be set if there is a verify token'],
  ])('is refused with %j', (invalidCredentials, problem) => {
    expect(meta.check({ settings, credentials: invalidCredentials })).toEqual([
      expect.stringContaining(problem),
    ]);
  });

  test.each<[Partial<SendCall<WhatsappContent>>]>([
    [{ settings: {} }],
    [{ settings: { sender: '1/../x' } }],
    [{ settings: { ...settings, graph_version: '../v1' } }],
    [{ credentials: {} }],
    [{ credentials: { access_token: 'a\nb' } }],
  ])('makes no request when it was saved incomplete: %j', async (changes) => {
    const { simulator, send, test } = await setUp();
    expect((await send(changes)).outcome).toMatchObject({ scope: 'integration' });
    expect((await test(changes)).isWorking).toBe(false);
    expect(simulator.requests).toEqual([]);
  });
});

test('a value arrives in its place and changes nothing else, whatever it contains', async () => {
  const { simulator, send } = await setUp();
  const { compose } = compileWhatsapp({
    template: { name: 'a', language: 'en', parameters: [{ value: 'x{{v}}' }, { value: 'end' }] },
  });
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 40 }), async (v) => {
      const composed = compose({
        data: { v },
        target: '',
        override: undefined,
        missing: 'empty',
        isSensitive: false,
      });
      if ('failed' in composed) throw new Error(composed.detail);
      await send({ content: composed.content });
      const text = `x${v}`.replace(/[\s\p{Cc}]+/gu, ' ').trim();
      expect(simulator.sends.at(-1)?.body).toEqual({
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: '+4512345678',
        type: 'template',
        template: {
          name: 'a',
          language: { code: 'en' },
          components: [
            {
              type: 'body',
              parameters: [
                { type: 'text', text },
                { type: 'text', text: 'end' },
              ],
            },
          ],
        },
        biz_opaque_callback_data: '0193-a',
      });
    }),
    { numRuns: 50 },
  );
});
