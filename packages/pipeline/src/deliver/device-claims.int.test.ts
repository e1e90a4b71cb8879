import { createDevices, createLookUps, type Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import type { DeviceChange } from '@belfry/shared';
import {
  channelVersion,
  createFactories,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import {
  claimMessageRow,
  type MessageOptions,
  resultFor,
  writeMessageRow,
} from '../message-row.fixture';
import { recordResults } from './record.sql';

let database: Database;
let tenant: Tenant;
let event: { eventId: string; versionId: string };

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 4 });
  const factories = createFactories(database);
  tenant = await factories.createTenant();
  event = await factories.createEvent(tenant, { push: channelVersion({ title: 'x' }) });
});

afterAll(() => database.close());

type Phone = { userId: string; token: string; deviceId: string };

async function createUser(): Promise<string> {
  const userId = newId();
  await database.prisma.user.create({ data: { id: newId(), appId: tenant.appId, userId } });
  return userId;
}

async function signIn(userId: string, token: string, device: Partial<DeviceChange> = {}) {
  const devices = createDevices({ pool: database.accepting, newId });
  const change = { fields: {}, fcmToken: token, ...device };
  const { deviceSid } = await devices.addDevice(database.accepting, {
    ...{ appId: tenant.appId, userId, device: change },
  });
  return { userId, token, deviceId: deviceSid };
}

async function createPhone(): Promise<Phone> {
  return signIn(await createUser(), newId());
}

function change({ userId, deviceId }: Phone, device: Partial<DeviceChange>) {
  const devices = createDevices({ pool: database.accepting, newId });
  const address = { appId: tenant.appId, userId, deviceId };
  return devices.updateDevice(database.accepting, {
    ...address,
    device: { fields: {}, ...device },
  });
}

function write(options: MessageOptions): Promise<string> {
  return writeMessageRow({ database, tenant, event }, { channel: 'push', ...options });
}

/** A message planned for a stored device. */
function writeFor({ userId, token, deviceId }: Phone): Promise<string> {
  return write({ target: token, deviceId, recipient: { user_id: userId } });
}

/** A message planned for a token that the request names. */
function writeTo(token: string, userId?: string): Promise<string> {
  const user = userId === undefined ? {} : { user_id: userId };
  return write({ target: token, recipient: { ...user, fcm_tokens: [token] } });
}

const claim = (id: string) => claimMessageRow({ database }, id);
const skipped = (reason: string) => ({ kind: 'settled', state: 'skipped', reason });
const claimed = expect.objectContaining({ kind: 'claimed' });

function readDevice({ deviceId }: Phone) {
  return database.prisma.device.findUnique({ where: { id: deviceId } });
}

const playerId = '22222222-2222-4222-8222-222222222222';

/** A message planned for the subscription of a stored device. */
function writeForSubscription({ userId, deviceId }: Phone): Promise<string> {
  return write({
    channel: 'onesignal',
    target: `subscription:${playerId}`,
    deviceId,
    recipient: { user_id: userId },
  });
}

async function createSubscribedPhone(): Promise<Phone> {
  const fields = { onesignal_player_id: playerId.toUpperCase() };
  return signIn(await createUser(), newId(), { fields });
}

