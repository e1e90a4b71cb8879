import type { Database } from '@belfry/database';
import { newId } from '@belfry/runtime';
import {
  channelVersion,
  createFactories,
  openDatabase,
  type Tenant,
  testDatabase,
} from '@belfry/testing';
import { recordResults } from '../deliver/record.sql';
import { claimMessageRow, resultFor, writeMessageRow } from '../message-row.fixture';
import { createInbox, type Inbox } from './inbox';
import type { InboxAddress } from './inbox-item.sql';

let database: Database;
let inbox: Inbox;
let tenant: Tenant;
let event: { eventId: string; versionId: string };

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 4 });
  inbox = createInbox({ pool: database.accepting, newId });
  const factories = createFactories(database);
  tenant = await factories.createTenant();
  event = await factories.createEvent(tenant, { in_app: channelVersion({ title: 'x' }) });
});

afterAll(() => database.close());

function createReader(name: string): InboxAddress {
  return { appId: tenant.appId, userId: `${name}-${newId()}` };
}

/** Writes an item by a real claim and record; returns its message id. */
async function deliver({ userId }: InboxAddress, title = 'Hello'): Promise<string> {
  const id = await writeMessageRow(
    { database, tenant, event },
    { channel: 'in_app', target: userId },
  );
  await claimMessageRow({ database }, id);
  const item = { title, body: '', data: {} };
  await recordResults(database.delivery, [
    resultFor(id, { inboxItem: item, next: { state: 'delivered' } }),
  ]);
  return id;
}

async function deliverMany(reader: InboxAddress, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 1; number <= count; number += 1) ids.push(await deliver(reader, `${number}`));
  return ids;
}

async function readState(id: string): Promise<string> {
  return (await database.prisma.message.findUniqueOrThrow({ where: { id } })).state;
}

async function readStatuses(reader: InboxAddress): Promise<unknown[]> {
  const items = await inbox.listItems({ ...reader, ...page, withArchived: true });
  return (items ?? []).map(({ messageId, status }) => [messageId, status]);
}

const page = { before: undefined, limit: 20, withArchived: false };

describe('the list of an inbox', () => {
  test('pages newest first, each item once', async () => {
    const reader = createReader('pages');
    const ids = await deliverMany(reader, 5);
    const first = await inbox.listItems({ ...reader, ...page, limit: 2 });
    const second = await inbox.listItems({ ...reader, ...page, limit: 2, before: ids[3]! });
    const third = await inbox.listItems({ ...reader, ...page, limit: 2, before: ids[1]! });
    const pageIds = [first, second, third].map((items) => items?.map(({ messageId }) => messageId));
    expect(pageIds).toEqual([[ids[4], ids[3]], [ids[2], ids[1]], [ids[0]]]);
    expect(first?.[0]).toEqual({
      messageId: ids[4],
      content: { title: '5', body: '', data: {} },
      status: 'UNREAD',
      createdAtMs: expect.any(Number),
      ...{ seenAtMs: null, readAtMs: null, archivedAtMs: null },
    });
  });

  test('hides archived items, except from the account', async () => {
    const reader = createReader('archive');
    const [old, young] = await deliverMany(reader, 2);
    await inbox.changeStatus({ ...reader, messageId: old!, status: 'ARCHIVE' });
    const items = await inbox.listItems({ ...reader, ...page });
    expect(items?.map(({ messageId }) => messageId)).toEqual([young]);
    expect(await readStatuses(reader)).toEqual([
      [young, 'UNREAD'],
      [old, 'ARCHIVE'],
    ]);
    // The next page can still start after an item that was archived meanwhile.
    expect(await inbox.listItems({ ...reader, ...page, before: old! })).toEqual([]);
  });

  test('belongs to one user: no call reaches an item through another user or app', async () => {
    const reader = createReader('owner');
    const messageId = await deliver(reader);
    const strangers = [createReader('stranger'), { appId: newId(), userId: reader.userId }];
    for (const stranger of strangers) {
      expect(await inbox.listItems({ ...stranger, ...page })).toEqual([]);
      expect(await inbox.listItems({ ...stranger, ...page, before: messageId })).toBeUndefined();
      expect(await inbox.countUnread(stranger)).toBe(0);
      expect(await inbox.changeStatus({ ...stranger, messageId, status: 'READ' })).toBe(false);
      expect(await inbox.readAll({ ...stranger, messageId })).toBe(false);
      expect(await inbox.readAll({ ...stranger, messageId: undefined })).toBe(true);
    }
    expect(await readStatuses(reader)).toEqual([[messageId, 'UNREAD']]);
  });

  test.each(['', 'x', `${newId()}0`, "' OR 1=1"])('finds no message %j', async (messageId) => {
    const reader = createReader('ids');
    await deliver(reader);
    expect(await inbox.listItems({ ...reader, ...page, before: messageId })).toBeUndefined();
    expect(await inbox.changeStatus({ ...reader, messageId, status: 'READ' })).toBe(false);
  });
});

