import { createOnesignalSimulator, type OnesignalFault } from '@belfry/testing';
import type { SendCall } from '../channel';
import { onesignal } from './channel';
import { onesignalApi } from './onesignal';
import type { OnesignalContent, OnesignalTemplate } from './template';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const messageId = '01930000-0000-7000-8000-000000000001';
const appId = '11111111-1111-4111-8111-111111111111';
const key = 'os_v2_app_key';
const subscriptionId = '22222222-2222-4222-8222-222222222222';

async function setUp() {
  const simulator = await createOnesignalSimulator();
  const sender = onesignalApi.createSender({
    baseUrls: { onesignal: simulator.url },
    allowedPrivateHosts: [],
  });
  closers.push(simulator.close, sender.close);
  const send = (changes: Partial<SendCall<OnesignalContent>> = {}) =>
    sender.send({
      messageId,
      target: 'ana',
      content: { title: 'T', body: 'B', data: {} },
      settings: { app_id: appId },
      integrationId: 'i1',
      integrationVersion: '1',
      credentials: { rest_api_key: key },
      signal: AbortSignal.timeout(5_000),
      deadlineAt: Date.now() + 5_000,
      ...changes,
    });
  return { simulator, sender, send };
}

function getContent(template: OnesignalTemplate, data = {}): OnesignalContent {
  const input = {
    data,
    target: 'ana',
    override: undefined,
    missing: 'empty',
    isSensitive: false,
  } as const;
  const composed = onesignal.compile(template).compose(input);
  if ('failed' in composed) throw new Error(composed.detail);
  return composed.content;
}