describe('a queued message to a OneSignal subscription', () => {
  test('is sent while the subscription belongs to its device', async () => {
    const id = await writeForSubscription(await createSubscribedPhone());
    expect(await claim(id)).toEqual(claimed);
  });

  test('is not sent if the device has another subscription or was deleted', async () => {
    const [changed, removed] = [await createSubscribedPhone(), await createSubscribedPhone()];
    const ids = [await writeForSubscription(changed), await writeForSubscription(removed)];
    await change(changed, { fields: { onesignal_player_id: newId() } });
    await database.prisma.device.delete({ where: { id: removed.deviceId } });
    for (const id of ids) expect(await claim(id)).toEqual(skipped('device_gone'));
  });

  test('is not sent if the app disabled the device’s notifications', async () => {
    const phone = await createSubscribedPhone();
    const id = await writeForSubscription(phone);
    await change(phone, { notificationsDisabled: true });
    expect(await claim(id)).toEqual(skipped('opted_out'));
  });

  test('is sent though FCM disabled the device: its token is not that of OneSignal', async () => {
    const phone = await createSubscribedPhone();
    const id = await writeForSubscription(phone);
    const data = { notificationsDisabled: true, disabledReason: 'unregistered' };
    await database.prisma.device.update({ where: { id: phone.deviceId }, data });
    expect(await claim(id)).toEqual(claimed);
  });

  test('is sent if the request names the subscription, whoever owns it', async () => {
    await createSubscribedPhone();
    const id = await write({ channel: 'onesignal', target: `subscription:${playerId}` });
    expect(await claim(id)).toEqual(claimed);
  });
});

describe('a queued push message', () => {
  test('is sent to its device, even if the device registered again', async () => {
    const phone = await createPhone();
    const id = await writeFor(phone);
    await signIn(phone.userId, phone.token, { platform: 'ios' });
    expect(await claim(id)).toEqual(claimed);
  });

  test('is not sent while another user is signed in on the phone', async () => {
    const phone = await createPhone();
    const [planned, tokenMessage] = [
      await writeFor(phone),
      await writeTo(phone.token, phone.userId),
    ];
    await signIn(await createUser(), phone.token);
    expect([await claim(planned), await claim(tokenMessage)]).toEqual([
      skipped('device_gone'),
      skipped('device_gone'),
    ]);
    const row = await database.prisma.message.findUniqueOrThrow({
      where: { id: planned },
      include: { attemptRows: true },
    });
    expect(row).toMatchObject({ state: 'skipped', reason: 'device_gone', attemptRows: [] });
    expect([row.dueAt, row.settledAt]).toEqual([null, expect.any(Date)]);
  });

  test('is not sent if another user signed in on the phone and then the first one again', async () => {
    const phone = await createPhone();
    const id = await writeFor(phone);
    await signIn(await createUser(), phone.token);
    await signIn(phone.userId, phone.token);
    expect(await claim(id)).toEqual(skipped('device_gone'));
  });

  test('is not sent if the device was deleted or has another token', async () => {
    const [deleted, renewed] = [await createPhone(), await createPhone()];
    const ids = [await writeFor(deleted), await writeFor(renewed)];
    await database.prisma.device.delete({ where: { id: deleted.deviceId } });
    await change(renewed, { fcmToken: newId() });
    for (const id of ids) expect(await claim(id)).toEqual(skipped('device_gone'));
  });

  test('is not sent if the owner disabled the device or its token is invalid', async () => {
    const [off, dead] = [await createPhone(), await createPhone()];
    const ids = [await writeFor(off), await writeTo(off.token), await writeFor(dead)];
    await change(off, { notificationsDisabled: true });
    const first = await writeFor(dead);
    await claim(first);
    const changes = [{ change: 'disable_device' as const, reason: 'unregistered' }];
    await recordResults(database.delivery, [resultFor(first, { changes })]);
    expect([await claim(ids[0]!), await claim(ids[1]!), await claim(ids[2]!)]).toEqual([
      skipped('opted_out'),
      skipped('opted_out'),
      skipped('suppressed'),
    ]);
  });

  test('is sent to a token that the request names if no device, or a device of the user, has it', async () => {
    const phone = await createPhone();
    expect(await claim(await writeTo(newId(), phone.userId))).toEqual(claimed);
    expect(await claim(await writeTo(phone.token, phone.userId))).toEqual(claimed);
    expect(await claim(await writeTo(phone.token))).toEqual(claimed);
    const topic = await write({ target: '/topics/news', recipient: { fcm_topic: 'news' } });
    expect(await claim(topic)).toEqual(claimed);
  });

  test('is not blocked if an address of another channel equals the token', async () => {
    const phone = await createPhone();
    await change(phone, { notificationsDisabled: true });
    const id = await write({ channel: 'onesignal', target: phone.token });
    expect(await claim(id)).toEqual(claimed);
  });

  test('is not affected by a device with the same token in another app', async () => {
    const phone = await createPhone();
    const foreignToken = newId();
    for (const token of [phone.token, foreignToken]) await createForeignDevice(token);
    expect(await claim(await writeFor(phone))).toEqual(claimed);
    expect(await claim(await writeTo(phone.token, phone.userId))).toEqual(claimed);
    // No device of this app has the token: only the row of the other app could block the push.
    expect(await claim(await writeTo(foreignToken, phone.userId))).toEqual(claimed);
    expect(await claim(await writeTo(foreignToken))).toEqual(claimed);
  });

  test('is not blocked by a suppression of another app, but is by one of its own app', async () => {
    const phone = await createPhone();
    await suppress(await createFactories(database).createTenant(), phone.token);
    expect(await claim(await writeFor(phone))).toEqual(claimed);
    await suppress(tenant, phone.token);
    expect(await claim(await writeFor(phone))).toEqual(skipped('suppressed'));
  });
});

