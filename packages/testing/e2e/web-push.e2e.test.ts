import {
  channelVersion,
  createFcmSimulator,
  createWebPushSimulator,
  eventually,
  type FcmSimulator,
  type System,
  signReaderToken,
  simulatedServiceAccount,
  startSystem,
  type Tenant,
  type WebPushSimulator,
} from '@belfry/testing';
import { openBrowser } from './web-push/run-snippets';
import { webPushKeys } from './web-push/web-push-keys';

let fcm: FcmSimulator;
let push: WebPushSimulator;
let system: System;

beforeAll(async () => {
  [fcm, push] = await Promise.all([createFcmSimulator(), createWebPushSimulator()]);
  const env = { FCM_API_URL: fcm.url, WEB_PUSH_API_URL: push.url, SEND_TIMEOUT_MS: '5000' };
  system = await startSystem({ env });
}, 120_000);

afterAll(async () => {
  await system.stop();
  await Promise.all([fcm.close(), push.close()]);
}, 120_000);

type Place = { tenant: Tenant; event: string; web: string };

/** An account whose push goes by FCM first, and by web push. */
async function createPlace(delivery: 'live' | 'sandbox' = 'live'): Promise<Place> {
  const { factories } = system;
  const tenant = await factories.createTenant({ delivery });
  const create = (provider: string, settings: object, credentials: Record<string, string>) =>
    factories.createIntegration(tenant, {
      ...{ channel: 'push', provider, settings: { ...settings }, credentials },
    });
  const { id: fcmId } = await create('fcm', {}, { service_account: simulatedServiceAccount() });
  const { id: web } = await create('web_push', { subject: 'mailto:a@example.com' }, webPushKeys);
  const template = { title: 'Hi {{name}}', body: 'B', click_action: 'https://x.example/{{name}}' };
  const version = { push: channelVersion(template, { integrationIds: [fcmId, web] }) };
  const { name } = await factories.createEvent(tenant, version);
  return { tenant, event: name, web };
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

async function createUser({ tenant }: Place, userId: string, devices: object[]): Promise<void> {
  await call(tenant, '/users', { user_id: userId });
  for (const device of devices) await call(tenant, `/users/${userId}/devices`, device);
}

function send({ tenant, event }: Place, userId: string): Promise<string> {
  return system.sendAccepted(tenant, { event, data: { name: 'Ana' }, user: { user_id: userId } });
}

/** The states of a request's messages by target, once they match. */
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

describe('a push to a user with an FCM device and a browser', () => {
  test('is one message each; the browser decrypts its own, and its service worker reports it without a key', async () => {
    const place = await createPlace();
    const push_subscription = push.subscribe(webPushKeys.public_key);
    await createUser(place, 'ana', [{ fcm_token: 'w:phone' }, { push_subscription }]);
    const requestId = await send(place, 'ana');
    await settled(requestId, { 'w:phone': 'sent', [push_subscription.endpoint]: 'sent' });
    expect(fcm.sends.filter(({ token }) => token === 'w:phone')).toHaveLength(1);
    const sends = push.sends.filter(({ endpoint }) => endpoint === push_subscription.endpoint);
    expect(sends).toMatchObject([
      { payload: { title: 'Hi Ana', body: 'B', click_action: 'https://x.example/Ana' } },
    ]);
    const [{ messageId: notification_id, ttl } = { ttl: 0 }] = sends;
    expect(ttl).toBeGreaterThan(86_000);
    const report = await fetch(`${system.apiUrl}/v1/apps/${place.tenant.appId}/push/status`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: 'https://shop.example.com' },
      body: JSON.stringify({ notification_id, type: 'CLICKED', timestamp: Date.now() }),
    });
    expect(report.status).toBe(200);
    await settled(requestId, { 'w:phone': 'sent', [push_subscription.endpoint]: 'read' });
  });

  test('disables only the browser that ended its subscription', async () => {
    const place = await createPlace();
    const [gone, other] = [push.subscribe(), push.subscribe()];
    const devices = [gone, other].map((push_subscription) => ({ push_subscription }));
    await createUser(place, 'ana', [...devices, { fcm_token: 'x:phone' }]);
    push.unsubscribe(gone.endpoint);
    await settled(await send(place, 'ana'), {
      'x:phone': 'sent',
      [gone.endpoint]: 'skipped device_gone',
      [other.endpoint]: 'sent',
    });
    await settled(await send(place, 'ana'), { 'x:phone': 'sent', [other.endpoint]: 'sent' });
  });

  test('stays with web push when the push service fails, and FCM is not affected', async () => {
    const place = await createPlace();
    const push_subscription = push.subscribe();
    await createUser(place, 'ana', [{ push_subscription }, { fcm_token: 'y:phone' }]);
    const to = new URL(push_subscription.endpoint).pathname;
    const reply = { status: 503, headers: { 'retry-after': '1' }, body: '' };
    push.fail({ on: to, reply }, { on: to, reply }, { on: to, reply });
    const requestId = await send(place, 'ana');
    await settled(requestId, { 'y:phone': 'sent', [push_subscription.endpoint]: 'sent' });
    const { id } = await system.database.prisma.message.findFirstOrThrow({
      where: { requestId, target: push_subscription.endpoint },
    });
    const attempts = await system.database.prisma.attempt.findMany({ where: { messageId: id } });
    expect(attempts.map(({ integrationId }) => integrationId)).toEqual(Array(4).fill(place.web));
  });

  test('fails only the message of a browser that subscribed with another key', async () => {
    const place = await createPlace();
    const [wrong, right] = [push.subscribe(webPushKeys.other_public_key), push.subscribe()];
    const devices = [wrong, right].map((push_subscription) => ({ push_subscription }));
    await createUser(place, 'ana', devices);
    push.fail({ on: new URL(wrong.endpoint).pathname, status: 401, errno: 109 });
    await settled(await send(place, 'ana'), {
      [wrong.endpoint]: 'failed rejected_integration',
      [right.endpoint]: 'sent',
    });
    const where = { id: place.web };
    const { state } = await system.database.prisma.integration.findUniqueOrThrow({ where });
    expect(state).toBe('active');
    await settled(await send(place, 'ana'), {
      [wrong.endpoint]: 'skipped device_gone',
      [right.endpoint]: 'sent',
    });
  });

  test('in the sandbox is captured as the request that web push would send, and nobody is called', async () => {
    const place = await createPlace('sandbox');
    const push_subscription = push.subscribe();
    await createUser(place, 'ana', [{ push_subscription }]);
    const before = push.requests.length;
    const requestId = await send(place, 'ana');
    await settled(requestId, { [push_subscription.endpoint]: 'sent' });
    const capture = await system.database.prisma.capture.findFirstOrThrow({
      where: { appId: place.tenant.appId },
    });
    const masked = `POST https://updates.push.services.mozilla.com/***${push_subscription.endpoint.slice(-4)}`;
    expect(capture).toMatchObject({ provider: 'web_push', request: { operation: masked } });
    expect(push.requests).toHaveLength(before);
  });
});

