import type { Queryable } from '@belfry/database';
import {
  createDevices,
  createFindUser,
  createIdLists,
  createLookUps,
  createUsers,
  findPushIntegration,
} from '@belfry/database';
import { newId } from '@belfry/runtime';
import { type AnsweredCall, writeAnswered } from '../accept/answered-write';
import { writeKeyAlone } from '../accept/idempotency.sql';
import { writeRequests } from '../accept/write';
import { writeCapture } from '../deliver/capture.sql';
import { findAccountStorage } from '../operate/account-storage.sql';
import { findCaptures } from '../operate/captured-messages';
import { findSender } from '../operate/find-sender.sql';
import { createInbox } from '../operate/inbox';
import { createInboxItems } from '../operate/inbox-items';
import { listChangedReaders, readInboxNews } from '../operate/inbox-pages.sql';
import { isReportable, storeReceipts, writeAppReport } from '../operate/receipts';
import { storeReplies } from '../operate/replies.sql';
import { createCall, createKey, person, send, type World } from './world.fixture';

const toBody = (value: object) => JSON.stringify(value);

export async function useUsers(world: World): Promise<void> {
  const { database, appId, secrets } = world;
  const pool = database.accepting;
  const answer = (call: AnsweredCall, work: (client: Queryable) => Promise<object>) =>
    writeAnswered(pool, call, async (client) => toBody(await work(client)));
  const users = createUsers({ pool: database.accepting, secrets, newId });
  const contact = { email: person.email, mobile: '+4520000000', telegram: { chat_id: '77' } };
  const user = { userId: person.userId, contact };
  await answer(createCall(world, 'user'), (client) => users.writeUser(client, { appId, user }));
  await answer(createCall(world, 'user'), (client) => users.writeUser(client, { appId, user }));
  await users.writeUser(pool, { appId, user: { ...user, slackToken: 'xoxb' } });
  await users.findWholeUser(appId, person.userId);
  const devices = createDevices({ pool: database.accepting, newId });
  const address = { appId, userId: person.userId };
  const device = { clientId: 'phone', fcmToken: person.token, fields: {} };
  await devices.addDevice(pool, { ...address, device });
  const { deviceSid } = await devices.getDevice({ ...address, deviceId: 'phone' });
  const existingDevice = { ...address, knownSid: deviceSid };
  await devices.addDevice(pool, { ...existingDevice, device });
  const other = { clientId: 'tablet', fcmToken: 'other', fields: {} };
  await devices.addDevice(pool, { ...address, device: other });
  await devices.addDevice(pool, {
    ...address,
    device: { ...other, clientId: 'third', fcmToken: '3' },
  });
  await devices.updateDevice(pool, {
    ...address,
    deviceId: 'tablet',
    device: { fcmToken: '3', fields: {} },
  });
  await devices.getDevice({ ...address, deviceId: deviceSid });
  await devices.deleteDevice({ ...address, deviceId: 'tablet' });
  const pushSubscription = { endpoint: 'https://push.example/1', keys: { p256dh: 'p', auth: 'a' } };
  const browser = { clientId: 'browser', pushSubscription, fields: {} };
  await devices.addDevice(pool, { ...address, device: browser });
  const laptop = { clientId: 'laptop', fcmToken: 'token-of-ana', fields: {} };
  await devices.addDevice(pool, { ...address, device: laptop });
  await users.writeUser(pool, { appId, user });
  await users.findWholeUser(appId, person.userId);
}

export async function useLookUps(world: World): Promise<void> {
  const { database, accountId, appId, event, integrations } = world;
  const lookUps = createLookUps(database.lookUps);
  const [key] = await lookUps.findSealedKeys(accountId);
  await lookUps.findApiKey(key?.id ?? '');
  await lookUps.findApp(appId);
  await lookUps.findEvent(appId, 'order_shipped');
  await lookUps.findIntegration(integrations[0]);
  const move = (channel: string, provider: string) =>
    world.alter('UPDATE integration SET channel = $2, provider = $3 WHERE id = $1', [
      ...[integrations[0], channel, provider],
    ]);
  await move('push', 'fcm');
  await lookUps.findVersion(event.versionId);
  await findPushIntegration(database.lookUps, appId, 'fcm');
  await move('email', 'slack');
  await lookUps.findUser(appId, person.userId);
  await createFindUser(lookUps)(appId, person.userId);
  const ids = createIdLists(database.lookUps);
  await ids.readApiKeyIds();
  await ids.readAppIds();
  await findAccountStorage(database.accepting, { defaultLimitMb: 0 }, accountId);
}