/** Another app has the token, and its owner disabled it there. */
async function createForeignDevice(fcmToken: string): Promise<void> {
  const { appId } = await createFactories(database).createTenant();
  const userSid = newId();
  await database.prisma.user.create({ data: { id: userSid, appId, userId: 'somebody' } });
  await database.prisma.device.create({
    data: { id: newId(), appId, userSid, fcmToken, notificationsDisabled: true },
  });
}

async function suppress({ appId }: Tenant, recipient: string): Promise<void> {
  await database.prisma.suppression.create({
    data: { id: newId(), appId, channel: 'push', recipient, reason: 'manual' },
  });
}

describe('an invalid token', () => {
  test('disables exactly its own device, with the reason, until a token is written again', async () => {
    const [phone, other] = [await createPhone(), await createPhone()];
    const second = await signIn(phone.userId, newId());
    const id = await writeFor(phone);
    await claim(id);
    const changes = [{ change: 'disable_device' as const, reason: 'unregistered' }];
    await recordResults(database.delivery, [resultFor(id, { changes })]);
    expect(await readDevice(phone)).toMatchObject({
      notificationsDisabled: true,
      disabledReason: 'unregistered',
    });
    for (const untouched of [other, second]) {
      expect(await readDevice(untouched)).toMatchObject({
        notificationsDisabled: false,
        disabledReason: null,
      });
    }
    await signIn(phone.userId, phone.token);
    expect(await readDevice(phone)).toMatchObject({
      notificationsDisabled: false,
      disabledReason: null,
    });
  });
});

test('a stored user is returned with devices that have a token, enabled ones first, and with the reason for disabled ones', async () => {
  const userId = await createUser();
  const none = await signIn(userId, '', { fcmToken: '' });
  await database.prisma.device.update({ where: { id: none.deviceId }, data: { fcmToken: null } });
  const phones = [
    await signIn(userId, newId()),
    await signIn(userId, newId()),
    await signIn(userId, newId()),
  ];
  await change(phones[1]!, { notificationsDisabled: true });
  await database.prisma.device.update({
    where: { id: phones[2]!.deviceId },
    data: { notificationsDisabled: true, disabledReason: 'unregistered' },
  });
  const lookUps = createLookUps(database.lookUps);
  const devices = [
    { id: phones[0]!.deviceId, token: phones[0]!.token },
    { id: phones[2]!.deviceId, token: phones[2]!.token, disabled: 'by_provider' },
    { id: phones[1]!.deviceId, token: phones[1]!.token, disabled: 'by_client' },
  ];
  expect(await lookUps.findUser(tenant.appId, userId)).toMatchObject({ userId, devices });
  const foundUsers = await lookUps.findUsers(tenant.appId, [userId, await createUser()]);
  expect([...foundUsers.values()].map((user) => user.devices)).toEqual(
    expect.arrayContaining([devices, []]),
  );
});