test('docs/how-to/send-web-push.md: its page subscribes a browser, and its service worker shows and reports a message', async () => {
  const place = await createPlace();
  const { tenant } = place;
  const browser = openBrowser(`${system.apiUrl}/v1/apps/${tenant.appId}`, push);
  const secret = await system.factories.createInboxSecret(tenant);
  const token = signReaderToken(secret, { appId: tenant.appId, userId: 'ana' });
  const { push_subscription } = await browser.subscribe('ana', token);
  const requestId = await send(place, 'ana');
  const { endpoint } = push_subscription;
  await settled(requestId, { [endpoint]: 'sent' });
  const payload = push.sends.find((each) => each.endpoint === endpoint)?.payload;
  await browser.dispatch('push', { data: { json: () => payload } });
  const tag = payload?.['raven_notification_id'];
  expect(browser.notifications).toMatchObject([{ title: 'Hi Ana', options: { body: 'B', tag } }]);
  await settled(requestId, { [endpoint]: 'delivered' });
  const [notification] = browser.notifications;
  await browser.dispatch('notificationclose', { notification: notification?.options });
  await settled(requestId, { [endpoint]: 'delivered' });
  const clicked = { ...notification?.options, close: () => undefined };
  await browser.dispatch('notificationclick', { notification: clicked });
  await settled(requestId, { [endpoint]: 'read' });
  expect(browser.openedUrls).toEqual(['https://x.example/Ana']);
  const again = await browser.subscribe('ana', token);
  expect(again.push_subscription.endpoint).not.toBe(endpoint);
});