export async function useSends(world: World): Promise<void> {
  const { database, accountId } = world;
  const { messageId } = await send(world);
  await world.alter(`UPDATE message SET state = 'skipped', due_at = NULL WHERE id = $1`, [
    messageId,
  ]);
  const skips = { sms: { reason: 'no_address', detail: 'none' } } as const;
  const { call } = await send(world, { key: 'send', data: '{"a":1}', skips });
  const { call: bulk } = await send(world, { key: 'bulk', unplanned: 3 });
  for (const repeated of [call, bulk]) {
    const again = { ...repeated, request: { ...repeated.request, id: newId() } };
    await writeRequests(database.accepting, [again]);
  }
  const alone = { accountId, requestId: newId(), key: createKey('alone'), body: '{}' };
  await writeKeyAlone(database.accepting, alone);
  await writeKeyAlone(database.accepting, alone);
}

export async function useInbox(world: World, messageIds: string[]): Promise<void> {
  const { database, appId } = world;
  const inbox = createInbox({ pool: database.accepting, newId });
  const address = { appId, userId: person.userId };
  const [messageId = '', second = ''] = messageIds;
  await inbox.ensureUser({ appId, userId: 'somebody' });
  await inbox.isUserStored(address);
  await inbox.countUnread(address);
  await inbox.open(address);
  await inbox.countUnread(address);
  for (const withArchived of [true, false]) {
    await inbox.listItems({ ...address, before: undefined, limit: 9, withArchived });
  }
  await inbox.listItems({ ...address, before: second, limit: 9, withArchived: true });
  await inbox.changeStatus({ ...address, messageId, status: 'READ' });
  await useInboxItems(world, messageIds);
  await inbox.readAll({ ...address, messageId: second });
  await inbox.readAll({ ...address, messageId: undefined });
}

async function useInboxItems({ database, appId }: World, messageIds: string[]): Promise<void> {
  const items = createInboxItems(database.accepting);
  const address = { appId, userId: person.userId };
  const [, second = ''] = messageIds;
  const upTo = await items.findPosition({ ...address, messageId: second });
  if (!upTo) throw new Error('The item was not found');
  const page = { ...address, archived: false, limit: 9 };
  await items.countItems(address);
  await items.readPage(page);
  await items.readPage({ ...page, from: { before: upTo } });
  await items.readPage({ ...page, from: { after: { ...upTo, arrived: 0 } } });
  await items.changeItem({ ...address, messageId: second }, { archived: true });
  await items.readPage({ ...page, archived: true });
  await items.readPage({ ...page, archived: true, from: { after: { ...upTo, arrived: 0 } } });
  const news = { ...address, limit: 9 };
  await readInboxNews(database.lookUps, { ...news, after: { arrived: 0, changed: 0 } });
  await listChangedReaders(database.lookUps, [{ ...address, after: 0 }]);
  await items.changeItems({ ...address, upTo, states: { archived: false, read: true } });
  await items.changeItems({ ...address, upTo, states: { seen: false, read: false } });
}

export async function useReceipts(world: World, messageId: string): Promise<void> {
  const { database, appId, integrations } = world;
  const report = {
    appId,
    messageId,
    errorCode: undefined,
    reason: undefined,
    detail: 'detail',
    body: '{}',
  };
  const push = await send(world, { channel: 'push', target: person.token });
  await world.alter(
    `UPDATE message SET state = 'skipped', due_at = NULL, attempts = 1 WHERE id = $1`,
    [push.messageId],
  );
  await isReportable(database.lookUps, { appId, messageId: push.messageId });
  const suppress = { change: 'suppress', reason: 'bounced', sender: '' } as const;
  await storeReceipts(database.accepting, [
    {
      ...report,
      integrationId: integrations[0],
      providerMessageId: 'p1',
      state: 'delivered',
      identity: 'delivered',
      changes: [suppress],
    },
  ]);
  await findSender(database.accepting, messageId);
  await writeAppReport(
    database.accepting,
    { ...createCall(world, 'report'), ...report, state: 'read', identity: 'read' },
    '{}',
  );
}

export async function useReplies({ database, appId }: World): Promise<void> {
  const person = { address: '+4520000009', sender: '+15005550009' };
  for (const wish of ['stop', 'start'] as const) {
    const replies = [{ ...person, wish, identity: wish }];
    await storeReplies(database.accepting, { appId, channel: 'sms', replies });
  }
}

export async function useCaptures({ database, appId }: World, messageId: string): Promise<void> {
  const capture = { appId, messageId, attempt: 1, channel: 'email', provider: 'smtp' };
  const content = { content: { subject: 'Hello' }, request: {}, outcome: 'accepted' };
  await writeCapture(database.hot, { ...capture, target: person.email, ...content });
  const filter = { appId, channel: undefined, targets: undefined, requestId: undefined };
  const page = await findCaptures(database.accepting, { ...filter, after: undefined });
  await findCaptures(database.accepting, { ...filter, after: page?.next });
  const [captured] = page?.captures ?? [];
  await findCaptures(database.accepting, {
    ...filter,
    requestId: captured?.requestId,
    targets: [person.email],
    after: undefined,
  });
}
