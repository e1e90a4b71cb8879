import {
  channelVersion,
  createFcmSimulator,
  createOnesignalSimulator,
  eventually,
  type FcmSimulator,
  type FcmTrouble,
  type OnesignalSimulator,
  type System,
  simulatedServiceAccount,
  startSystem,
  type Tenant,
} from '@belfry/testing';

let fcm: FcmSimulator;
let onesignal: OnesignalSimulator;
let system: System;

beforeAll(async () => {
  [fcm, onesignal] = await Promise.all([createFcmSimulator(), createOnesignalSimulator()]);
  system = await startSystem({
    env: { FCM_API_URL: fcm.url, ONESIGNAL_API_URL: onesignal.url, SEND_TIMEOUT_MS: '5000' },
  });
}, 120_000);

afterEach(() => fcm.setTrouble(undefined));

afterAll(async () => {
  await system.stop();
  await Promise.all([fcm.close(), onesignal.close()]);
}, 120_000);

type Place = { tenant: Tenant; event: string; integrationId: string };

/** Creates a separate account, so that a broken integration does not affect other tests. */
async function createPlace(): Promise<Place> {
  const tenant = await system.factories.createTenant({ delivery: 'live' });
  const { id } = await system.factories.createIntegration(tenant, {
    channel: 'push',
    provider: 'fcm',
    credentials: { service_account: simulatedServiceAccount() },
  });
  const template = { title: 'Hi {{name}}', body: 'B' };
  const { name } = await system.factories.createEvent(tenant, {
    push: channelVersion(template, { integrationIds: [id] }),
  });
  return { tenant, event: name, integrationId: id };
}

