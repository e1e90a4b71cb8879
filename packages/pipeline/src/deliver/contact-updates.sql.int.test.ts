import type { Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import type { ContactUpdate } from '@belfry/shared';
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
  event = await factories.createEvent(tenant, { email: channelVersion({ subject: 'x' }) });
});

afterAll(() => database.close());

async function learn(options: MessageOptions, ...changes: ContactUpdate[]): Promise<string> {
  const id = await writeMessageRow({ database, tenant, event }, options);
  await claimMessageRow({ database }, id);
  await recordResults(database.delivery, [resultFor(id, { changes })]);
  return id;
}

describe('a contact update from a provider', () => {
  const optOut: ContactUpdate = { change: 'suppress', reason: 'opted_out', sender: '+15550001' };

  test('suppresses the next message from the same sender, but not from another sender', async () => {
    const target = '+4915112345678';
    const [from1, from2] = await Promise.all(
      ['+15550001', '+15550002'].map((sender) => createIntegration({ sender })),
    );
    await learn({ channel: 'sms', target, integrationId: from1! }, optOut);
    const place = { database, tenant, event };
    const options = { channel: 'sms', target };
    const again = await writeMessageRow(place, { ...options, integrationId: from1! });
    const other = await writeMessageRow(place, { ...options, integrationId: from2! });
    expect(await claimMessageRow(place, again)).toEqual({
      kind: 'settled',
      state: 'skipped',
      reason: 'suppressed',
    });
    expect(await claimMessageRow(place, other)).toMatchObject({ kind: 'claimed' });
  });

  test('applies to the sender that the request names, wherever an old client names it', async () => {
    const target = '+4915112345679';
    const integrationId = await createIntegration({ sender: '+15550001' });
    const place = { database, tenant, event };
    const options = { channel: 'sms', target, integrationId };
    await learn(options, { ...optOut, sender: '+15550002' });
    const getClaimKind = async (override?: object) =>
      (await claimMessageRow(place, await writeMessageRow(place, { ...options, override })))?.kind;
    expect(await getClaimKind({ sms: { sender: '+1 (555) 0002' } })).toBe('settled');
    expect(await getClaimKind({ sms: { message: { sender: '+15550002' } } })).toBe('settled');
    expect(await getClaimKind({ sms: { sender: '+15550003' } })).toBe('claimed');
    expect(await getClaimKind({ email: { message: { subject: 'x' } } })).toBe('claimed');
    expect(await getClaimKind()).toBe('claimed');
    await learn({ ...options, override: { sms: { sender: '+15550003' } } }, optOut);
    expect(await getClaimKind()).toBe('settled');
    expect(await getClaimKind({ sms: { sender: '+15550003' } })).toBe('claimed');
  });

  test('keeps a suppression that an operator wrote', async () => {
    const row = { appId: tenant.appId, channel: 'sms', recipient: '+4915100000001', sender: '' };
    await database.prisma.suppression.create({ data: { id: newId(), ...row, reason: 'manual' } });
    await learn({ channel: 'sms', target: row.recipient }, { ...optOut, sender: '' });
    const rows = await database.prisma.suppression.findMany({
      where: { appId: row.appId, recipient: row.recipient },
    });
    expect(rows).toMatchObject([{ reason: 'manual' }]);
  });

  test('is stored whatever characters the provider sends', async () => {
    const target = newId();
    await learn({ channel: 'sms', target }, { ...optOut, detail: 'no such\0mailbox' });
    const rows = await database.prisma.suppression.findMany({ where: { recipient: target } });
    expect(rows).toMatchObject([{ detail: 'no such\uFFFDmailbox' }]);
  });

  test('is stored before the attempt’s result, which stays open if that fails', async () => {
    const id = await writeMessageRow({ database, tenant, event }, { target: newId() });
    await claimMessageRow({ database }, id);
    // PostgreSQL refuses U+0000 in text.
    const changes = [{ ...optOut, sender: '\0' }];
    await expect(recordResults(database.delivery, [resultFor(id, { changes })])).rejects.toThrow();
    const where = { messageId_number: { messageId: id, number: 1 } };
    expect(await database.prisma.attempt.findUnique({ where })).toMatchObject({ closedAt: null });
  });

  const moved = {
    change: 'move_address',
    path: ['telegram', 'chat_id'],
    to: '-100200',
  } satisfies ContactUpdate;

  test('changes the stored user’s address, and no other member', async () => {
    const id = await createUser('group-owner', { email: 'a@b.co', telegram: { chat_id: '-5' } });
    await learn(
      { channel: 'telegram', target: '-5', recipient: { user_id: 'group-owner' } },
      moved,
    );
    expect(await readContact(id)).toEqual({ email: 'a@b.co', telegram: { chat_id: '-100200' } });
  });

  test('does not change an address that was changed meanwhile, or that the request named', async () => {
    const id = await createUser('mover', { telegram: { chat_id: '77' } });
    await learn({ channel: 'telegram', target: '-5', recipient: { user_id: 'mover' } }, moved);
    await learn({ channel: 'telegram', target: '77', recipient: {} }, moved);
    expect(await readContact(id)).toEqual({ telegram: { chat_id: '77' } });
  });

  test('disables exactly the device with the token', async () => {
    const userSid = await createUser('phones', {});
    const tokens = ['dead\\token', 'live-token'];
    await database.prisma.device.createMany({
      data: tokens.map((fcmToken) => ({ id: newId(), appId: tenant.appId, userSid, fcmToken })),
    });
    await learn(
      { channel: 'push', target: 'dead\\token' },
      { change: 'disable_device', reason: 'UNREGISTERED' },
    );
    const devices = await database.prisma.device.findMany({
      where: { userSid },
      orderBy: { fcmToken: 'asc' },
    });
    expect(devices).toMatchObject([
      { fcmToken: 'dead\\token', notificationsDisabled: true, disabledReason: 'UNREGISTERED' },
      { fcmToken: 'live-token', notificationsDisabled: false, disabledReason: null },
    ]);
  });

  test('changes nothing in another app with the same user, address and token', async () => {
    const { appId } = await createFactories(database).createTenant();
    const contact = { telegram: { chat_id: '-6' } };
    const otherUserSid = await createUser('shared', contact, appId);
    const device = { id: newId(), appId, userSid: otherUserSid, fcmToken: newId() };
    await database.prisma.device.create({ data: device });
    const ours = await createUser('shared', contact);
    const recipient = { user_id: 'shared' };
    await learn({ channel: 'telegram', target: '-6', recipient }, moved, optOut);
    await learn(
      { channel: 'push', target: device.fcmToken },
      { change: 'disable_device', reason: 'UNREGISTERED' },
    );
    expect(await readContact(ours)).toEqual({ telegram: { chat_id: moved.to } });
    expect(await readContact(otherUserSid)).toEqual(contact);
    expect(await database.prisma.device.findUnique({ where: { id: device.id } })).toMatchObject({
      notificationsDisabled: false,
    });
    expect(await database.prisma.suppression.count({ where: { appId } })).toBe(0);
  });
});

