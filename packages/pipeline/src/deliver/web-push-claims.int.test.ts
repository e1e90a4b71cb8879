import { createDevices, createLookUps, type Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  createWebPushSimulator,
  type Factories,
  openDatabase,
  type Tenant,
  testDatabase,
  type WebPushSimulator,
} from '@belfry/testing';
import { claimMessageRow, type MessageOptions, writeMessageRow } from '../message-row.fixture';
import { judgeResends } from '../operate/resend-verdict.sql';
import { applyContactUpdates } from './contact-updates.sql';
import { requeueMessages } from './requeue.sql';

let simulator: WebPushSimulator;
let database: Database;
let factories: Factories;

beforeAll(async () => {
  simulator = await createWebPushSimulator();
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 4 });
  factories = createFactories(database);
});

afterAll(async () => {
  await database.close();
  await simulator.close();
});

type Place = {
  tenant: Tenant;
  /** In the order of the chain. */
  chain: { fcm1: string; web: string; fcm2: string };
  event: { eventId: string; versionId: string };
};

/** An app whose push goes by FCM, web push and FCM. */
async function createPlace(): Promise<Place> {
  const tenant = await factories.createTenant({ delivery: 'live' });
  const create = async (provider: string) =>
    (await factories.createIntegration(tenant, { channel: 'push', provider })).id;
  const chain = {
    fcm1: await create('fcm'),
    web: await create('web_push'),
    fcm2: await create('fcm'),
  };
  const integrationIds = Object.values(chain);
  const version = { push: channelVersion({ title: 'x' }, { integrationIds }) };
  return { tenant, chain, event: await factories.createEvent(tenant, version) };
}

async function subscribe({ appId }: Tenant, subscription = simulator.subscribe()) {
  const userId = newId();
  await database.prisma.user.create({ data: { id: newId(), appId, userId } });
  const { deviceSid: deviceId } = await createDevices({
    pool: database.accepting,
    newId,
  }).addDevice(database.accepting, {
    appId,
    userId,
    device: { pushSubscription: subscription, fields: {} },
  });
  return { userId, deviceId, subscription };
}

type Browser = Awaited<ReturnType<typeof subscribe>>;

function write(place: Place, options: MessageOptions): Promise<string> {
  const { tenant, event } = place;
  return writeMessageRow({ database, tenant, event }, { channel: 'push', ...options });
}

function writeFor(
  place: Place,
  { userId, deviceId, subscription }: Browser,
  integrationId: string,
) {
  const target = subscription.endpoint;
  return write(place, { target, deviceId, integrationId, recipient: { user_id: userId } });
}

const claim = (id: string) => claimMessageRow({ database }, id);
const readMessage = (id: string) => database.prisma.message.findUniqueOrThrow({ where: { id } });
const setState = (id: string, state: string) =>
  database.prisma.integration.update({ where: { id }, data: { state } });

describe('a message to a web push subscription', () => {
  test('is claimed with the keys of its device, and the time when it expires', async () => {
    const place = await createPlace();
    const browser = await subscribe(place.tenant);
    const id = await writeFor(place, browser, place.chain.web);
    const { expiresAt } = await readMessage(id);
    expect(await claim(id)).toMatchObject({
      kind: 'claimed',
      message: { webPush: { ...browser.subscription.keys, expiresAtMs: expiresAt.getTime() } },
    });
  });

  test('has the keys that the device has at the claim', async () => {
    const place = await createPlace();
    const { tenant, chain } = place;
    const browser = await subscribe(tenant);
    const id = await writeFor(place, browser, chain.web);
    const { keys } = simulator.subscribe();
    const pushSubscription = { ...browser.subscription, keys };
    await createDevices({ pool: database.accepting, newId }).updateDevice(database.accepting, {
      ...{ appId: tenant.appId, userId: browser.userId, deviceId: browser.deviceId },
      device: { pushSubscription, fields: {} },
    });
    expect(await claim(id)).toMatchObject({ kind: 'claimed', message: { webPush: keys } });
  });

  test('is skipped once the browser registered for another user, or its device holds an FCM token', async () => {
    const place = await createPlace();
    const { tenant, chain } = place;
    const [moved, replaced] = [await subscribe(tenant), await subscribe(tenant)];
    const ids = [
      await writeFor(place, moved, chain.web),
      await writeFor(place, replaced, chain.web),
    ];
    await subscribe(tenant, moved.subscription);
    await createDevices({ pool: database.accepting, newId }).updateDevice(database.accepting, {
      ...{ appId: tenant.appId, userId: replaced.userId, deviceId: replaced.deviceId },
      device: { fcmToken: newId(), fields: {} },
    });
    for (const id of ids) {
      expect(await claim(id)).toEqual({ kind: 'settled', state: 'skipped', reason: 'device_gone' });
    }
    const device = await database.prisma.device.findUnique({ where: { id: replaced.deviceId } });
    expect(device?.pushSubscription).toBeNull();
  });

  test('disables the device that has its endpoint, and no other, when the push service says that it is gone', async () => {
    const place = await createPlace();
    const [gone, other] = [await subscribe(place.tenant), await subscribe(place.tenant)];
    const messageId = await writeFor(place, gone, place.chain.web);
    const changes = [{ change: 'disable_device' as const, reason: 'gone' }];
    await applyContactUpdates(database.delivery, [{ messageId, changes }]);
    const read = async ({ deviceId: id }: Browser) =>
      (await database.prisma.device.findUniqueOrThrow({ where: { id } })).disabledReason;
    expect([await read(gone), await read(other)]).toEqual(['gone', null]);
    const again = await subscribe(place.tenant, gone.subscription);
    expect(await read(again)).toBeNull();
  });

  test('has no keys on any other message', async () => {
    const place = await createPlace();
    const id = await write(place, { target: newId(), integrationId: place.chain.fcm1 });
    const claimed = await claim(id);
    expect(claimed).toMatchObject({ kind: 'claimed' });
    expect(claimed).not.toHaveProperty('message.webPush');
  });
});

