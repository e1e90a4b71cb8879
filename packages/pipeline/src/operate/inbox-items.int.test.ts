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
import type { InboxAddress, InboxPosition } from './inbox-item.sql';
import { createInboxItems, type InboxItems } from './inbox-items';

let database: Database;
let items: InboxItems;
let tenant: Tenant;
let event: { eventId: string; versionId: string };

beforeAll(async () => {
  const { url } = await testDatabase();
  database = openDatabase({ url, poolSize: 4 });
  items = createInboxItems(database.accepting);
  const factories = createFactories(database);
  tenant = await factories.createTenant();
  event = await factories.createEvent(tenant, { in_app: channelVersion({ title: 'x' }) });
});

afterAll(() => database.close());

function createReader(name: string): InboxAddress {
  return { appId: tenant.appId, userId: `${name}-${newId()}` };
}

/** Delivers a message by a real claim and record; returns its ID. */
async function deliver({ userId }: InboxAddress): Promise<string> {
  const place = { database, tenant, event };
  const id = await writeMessageRow(place, { channel: 'in_app', target: userId });
  await claimMessageRow({ database }, id);
  const inboxItem = { title: 'Hello', body: '', data: {} };
  const result = resultFor(id, { inboxItem, next: { state: 'delivered' } });
  await recordResults(database.delivery, [result]);
  return id;
}

async function deliverMany(reader: InboxAddress, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) ids.push(await deliver(reader));
  return ids;
}

/** Items without messages, for counts. */
async function insert(reader: InboxAddress, count: number): Promise<void> {
  const rows = Array.from({ length: count }, () => {
    return { ...reader, id: newId(), messageId: newId(), content: {} };
  });
  await database.prisma.inboxItem.createMany({ data: rows });
}

async function readState(id: string): Promise<string> {
  return (await database.prisma.message.findUniqueOrThrow({ where: { id } })).state;
}

const page = { archived: false, limit: 2 };

type Pages = { ids: string[]; last: InboxPosition | undefined };