describe('an inbox item', () => {
  test('is stored once, even if its message is delivered several times at once', async () => {
    const id = await writeMessageRow(
      { database, tenant, event },
      { channel: 'in_app', target: 'reader' },
    );
    await claimMessageRow({ database }, id);
    const delivered = resultFor(id, {
      inboxItem: { title: 'Hello' },
      next: { state: 'delivered' },
    });
    const recorded = await Promise.all(
      Array.from({ length: 8 }, () => recordResults(database.delivery, [delivered])),
    );
    expect(recorded.flat().filter(Boolean)).toHaveLength(1);
    const items = await database.prisma.inboxItem.findMany({ where: { messageId: id } });
    expect(items).toMatchObject([
      { userId: 'reader', appId: tenant.appId, content: { title: 'Hello' }, status: 'UNREAD' },
    ]);
    expect(await database.prisma.message.findUnique({ where: { id } })).toMatchObject({
      state: 'delivered',
      dueAt: null,
    });
  });
});

async function createIntegration(settings: object): Promise<string> {
  const id = newId();
  await database.prisma.integration.create({
    data: {
      id,
      appId: tenant.appId,
      name: id,
      channel: 'sms',
      provider: 'twilio',
      settings,
      credentials: '',
    },
  });
  return id;
}

async function createUser(userId: string, contact: object, appId = tenant.appId): Promise<string> {
  const id = newId();
  await database.prisma.user.create({ data: { id, appId, userId, contact } });
  return id;
}

async function readContact(id: string): Promise<unknown> {
  return (await database.prisma.user.findUniqueOrThrow({ where: { id } })).contact;
}