describe('an item', () => {
  test('marks its message as read when it is read, once and permanently', async () => {
    const reader = createReader('read');
    const messageId = await deliver(reader);
    expect(await readState(messageId)).toBe('delivered');
    expect(await inbox.changeStatus({ ...reader, messageId, status: 'READ' })).toBe(true);
    const readItem = () => database.prisma.inboxItem.findUniqueOrThrow({ where: { messageId } });
    const { readAt, seenAt } = await readItem();
    expect([readAt, seenAt]).toEqual([expect.any(Date), readAt]);
    expect(await inbox.changeStatus({ ...reader, messageId, status: 'READ' })).toBe(true);
    expect(await readItem()).toMatchObject({ readAt });
    expect(await inbox.changeStatus({ ...reader, messageId, status: 'UNREAD' })).toBe(true);
    expect(await readItem()).toMatchObject({ status: 'UNREAD', readAt: null, seenAt });
    expect(await readState(messageId)).toBe('read');
  });

  test('stays archived, and archiving does not read it', async () => {
    const reader = createReader('archived');
    const messageId = await deliver(reader);
    for (const status of ['ARCHIVE', 'READ', 'UNREAD'] as const) {
      expect(await inbox.changeStatus({ ...reader, messageId, status })).toBe(true);
    }
    expect(await readStatuses(reader)).toEqual([[messageId, 'ARCHIVE']]);
    expect(await readState(messageId)).toBe('delivered');
  });

  test('ends archived if it is read and archived at the same moment', async () => {
    const reader = createReader('race');
    const ids = await deliverMany(reader, 5);
    await Promise.all(
      ids.flatMap((messageId) =>
        (['READ', 'ARCHIVE', 'UNREAD'] as const).map((status) =>
          inbox.changeStatus({ ...reader, messageId, status }),
        ),
      ),
    );
    const statuses = (await readStatuses(reader)).map((each) => (each as string[])[1]);
    expect(new Set(statuses)).toEqual(new Set(['ARCHIVE']));
  });
});