/** Reads older pages to the end. `meanwhile` runs after each page. */
async function readOlder(
  reader: InboxAddress,
  from: InboxPosition | undefined,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<string[]> {
  const start = from ? { from: { before: from } } : {};
  const { items: found, before } = await items.readPage({ ...reader, ...page, ...start });
  const ids = found.map(({ messageId }) => messageId);
  await meanwhile();
  return before ? [...ids, ...(await readOlder(reader, before, meanwhile))] : ids;
}

/** Reads newer pages to the end, oldest first. */
async function readNewer(reader: InboxAddress, from: InboxPosition): Promise<Pages> {
  const { items: found, after } = await items.readPage({
    ...reader,
    ...page,
    from: { after: from },
  });
  if (found.length === 0) return { ids: [], last: after };
  const newer = await readNewer(reader, after);
  return { ...newer, ids: [...found.map(({ messageId }) => messageId).reverse(), ...newer.ids] };
}

describe('pages of an inbox', () => {
  test('have each item once in both directions, while items arrive', async () => {
    const reader = createReader('pages');
    const first = await deliverMany(reader, 5);
    const { after } = await items.readPage({ ...reader, ...page });
    const arrived: string[] = [];
    const older = await readOlder(reader, undefined, async () => {
      arrived.push(await deliver(reader));
    });
    expect(older).toEqual(first.toReversed());
    const newer = await readNewer(reader, after);
    expect(newer.ids).toEqual(arrived);
    expect(arrived.length).toBeGreaterThan(2);
    const back = await readOlder(reader, newer.last);
    expect(back).toEqual([...first, ...arrived].toReversed().slice(1));
  });

  test('lead from an empty inbox to its first items', async () => {
    const reader = createReader('empty');
    const empty = await items.readPage({ ...reader, ...page });
    expect(empty).toMatchObject({ items: [], before: undefined, lastChange: 0 });
    const ids = await deliverMany(reader, 3);
    expect((await readNewer(reader, empty.after)).ids).toEqual(ids);
  });

  test('have the items from before arrivals were numbered as the oldest, in their order', async () => {
    const reader = createReader('old');
    const ids = await deliverMany(reader, 3);
    await database.prisma.inboxItem.updateMany({
      where: { messageId: { in: ids.slice(0, 2) } },
      data: { arrived: 0, changed: 0 },
    });
    expect(await readOlder(reader, undefined)).toEqual(ids.toReversed());
  });

  test('have archived items apart from others', async () => {
    const reader = createReader('archive');
    const [old = '', young] = await deliverMany(reader, 2);
    await items.changeItem({ ...reader, messageId: old }, { archived: true });
    const listIds = async (archived: boolean) =>
      (await items.readPage({ ...reader, ...page, archived })).items.map((item) => item.messageId);
    expect(await listIds(false)).toEqual([young]);
    expect(await listIds(true)).toEqual([old]);
  });
});

describe('a state of an item', () => {
  const none = { seenAtMs: null, readAtMs: null, archivedAtMs: null };
  const time = expect.any(Number);

  test('is set with its time, and can be undone', async () => {
    const reader = createReader('states');
    const messageId = await deliver(reader);
    const change = (states: object) => items.changeItem({ ...reader, messageId }, states);
    expect(await change({ seen: true })).toMatchObject({ ...none, seenAtMs: time });
    expect(await change({ seen: false })).toMatchObject({ ...none, status: 'UNREAD' });
    expect(await change({ archived: true })).toMatchObject({
      ...none,
      archivedAtMs: time,
      status: 'ARCHIVE',
    });
    expect(await change({ archived: false })).toMatchObject({ ...none, status: 'UNREAD' });
    expect(await readState(messageId)).toBe('delivered');
    const read = { ...none, seenAtMs: time, readAtMs: time, status: 'READ' };
    expect(await change({ read: true })).toMatchObject(read);
    expect(await readState(messageId)).toBe('read');
    expect(await change({ read: false })).toMatchObject({
      ...read,
      readAtMs: null,
      status: 'UNREAD',
    });
    expect(await readState(messageId)).toBe('read');
  });

  test('keeps its time if it is set again, and then the inbox has not changed', async () => {
    const reader = createReader('again');
    const messageId = await deliver(reader);
    const first = await items.changeItem({ ...reader, messageId }, { read: true });
    const { lastChange } = await items.readPage({ ...reader, ...page });
    expect(await items.changeItem({ ...reader, messageId }, { read: true })).toEqual(first);
    expect((await items.readPage({ ...reader, ...page })).lastChange).toBe(lastChange);
  });

  test('can be changed by its reader only', async () => {
    const reader = createReader('owner');
    const messageId = await deliver(reader);
    for (const stranger of [createReader('stranger'), { ...reader, appId: newId() }]) {
      expect(await items.changeItem({ ...stranger, messageId }, { read: true })).toBeUndefined();
      expect(await items.findPosition({ ...stranger, messageId })).toBeUndefined();
    }
    expect(await items.changeItem({ ...reader, messageId: 'x' }, { read: true })).toBeUndefined();
    expect(await items.countItems(reader)).toEqual({ unseen: 1, unread: 1 });
  });
});

describe('changing many items', () => {
  test('leaves newer items, archived items and other readers as they are', async () => {
    const reader = createReader('bulk');
    const [archived = '', first = '', second = '', third = ''] = await deliverMany(reader, 4);
    const neighbour = createReader('neighbour');
    const theirs = await deliver(neighbour);
    await items.changeItem({ ...reader, messageId: archived }, { archived: true });
    const upTo = await items.findPosition({ ...reader, messageId: second });
    const change = { ...reader, upTo: upTo!, states: { read: true } };
    expect(await items.changeItems(change)).toBe(2);
    expect(await items.changeItems(change)).toBe(0);
    const states = await Promise.all([archived, first, second, third, theirs].map(readState));
    expect(states).toEqual(['delivered', 'read', 'read', 'delivered', 'delivered']);
    expect(await items.countItems(reader)).toEqual({ unseen: 1, unread: 1 });
    expect(await items.countItems(neighbour)).toEqual({ unseen: 1, unread: 1 });
  });

  test('changes archived items only to take them out of the archive', async () => {
    const reader = createReader('unarchive');
    const ids = await deliverMany(reader, 3);
    const { after: upTo } = await items.readPage({ ...reader, ...page });
    expect(await items.changeItems({ ...reader, upTo, states: { archived: true } })).toBe(3);
    expect(await items.changeItems({ ...reader, upTo, states: { seen: true } })).toBe(0);
    expect(await items.changeItems({ ...reader, upTo, states: { archived: false } })).toBe(3);
    expect(await readOlder(reader, undefined)).toEqual(ids.toReversed());
  });

  test('takes several statements for over 1,000 items, and two devices do not deadlock', async () => {
    const reader = createReader('many');
    await insert(reader, 2_100);
    expect(await items.countItems(reader)).toEqual({ unseen: 1_000, unread: 1_000 });
    const { after: upTo } = await items.readPage({ ...reader, ...page });
    const change = { ...reader, upTo, states: { read: true } };
    const [one, two] = await Promise.all([items.changeItems(change), items.changeItems(change)]);
    expect(one + two).toBe(2_100);
    expect(await items.countItems(reader)).toEqual({ unseen: 0, unread: 0 });
  }, 60_000);
});

test('the counts of an inbox have no archived items', async () => {
  const reader = createReader('counts');
  expect(await items.countItems(reader)).toEqual({ unseen: 0, unread: 0 });
  const [first = '', second = '', third = ''] = await deliverMany(reader, 3);
  await items.changeItem({ ...reader, messageId: first }, { seen: true });
  await items.changeItem({ ...reader, messageId: second }, { read: true });
  expect(await items.countItems(reader)).toEqual({ unseen: 1, unread: 2 });
  await items.changeItem({ ...reader, messageId: third }, { archived: true });
  expect(await items.countItems(reader)).toEqual({ unseen: 0, unread: 1 });
});