describe('a message to OneSignal', () => {
  test('goes to one person by external id, with an idempotency key made from the message’s ID', async () => {
    const { simulator, send } = await setUp();
    const content = getContent(
      {
        title: 'Order {{id}}',
        body: 'Here <b>',
        image: 'https://x.example/a.png',
        click_action: 'shop://orders/{{id}}',
        data: { order: '{{id}}' },
      },
      { id: 'A-1' },
    );
    const { outcome } = await send({ content });
    expect(outcome).toEqual({
      outcome: 'accepted',
      providerMessageId: '00000000-0000-4000-8000-000000000001',
    });
    expect(simulator.sends.map(({ body }) => body)).toEqual([
      {
        app_id: appId,
        target_channel: 'push',
        include_aliases: { external_id: ['ana'] },
        // A UUID of version 3, made from the message's ID.
        idempotency_key: '4f3293a9-cf3a-330f-828e-d912edcd0b2d',
        collapse_id: messageId,
        contents: { en: 'Here <b>' },
        headings: { en: 'Order A-1' },
        url: 'shop://orders/A-1',
        big_picture: 'https://x.example/a.png',
        chrome_web_image: 'https://x.example/a.png',
        ios_attachments: { picture: 'https://x.example/a.png' },
        data: { order: 'A-1', raven_notification_id: messageId },
      },
    ]);
  });

  test('goes to one subscription when that is its target, and names no alias', async () => {
    const { simulator, send } = await setUp();
    expect((await send({ target: `subscription:${subscriptionId}` })).outcome.outcome).toBe(
      'accepted',
    );
    expect(simulator.sends[0]?.body).toMatchObject({ include_subscription_ids: [subscriptionId] });
    expect(simulator.sends[0]?.body).not.toHaveProperty('include_aliases');
    expect(simulator.sends[0]?.body).not.toHaveProperty('target_channel');
  });

  test('fails before any request when the subscription ID is malformed', async () => {
    const { simulator, send } = await setUp();
    expect((await send({ target: 'subscription:x' })).outcome).toMatchObject({
      outcome: 'rejected',
      scope: 'recipient',
      reason: 'malformed_subscription',
    });
    expect(simulator.requests).toEqual([]);
  });

  test('is skipped when OneSignal does not know the subscription', async () => {
    const { simulator, send } = await setUp();
    simulator.fail({ id: '', errors: { invalid_player_ids: [subscriptionId] } });
    expect((await send({ target: `subscription:${subscriptionId}` })).outcome).toMatchObject({
      outcome: 'rejected',
      scope: 'recipient',
      skip: 'device_gone',
      reason: 'invalid_subscription',
    });
  });

  test('is sent once when it is repeated after a lost response', async () => {
    const { simulator, send } = await setUp();
    simulator.fail({ reset: 'after' });
    expect((await send()).outcome.outcome).toBe('unknown');
    expect((await send()).outcome).toMatchObject({
      outcome: 'accepted',
      providerMessageId: '00000000-0000-4000-8000-000000000001',
    });
    expect(simulator.sends).toHaveLength(1);
  });

  test.each([
    ['zeyneloz/onesignal-node#40', { body: 'Chào {{name}}' }, { en: 'Chào Ana' }],
    ['OneSignal/react-native-onesignal#273', { title: 'Chào' }, { en: 'Chào' }],
    ['OneSignal/OneSignal-iOS-SDK#1329', { body: 'Bures' }, { en: 'Bures' }],
  ])(
    'has its text only in the language that OneSignal requires, whatever the person’s language: %s',
    async (_report, template, contents) => {
      const { simulator, send } = await setUp();
      await send({ content: getContent(template, { name: 'Ana' }) });
      expect(simulator.sends[0]?.body['contents']).toEqual(contents);
    },
  );

  test.each(['OneSignal/onesignal-node-api#82', 'OneSignal/onesignal-go-api#38'])(
    'reaches no segment and no second person, whatever fields the call sets: %s',
    async () => {
      const { simulator, send } = await setUp();
      const payload = { included_segments: ['All'], ttl: 60 };
      await send({ payload: { ttl: 60 } });
      await send({ payload, messageId: messageId.replace(/1$/, '2') });
      for (const { body } of simulator.sends) expect(body).not.toHaveProperty('included_segments');
      expect(simulator.sends.map(({ externalId }) => externalId)).toEqual(['ana', 'ana']);
      expect(onesignal.findTargets({ onesignalExternalId: ' ' })).toMatchObject({
        skip: 'no_address',
      });
    },
  );

  test('is accepted with an id and an error about another recipient, and notes the error', async () => {
    const { simulator, send } = await setUp();
    const fault: OnesignalFault = {
      id: 'n1',
      errors: { invalid_aliases: { external_id: ['somebody else'] } },
    };
    simulator.fail(fault);
    expect((await send()).outcome).toEqual({
      outcome: 'accepted',
      providerMessageId: 'n1',
      detail: 'OneSignal accepted the message, but reported errors with it.',
    });
  });

  // zeyneloz/onesignal-node#9, #67
  test('to a person without a device is refused despite status 200, and other messages are not', async () => {
    const { simulator, send } = await setUp();
    simulator.unsubscribe('bob');
    expect((await send({ target: 'bob' })).outcome).toMatchObject({
      outcome: 'rejected',
      scope: 'recipient',
      reason: 'no_subscription',
    });
    expect((await send()).outcome.outcome).toBe('accepted');
  });

  test('without a usable app id or key is refused before any request', async () => {
    const { simulator, send } = await setUp();
    for (const changes of [
      { credentials: {} },
      { credentials: { rest_api_key: '' } },
      { credentials: { rest_api_key: 'a\r\nb' } },
      { settings: {} },
      { settings: { app_id: 'x' } },
    ]) {
      expect((await send(changes)).outcome).toMatchObject({
        scope: 'integration',
        reason: 'incomplete_integration',
      });
    }
    expect(simulator.requests).toEqual([]);
  });
});

describe('the text of a message to OneSignal', () => {
  const compose = (template: OnesignalTemplate, data = {}) =>
    onesignal
      .compile(template)
      .compose({ data, target: 'ana', override: undefined, missing: 'empty', isSensitive: false });

  test('is refused over 2048 bytes of data or 4096 in all, which the failure names', () => {
    const dataBytes = 2_048 - '{"k":""}'.length;
    const inData = { title: 'T', data: { k: '{{v}}' } };
    expect(compose(inData, { v: 'x'.repeat(dataBytes) })).toHaveProperty('content');
    expect(compose(inData, { v: 'x'.repeat(dataBytes + 1) })).toEqual({
      failed: 'too_long',
      detail: 'data: 2049 bytes as JSON; the limit is 2048.',
    });
    expect(compose({ body: '{{v}}' }, { v: 'x'.repeat(4_096) })).toMatchObject({
      failed: 'too_long',
      detail: expect.stringContaining('the limit is 4096'),
    });
  });

  test('is empty without title and body', () => {
    expect(compose({ title: '{{no}}', data: { a: 'b' } })).toMatchObject({
      failed: 'empty_content',
    });
  });
});