describe('marking all as read', () => {
  test('covers items up to the newest that was seen, and updates each message', async () => {
    const reader = createReader('all');
    const [first, second, third] = await deliverMany(reader, 3);
    await inbox.changeStatus({ ...reader, messageId: first!, status: 'ARCHIVE' });
    expect(await inbox.readAll({ ...reader, messageId: second })).toBe(true);
    expect(await readStatuses(reader)).toEqual([
      [third, 'UNREAD'],
      [second, 'READ'],
      [first, 'ARCHIVE'],
    ]);
    expect(await Promise.all([first!, second!, third!].map(readState))).toEqual([
      'delivered',
      'read',
      'delivered',
    ]);
    expect(await inbox.readAll({ ...reader, messageId: undefined })).toBe(true);
    expect(await readState(third!)).toBe('read');
  });

  test('keeps the time when an item was first read', async () => {
    const reader = createReader('again');
    const messageId = await deliver(reader);
    await inbox.changeStatus({ ...reader, messageId, status: 'READ' });
    const where = { messageId };
    const { readAt } = await database.prisma.inboxItem.findUniqueOrThrow({ where });
    expect(await inbox.readAll({ ...reader, messageId: undefined })).toBe(true);
    expect(await database.prisma.inboxItem.findUnique({ where })).toMatchObject({
      status: 'READ',
      readAt,
    });
  });

  test('takes several statements for many items, and two devices do not deadlock', async () => {
    const reader = createReader('many');
    await database.prisma.inboxItem.createMany({
      data: Array.from({ length: 2_100 }, () => ({
        ...reader,
        id: newId(),
        messageId: newId(),
        content: {},
      })),
    });
    const results = await Promise.all(
      [1, 2, 3].map(() => inbox.readAll({ ...reader, messageId: undefined })),
    );
    expect(results).toEqual([true, true, true]);
    const where = { ...reader, status: 'UNREAD' };
    expect(await database.prisma.inboxItem.count({ where })).toBe(0);
  });
});

describe('the unread count', () => {
  test('counts unread items since the inbox was last opened', async () => {
    const reader = createReader('count');
    expect(await inbox.countUnread(reader)).toBe(0);
    await deliverMany(reader, 2);
    expect(await inbox.countUnread(reader)).toBe(2);
    await inbox.open(reader);
    expect(await inbox.countUnread(reader)).toBe(0);
    const [third] = await deliverMany(reader, 2);
    expect(await inbox.countUnread(reader)).toBe(2);
    await inbox.changeStatus({ ...reader, messageId: third!, status: 'READ' });
    expect(await inbox.countUnread(reader)).toBe(1);
  });

  test('does not depend on a user of another app with the same ID', async () => {
    const reader = createReader('shared');
    await deliver(reader);
    const other = await createFactories(database).createTenant();
    const stranger = { appId: other.appId, userId: reader.userId };
    await inbox.open(stranger);
    expect(await database.prisma.inboxReader.count({ where: stranger })).toBe(0);
    const lastOpenedAt = new Date(Date.now() + 3_600_000);
    await database.prisma.inboxReader.create({ data: { ...stranger, lastOpenedAt } });
    expect(await inbox.countUnread(reader)).toBe(1);
  });

  test('stops at 1,000', async () => {
    const reader = createReader('thousand');
    await database.prisma.inboxItem.createMany({
      data: Array.from({ length: 1_001 }, () => ({
        ...reader,
        id: newId(),
        messageId: newId(),
        content: {},
      })),
    });
    expect(await inbox.countUnread(reader)).toBe(1_000);
  });

  test('creates no row for a user without an inbox, and never goes back', async () => {
    const readerWithoutInbox = createReader('nobody');
    await inbox.open(readerWithoutInbox);
    expect(await database.prisma.inboxReader.count({ where: readerWithoutInbox })).toBe(0);
    const reader = createReader('opener');
    await deliver(reader);
    const lastOpenedAt = new Date(Date.now() + 3_600_000);
    await database.prisma.inboxReader.updateMany({ where: reader, data: { lastOpenedAt } });
    await inbox.open(reader);
    expect(await database.prisma.inboxReader.findMany({ where: reader })).toMatchObject([
      { lastOpenedAt },
    ]);
  });
});

test('ensureUser stores a user once, and keeps an existing one unchanged', async () => {
  const reader = createReader('setup');
  expect(await inbox.isUserStored(reader)).toBe(false);
  await Promise.all([1, 2, 3].map(() => inbox.ensureUser(reader)));
  expect(await inbox.isUserStored(reader)).toBe(true);
  const stored = { ...createReader('stored'), id: newId(), contact: { email: 'a@b.co' } };
  await database.prisma.user.create({ data: stored });
  await inbox.ensureUser(stored);
  expect(await database.prisma.user.findUnique({ where: { id: stored.id } })).toMatchObject({
    contact: { email: 'a@b.co' },
  });
});