async function call(tenant: Tenant, path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${system.apiUrl}/v1/apps/${tenant.appId}${path}`, {
    method: 'POST',
    headers: { Authorization: `AuthKey ${tenant.apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  // Every answer of the gateway is a JSON object.
  return (await response.json()) as Record<string, unknown>;
}

async function createUser(tenant: Tenant, userId: string, tokens: string[]): Promise<void> {
  await call(tenant, '/users', { user_id: userId });
  for (const fcm_token of tokens) {
    await call(tenant, `/users/${userId}/devices`, { fcm_token, platform: 'android' });
  }
}

async function send({ tenant, event }: Place, more: object): Promise<string> {
  return system.sendAccepted(tenant, { event, data: { name: 'Ana' }, ...more });
}

/** The message states of a request by token, once they match `expected`. */
function settled(requestId: string, expectedStates: Record<string, string>): Promise<void> {
  return eventually(
    async () => {
      const messages = await system.readMessages(requestId);
      const states = messages.map(({ target, state, reason, waits }) => [
        target,
        [state, reason ?? waits].filter(Boolean).join(' '),
      ]);
      expect(Object.fromEntries(states)).toEqual(expectedStates);
    },
    { timeoutMs: 20_000 },
  );
}

async function readDevices({ appId }: Tenant): Promise<Record<string, string | null>> {
  const devices = await system.database.prisma.device.findMany({ where: { appId } });
  return Object.fromEntries(
    devices.map(({ fcmToken, notificationsDisabled, disabledReason }) => [
      fcmToken,
      notificationsDisabled ? disabledReason : 'enabled',
    ]),
  );
}

const sendsTo = (token: string) => fcm.sends.filter((each) => each.token === token);

describe('a push to the devices of a user', () => {
  test('is one message per device; a dead token disables only that device', async () => {
    const place = await createPlace();
    await createUser(place.tenant, 'ana', ['a:phone', 'a:tablet', 'a:browser']);
    await createUser(place.tenant, 'bob', ['a:bob']);
    fcm.unregister('a:tablet');
    const first = await send(place, { user: { user_id: 'ana' } });
    await settled(first, {
      'a:phone': 'sent',
      'a:tablet': 'skipped device_gone',
      'a:browser': 'sent',
    });
    expect(await readDevices(place.tenant)).toEqual({
      'a:phone': 'enabled',
      'a:tablet': 'unregistered',
      'a:browser': 'enabled',
      'a:bob': 'enabled',
    });
    const second = await send(place, { user: { user_id: 'ana' } });
    await settled(second, { 'a:phone': 'sent', 'a:browser': 'sent' });
    const integration = await system.database.prisma.integration.findUniqueOrThrow({
      where: { id: place.integrationId },
    });
    expect(integration.state).toBe('active');
  });

  test('goes to the device group that the call names, as to a token', async () => {
    const place = await createPlace();
    const requestId = await send(place, { user: { fcm_device_group: 'group:key' } });
    await settled(requestId, { 'group:key': 'sent' });
    expect(sendsTo('group:key')).toHaveLength(1);
  });

  test('that waits while its phone registers for another user is not sent', async () => {
    const place = await createPlace();
    await createUser(place.tenant, 'ana', ['b:phone', 'b:tablet']);
    const inAMoment = Date.now() + 4_000;
    const requestId = await send(place, { user: { user_id: 'ana' }, schedule_at: inAMoment });
    await createUser(place.tenant, 'bob', ['b:phone']);
    await settled(requestId, { 'b:phone': 'skipped device_gone', 'b:tablet': 'sent' });
    expect([sendsTo('b:phone').length, sendsTo('b:tablet').length]).toEqual([0, 1]);
  });

  test('in a bulk is planned per device, too', async () => {
    const place = await createPlace();
    await createUser(place.tenant, 'ana', ['c:phone', 'c:tablet']);
    const batch = [{ user: { user_id: 'ana' } }, { user: { fcm_tokens: ['c:given'] } }];
    const { request_id: requestId } = await call(place.tenant, '/events/bulk_send', {
      event: place.event,
      batch,
    });
    await settled(String(requestId), { 'c:phone': 'sent', 'c:tablet': 'sent', 'c:given': 'sent' });
  });

  test.each<[FcmTrouble, object, RegExp]>([
    ['no such project', { project_id: 'mistyped-project' }, /Firebase project does not exist/],
    ['API disabled', {}, /API is not enabled/],
    ['account expired', {}, /access token for the service account/],
  ])(
    'with a broken integration (%s) keeps every device enabled, and waits for the repair',
    async (trouble, settings, reason) => {
      const place = await createPlace();
      const prefix = trouble.replaceAll(' ', '_');
      const tokens = [`${prefix}:phone`, `${prefix}:tablet`];
      await createUser(place.tenant, 'ana', tokens);
      const { prisma } = system.database;
      const integration = { where: { id: place.integrationId } };
      await prisma.integration.update({ ...integration, data: { settings } });
      fcm.setTrouble(trouble);
      const requestId = await send(place, { user: { user_id: 'ana' } });
      await settled(
        requestId,
        Object.fromEntries(tokens.map((token) => [token, 'queued needs_attention'])),
      );
      const row = await prisma.integration.findUniqueOrThrow(integration);
      expect(row).toMatchObject({ state: 'needs_attention' });
      expect(row.stateReason).toMatch(reason);
      expect(await readDevices(place.tenant)).toEqual(
        Object.fromEntries(tokens.map((token) => [token, 'enabled'])),
      );
    },
  );
});

describe('a message to the subscriptions of OneSignal', () => {
  const [phone, tablet, browser] = ['2', '3', '4'].map(
    (digit) =>
      `${digit.repeat(8)}-${digit.repeat(4)}-4${digit.repeat(3)}-8${digit.repeat(3)}-${digit.repeat(12)}`,
  ) as [string, string, string];

  async function createOnesignalPlace(): Promise<Place> {
    const tenant = await system.factories.createTenant({ delivery: 'live' });
    const { id } = await system.factories.createIntegration(tenant, {
      channel: 'onesignal',
      provider: 'onesignal',
      settings: { app_id: '11111111-1111-4111-8111-111111111111' },
      credentials: { rest_api_key: 'os_v2_app_simulated' },
    });
    const { name } = await system.factories.createEvent(tenant, {
      onesignal: channelVersion({ title: 'Hi {{name}}' }, { integrationIds: [id] }),
    });
    return { tenant, event: name, integrationId: id };
  }

  test('goes to the named subscriptions, else to the stored devices; a removed one is skipped', async () => {
    const place = await createOnesignalPlace();
    const toTarget = (id: string) => `subscription:${id}`;
    onesignal.unsubscribe(tablet);
    const namedRequestId = await send(place, { user: { onesignal_player_ids: [phone, tablet] } });
    await settled(namedRequestId, {
      [toTarget(phone)]: 'sent',
      [toTarget(tablet)]: 'skipped opted_out',
    });
    await call(place.tenant, '/users', { user_id: 'ana' });
    await call(place.tenant, '/users/ana/devices', { onesignal_player_id: browser });
    const storedRequestId = await send(place, { user: { user_id: 'ana' } });
    await settled(storedRequestId, { [toTarget(browser)]: 'sent' });
    await call(place.tenant, '/users', { user_id: 'ana', onesignal_external_id: 'ana-1' });
    const byPerson = await send(place, { user: { user_id: 'ana' } });
    await settled(byPerson, { 'ana-1': 'sent' });
    const byCall = await send(place, { user: { user_id: 'ana', onesignal_player_ids: [phone] } });
    await settled(byCall, { [toTarget(phone)]: 'sent' });
    expect(
      onesignal.sends
        .slice(-4)
        .map(({ subscriptionId, externalId }) => subscriptionId ?? externalId),
    ).toEqual([phone, browser, 'ana-1', phone]);
  });
});

describe('a status report by an app', () => {
  test.each(['push', 'onesignal'])(
    'of %s makes its message delivered, then read',
    async (channel) => {
      const tenant = await system.factories.createTenant({ delivery: 'live' });
      const byChannel = {
        push: {
          provider: 'fcm',
          settings: {},
          credentials: { service_account: simulatedServiceAccount() },
          user: { fcm_tokens: [`${channel}:told`] },
          read: () => sendsTo(`${channel}:told`)[0]?.messageId,
        },
        onesignal: {
          provider: 'onesignal',
          settings: { app_id: '11111111-1111-4111-8111-111111111111' },
          credentials: { rest_api_key: 'os_v2_app_simulated' },
          user: { onesignal_external_id: 'told' },
          read: () => {
            const data = onesignal.sends.find(({ externalId }) => externalId === 'told')?.body[
              'data'
            ];
            return Object(data)['raven_notification_id'];
          },
        },
      };
      const { provider, settings, credentials, user, read } =
        byChannel[channel as keyof typeof byChannel];
      const { id } = await system.factories.createIntegration(tenant, {
        channel,
        provider,
        settings,
        credentials,
      });
      const { name } = await system.factories.createEvent(tenant, {
        [channel]: channelVersion({ title: 'T' }, { integrationIds: [id] }),
      });
      const requestId = await system.sendAccepted(tenant, { event: name, user });
      await system.settled(requestId, ['sent']);
      const notificationId = read();
      for (const [type, state] of [
        ['DELIVERED', 'delivered'],
        ['CLICKED', 'read'],
      ] as const) {
        await call(tenant, '/push/status', { notification_id: notificationId, type });
        await system.settled(requestId, [state]);
      }
    },
  );
});
