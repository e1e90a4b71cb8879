import { createDatabase, createDevices, createLookUps, type Database } from '@belfry/database';
import { createLogger, newId } from '@belfry/runtime';
import type { DeviceChange } from '@belfry/shared';
import { channelVersion, createFactories, type Tenant, testDatabase } from '@belfry/testing';
import {
  claimMessageRow,
  type MessageOptions,
  resultFor,
  writeMessageRow,
} from '../message-row.fixture';
import { recordResults } from './record.sql';

const log = createLogger({ level: 'error', process: 'test' });
let database: Database;
let tenant: Tenant;
let event: { eventId: string; versionId: string };

beforeAll(async () => {
  const { url } = await testDatabase();
  database = createDatabase({ url, poolSize: 4, log });
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

/** As it is planned for a stored device. */
function writeFor({ userId, token, deviceId }: Phone): Promise<string> {
  return write({ target: token, deviceId, recipient: { user_id: userId } });
}

/** As it is planned for a token that the call names. */
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

/** As it is planned for the subscription of a stored device. */
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

describe('a message to a subscription of OneSignal that waits', () => {
  test('goes to it while it is its device’s', async () => {
    const id = await writeForSubscription(await createSubscribedPhone());
    expect(await claim(id)).toEqual(claimed);
  });

  test('goes to nobody once the device has another one, or is gone', async () => {
    const [changed, removed] = [await createSubscribedPhone(), await createSubscribedPhone()];
    const ids = [await writeForSubscription(changed), await writeForSubscription(removed)];
    await change(changed, { fields: { onesignal_player_id: newId() } });
    await database.prisma.device.delete({ where: { id: removed.deviceId } });
    for (const id of ids) expect(await claim(id)).toEqual(skipped('device_gone'));
  });

  test('goes to nobody once its app switched its notifications off', async () => {
    const phone = await createSubscribedPhone();
    const id = await writeForSubscription(phone);
    await change(phone, { notificationsDisabled: true });
    expect(await claim(id)).toEqual(skipped('opted_out'));
  });

  test('that the call names goes to it, whosever it is', async () => {
    await createSubscribedPhone();
    const id = await write({ channel: 'onesignal', target: `subscription:${playerId}` });
    expect(await claim(id)).toEqual(claimed);
  });
});

describe('a push that waits', () => {
  test('goes to the device that it was planned for, also when that one told of itself again', async () => {
    const phone = await createPhone();
    const id = await writeFor(phone);
    await signIn(phone.userId, phone.token, { platform: 'ios' });
    expect(await claim(id)).toEqual(claimed);
  });

  test('while its phone signs in as somebody else reaches nobody', async () => {
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

  test('while its phone signs in as somebody else and back again reaches nobody', async () => {
    const phone = await createPhone();
    const id = await writeFor(phone);
    await signIn(await createUser(), phone.token);
    await signIn(phone.userId, phone.token);
    expect(await claim(id)).toEqual(skipped('device_gone'));
  });

  test('for a device that was deleted, or has another token since, reaches nobody', async () => {
    const [deleted, renewed] = [await createPhone(), await createPhone()];
    const ids = [await writeFor(deleted), await writeFor(renewed)];
    await database.prisma.device.delete({ where: { id: deleted.deviceId } });
    await change(renewed, { fcmToken: newId() });
    for (const id of ids) expect(await claim(id)).toEqual(skipped('device_gone'));
  });

  test('for a device that its owner switched off, or whose token is dead, reaches nobody', async () => {
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

  test('to a token that the call names goes out where no device has it, and where it is the user’s', async () => {
    const phone = await createPhone();
    expect(await claim(await writeTo(newId(), phone.userId))).toEqual(claimed);
    expect(await claim(await writeTo(phone.token, phone.userId))).toEqual(claimed);
    expect(await claim(await writeTo(phone.token))).toEqual(claimed);
    const topic = await write({ target: '/topics/news', recipient: { fcm_topic: 'news' } });
    expect(await claim(topic)).toEqual(claimed);
  });

  test('is not held up by what an address of another channel has in common with a token', async () => {
    const phone = await createPhone();
    await change(phone, { notificationsDisabled: true });
    const id = await write({ channel: 'onesignal', target: phone.token });
    expect(await claim(id)).toEqual(claimed);
  });

  test('is not touched by what another app says of a device with the same token', async () => {
    const phone = await createPhone();
    const theirs = newId();
    for (const token of [phone.token, theirs]) await createForeignDevice(token);
    expect(await claim(await writeFor(phone))).toEqual(claimed);
    expect(await claim(await writeTo(phone.token, phone.userId))).toEqual(claimed);
    // No device of the own app has this token: the only row that could stop the push is the other app's.
    expect(await claim(await writeTo(theirs, phone.userId))).toEqual(claimed);
    expect(await claim(await writeTo(theirs))).toEqual(claimed);
  });

  test('is not stopped by a suppression of another app, and is by one of its own', async () => {
    const phone = await createPhone();
    await suppress(await createFactories(database).createTenant(), phone.token);
    expect(await claim(await writeFor(phone))).toEqual(claimed);
    await suppress(tenant, phone.token);
    expect(await claim(await writeFor(phone))).toEqual(skipped('suppressed'));
  });
});

/** Another app knows the token, and its owner switched it off there. */
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

describe('a dead token', () => {
  test('switches exactly its own device off, with the reason, until a token is written again', async () => {
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

test('a stored user is found with the devices that have a token, those that are on first, and who switched the others off', async () => {
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