describe('a failover stays within the provider of the target', () => {
  test('when the integration needs attention: web push waits, FCM goes on to the next FCM', async () => {
    const place = await createPlace();
    const { tenant, chain } = place;
    const web = await writeFor(place, await subscribe(tenant), chain.web);
    const fcm = await write(place, { target: newId(), integrationId: chain.fcm1 });
    const probeAt = new Date(Date.now() + 600_000);
    for (const id of [chain.web, chain.fcm1]) {
      await setState(id, 'needs_attention');
      await database.prisma.integration.update({ where: { id }, data: { probeAt } });
    }
    expect(await claim(web)).toMatchObject({ state: 'queued', reason: 'needs_attention' });
    expect((await readMessage(web)).integrationId).toBe(chain.web);
    expect(await claim(fcm)).toMatchObject({ state: 'queued' });
    expect((await readMessage(fcm)).integrationId).toBe(chain.fcm2);
  });

  test('when the circuit is open: the next FCM, never web push, and back to the first', async () => {
    const place = await createPlace();
    const { tenant, chain } = place;
    const web = await writeFor(place, await subscribe(tenant), chain.web);
    const first = await write(place, { target: newId(), integrationId: chain.fcm1 });
    const last = await write(place, { target: newId(), integrationId: chain.fcm2 });
    const why = 'circuit' as const;
    const ids = [web, first, last];
    await requeueMessages(
      database.delivery,
      ids.map((id) => ({ id, waitMs: 1_000, why })),
    );
    const integrations = await Promise.all(
      ids.map(async (id) => (await readMessage(id)).integrationId),
    );
    expect(integrations).toEqual([chain.web, chain.fcm2, chain.fcm1]);
  });

  test('when it is resent: each message goes by the first integration of its provider', async () => {
    const place = await createPlace();
    const { tenant, chain } = place;
    const browser = await subscribe(tenant);
    const ids = [
      await writeFor(place, browser, chain.web),
      await write(place, { target: newId(), integrationId: chain.fcm2 }),
    ];
    await database.prisma.message.updateMany({
      where: { id: { in: ids } },
      data: { state: 'failed', reason: 'attempts_exhausted', dueAt: null },
    });
    const judge = async () => {
      const verdicts = await judgeResends(database.delivery, tenant.appId, ids);
      return ids.map((id) => {
        const verdict = verdicts.find((each) => each.id === id);
        return [verdict?.integrationId, verdict?.obstacle];
      });
    };
    expect(await judge()).toEqual([
      [chain.web, null],
      [chain.fcm1, null],
    ]);
    const data = { deletedAt: new Date() };
    await database.prisma.integration.update({ where: { id: chain.web }, data });
    expect(await judge()).toEqual([
      [null, 'no_integration'],
      [chain.fcm1, null],
    ]);
  });
});

describe('a version', () => {
  test('is read with the provider of each integration of push, removed ones included', async () => {
    const { tenant, chain, event } = await createPlace();
    await database.prisma.integration.update({
      where: { id: chain.fcm2 },
      data: { deletedAt: new Date() },
    });
    const version = await createLookUps(database.lookUps).findVersion(event.versionId);
    expect(version?.definition.channels['push']).toMatchObject({
      integrationIds: Object.values(chain),
      providers: { [chain.fcm1]: 'fcm', [chain.web]: 'web_push', [chain.fcm2]: 'fcm' },
    });
    const other = await factories.createEvent(tenant, { sms: channelVersion({ text: 'x' }) });
    const plain = await createLookUps(database.lookUps).findVersion(other.versionId);
    expect(plain?.definition.channels).toEqual({ sms: channelVersion({ text: 'x' }) });
  });

  test('names no integration of another app', async () => {
    const [{ tenant }, other] = [await createPlace(), await createPlace()];
    const integrationIds = [other.chain.web];
    const version = { push: channelVersion({ title: 'x' }, { integrationIds }) };
    const { versionId } = await factories.createEvent(tenant, version);
    const row = await createLookUps(database.lookUps).findVersion(versionId);
    expect(row?.definition.channels['push']).not.toHaveProperty('providers');
  });
});

test('an app has one integration of web push, until it is removed', async () => {
  const { tenant, chain } = await createPlace();
  const create = () =>
    factories.createIntegration(tenant, { channel: 'push', provider: 'web_push' });
  await expect(create()).rejects.toThrow('taken');
  await database.prisma.integration.update({
    where: { id: chain.web },
    data: { deletedAt: new Date() },
  });
  await expect(create()).resolves.toEqual({ id: expect.any(String) });
});