describe('the targets of a message to OneSignal', () => {
  const otherSubscriptionId = '33333333-3333-4333-8333-333333333333';
  const device = (id: string, onesignalPlayerId: string, more = {}) => ({
    id,
    onesignalPlayerId,
    ...more,
  });

  test('are the subscriptions in the call, each once, ignoring case', () => {
    const onesignalPlayerIds = [
      ` ${subscriptionId} `,
      otherSubscriptionId.toUpperCase(),
      otherSubscriptionId,
      subscriptionId,
    ];
    expect(onesignal.findTargets({ onesignalPlayerIds })).toEqual({
      targets: [
        { address: `subscription:${subscriptionId}` },
        { address: `subscription:${otherSubscriptionId}` },
      ],
    });
  });

  test('are all devices of the external id, which replaces subscriptions; a note says so', () => {
    const recipient = { onesignalExternalId: 'ana', onesignalPlayerIds: [subscriptionId] };
    expect(onesignal.findTargets(recipient)).toEqual({
      targets: [{ address: 'ana', note: expect.stringContaining('onesignal_player_ids') }],
    });
  });

  test('are the subscriptions of the stored devices with notifications on, when the call names no target', () => {
    const devices = [
      device('d1', subscriptionId),
      device('d2', otherSubscriptionId, { token: 'f', disabled: 'by_client' }),
      { id: 'd3', token: 'fcm only' },
      device('d4', otherSubscriptionId.replace('3', '4'), { token: 'g', disabled: 'by_provider' }),
    ];
    expect(onesignal.findTargets({ devices: devices as never })).toEqual({
      targets: [
        { address: `subscription:${subscriptionId}`, deviceId: 'd1' },
        // FCM reports its token as dead, which says nothing about the subscription.
        { address: `subscription:${otherSubscriptionId.replace('3', '4')}`, deviceId: 'd4' },
      ],
    });
    expect(
      onesignal.findTargets({ onesignalExternalId: 'ana', devices: devices as never }),
    ).toEqual({ targets: [{ address: 'ana' }] });
  });

  test.each<[string, object, string]>([
    ['a subscription that is not a UUID', { onesignalPlayerIds: ['p'] }, 'invalid_address'],
    [
      'an external id that looks like a subscription',
      { onesignalExternalId: 'subscription:1' },
      'invalid_address',
    ],
    [
      'devices with notifications off',
      { devices: [device('d', otherSubscriptionId, { disabled: 'by_client' })] },
      'opted_out',
    ],
    ['devices without a subscription', { devices: [{ id: 'd', token: 'f' }] }, 'no_address'],
    ['nothing', {}, 'no_address'],
  ])('are missing with %s', (_what, recipient, skip) => {
    expect(onesignal.findTargets(recipient)).toMatchObject({ skip });
  });

  test('include a malformed subscription among others, whose message fails visibly', () => {
    expect(onesignal.findTargets({ onesignalPlayerIds: [subscriptionId, 'p'] })).toEqual({
      targets: [{ address: `subscription:${subscriptionId}` }, { address: 'subscription:p' }],
    });
  });
});

describe('an external id', () => {
  test.each([' null ', 'undefined', '0', '-1', 'NA', 'All', 'None', `a\nb`, 'x'.repeat(129)])(
    'may not be %j',
    (input) => {
      expect(onesignal.findTargets({ onesignalExternalId: input })).toMatchObject({
        skip: 'invalid_address',
      });
    },
  );

  test.each(['u_1', 'Ana Ruiz', 'x'.repeat(128), '12', 'é'])('may be %j', (input) => {
    expect(onesignal.findTargets({ onesignalExternalId: ` ${input} ` })).toEqual({
      targets: [{ address: input }],
    });
  });
});

test('the key of an organization is refused on save', () => {
  const check = (rest_api_key: string) =>
    onesignalApi.check({ settings: {}, credentials: { rest_api_key } });
  expect(check('os_v2_org_abc')).toEqual([
    'rest_api_key is an organization key; enter the app API key',
  ]);
  expect(check('a b')).toHaveLength(1);
  expect(check(key)).toEqual([]);
});
