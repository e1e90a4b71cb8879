import { eventually } from '../../testing/src/eventually';
import { appId, send, startGateway, type TestGateway } from './gateway.fixture';
import { createInbox, createInboxOn } from './inbox';
import { createBrowser } from './tabs.fixture';
import type { Inbox, InboxItem, InboxOptions } from './types';

const userId = 'ana';
let gateway: TestGateway;
const opened: Inbox[] = [];

beforeEach(async () => {
  gateway = await startGateway();
});

afterEach(async () => {
  for (const inbox of opened.splice(0)) inbox.close();
  await gateway.close();
});

function createOptions(more: Partial<InboxOptions> = {}): InboxOptions {
  return { url: gateway.url, appId, userId, signature: gateway.sign(userId), pageSize: 3, ...more };
}

async function openInbox(more: Partial<InboxOptions> = {}): Promise<Inbox> {
  const inbox = createInboxOn(createBrowser().openTab().platform, createOptions(more));
  opened.push(inbox);
  inbox.subscribe(() => {});
  await eventually(() => expect(inbox.getSnapshot().connection).toBe('streaming'));
  return inbox;
}

function fill(count: number): void {
  for (let number = 1; number <= count; number += 1) gateway.getReader(userId).add();
}

const titles = (inbox: Inbox) => inbox.getSnapshot().items.map((item) => item.message_body.title);

function getItem(inbox: Inbox, index: number): InboxItem {
  const item = inbox.getSnapshot().items[index];
  if (!item) throw new Error(`There is no item ${index}`);
  return item;
}

/** Refuses changes until the returned function is called. */
function refuseChanges(status = 422) {
  return gateway.addFault(({ method }, response) => {
    if (method === 'PUT') send(response, status, { code: 'validation_failed' });
    return method === 'PUT';
  });
}

/** Holds changes back until the returned function is called. */
function holdChanges() {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  gateway.addFault(async ({ method }) => {
    if (method === 'PUT') await held;
    return false;
  });
  return release;
}

describe('createInbox', () => {
  test.each(['url', 'appId', 'userId'] as const)('names a missing %s', (name) => {
    const options = { url: 'http://localhost', appId, userId, signature: 's', [name]: '' };
    expect(() => createInbox(options)).toThrow(`createInbox: ${name} is missing`);
  });

  test('names the two ways to sign in', () => {
    expect(() => createInbox({ url: 'http://localhost', appId, userId })).toThrow(
      'createInbox: getToken or signature is missing',
    );
  });

  test('sends nothing before the first subscription', () => {
    const inbox = createInboxOn(createBrowser().openTab().platform, createOptions());
    expect(inbox.getSnapshot()).toMatchObject({ status: 'loading', items: [] });
    expect(gateway.calls).toEqual([]);
  });

  test('disconnects after the last subscription, and continues with the next', async () => {
    const inbox = createInboxOn(createBrowser().openTab().platform, createOptions());
    opened.push(inbox);
    const unsubscribe = inbox.subscribe(() => {});
    inbox.subscribe(() => {})();
    await eventually(() => expect(gateway.streams.size).toBe(1));
    unsubscribe();
    unsubscribe();
    await eventually(() => expect(gateway.streams.size).toBe(0));
    fill(1);
    inbox.subscribe(() => {});
    await eventually(() => expect(titles(inbox)).toEqual(['Item 1']));
  });
});

describe('pages', () => {
  test('are loaded to the oldest item and back, with at most `maxItems` in memory', async () => {
    fill(12);
    const inbox = await openInbox({ maxItems: 6 });
    expect(titles(inbox)).toEqual(['Item 12', 'Item 11', 'Item 10']);
    for (const _page of [2, 3, 4]) await inbox.loadOlder();
    expect(titles(inbox)).toEqual(['Item 6', 'Item 5', 'Item 4', 'Item 3', 'Item 2', 'Item 1']);
    expect(inbox.getSnapshot()).toMatchObject({ hasOlder: false, hasNewer: true });
    gateway.getReader(userId).add();
    await eventually(() => expect(inbox.getSnapshot().counts.unread).toBe(13));
    expect(titles(inbox)).not.toContain('Item 13');
    for (const _page of [1, 2, 3]) await inbox.loadNewer();
    expect(inbox.getSnapshot()).toMatchObject({ hasOlder: true, hasNewer: false });
    expect(titles(inbox).slice(0, 2)).toEqual(['Item 13', 'Item 12']);
    expect(titles(inbox).length).toBeLessThanOrEqual(6);
  });

  test('keep at most `maxItems` when 1,000 items arrive, without a hole', async () => {
    fill(2);
    const inbox = await openInbox({ maxItems: 20 });
    fill(1_000);
    const timeoutMs = 20_000;
    await eventually(() => expect(titles(inbox)[0]).toBe('Item 1002'), { timeoutMs });
    await eventually(() => expect(inbox.getSnapshot().counts.unread).toBe(1_000), { timeoutMs });
    expect(titles(inbox).length).toBeLessThanOrEqual(20);
    const numbers = titles(inbox).map((title) => Number(title?.slice(5)));
    expect(numbers).toEqual(numbers.map((_, index) => 1_002 - index));
  }, 30_000);

  test('are each loaded once, even if asked twice', async () => {
    fill(9);
    const inbox = await openInbox();
    await Promise.all([inbox.loadOlder(), inbox.loadOlder()]);
    expect(gateway.calls.filter(({ query }) => query.has('before'))).toHaveLength(1);
    expect(titles(inbox)).toHaveLength(6);
  });

  test('of archived items are listed without being kept', async () => {
    fill(4);
    const reader = gateway.getReader(userId);
    reader.change(reader.items.slice(), { archived: true });
    const inbox = await openInbox();
    const first = await inbox.listArchived();
    expect(first?.items.map((item) => item.message_body.title)).toEqual([
      'Item 4',
      'Item 3',
      'Item 2',
    ]);
    const second = await inbox.listArchived(first?.before);
    expect(second).toMatchObject({ items: [{ message_body: { title: 'Item 1' } }] });
    expect(second?.before).toBeUndefined();
    expect(titles(inbox)).toEqual([]);
    expect(await inbox.unarchive(second?.items[0] ?? '')).toBe(true);
    expect(titles(inbox)).toEqual(['Item 1']);
  });
});

describe('a change', () => {
  test('is shown before the gateway answers, and stays', async () => {
    fill(3);
    const inbox = await openInbox();
    const release = holdChanges();
    const done = inbox.markRead(getItem(inbox, 1));
    expect(getItem(inbox, 1).read_at).not.toBeNull();
    expect(getItem(inbox, 1).seen_at).not.toBeNull();
    expect(inbox.getSnapshot().counts).toEqual({ unseen: 2, unread: 2 });
    release();
    expect(await done).toBe(true);
    expect(getItem(inbox, 1).read_at).toBe(gateway.getReader(userId).items[1]?.read_at);
    expect(inbox.getSnapshot().counts).toEqual({ unseen: 2, unread: 2 });
  });

  test.each([
    ['markSeen', { seen_at: expect.any(Number) }],
    ['markRead', { read_at: expect.any(Number) }],
    ['archive', { archived_at: expect.any(Number) }],
  ] as const)('by %s is undone without a trace if the gateway refuses it', async (name, shown) => {
    fill(3);
    const inbox = await openInbox();
    refuseChanges();
    const before = inbox.getSnapshot();
    const item = getItem(inbox, 0);
    const done = inbox[name](item);
    const during = inbox.getSnapshot();
    if (name === 'archive') expect(during.items).not.toContainEqual(item);
    else expect(during.items[0]).toMatchObject(shown);
    expect(during.counts).not.toEqual(before.counts);
    expect(await done).toBe(false);
    const { items, counts, error } = inbox.getSnapshot();
    expect({ items, counts }).toEqual({ items: before.items, counts: before.counts });
    expect(error).toMatchObject({ code: 'validation_failed', status: 422, during: 'change' });
  });

  test('that is refused does not undo what happened meanwhile', async () => {
    fill(2);
    const inbox = await openInbox();
    const release = holdChanges();
    refuseChanges();
    const done = inbox.markRead(getItem(inbox, 0));
    fill(1);
    const reader = gateway.getReader(userId);
    reader.change(reader.items.slice(0, 1), { read: true });
    await eventually(() => expect(titles(inbox)).toHaveLength(3));
    await eventually(() => expect(getItem(inbox, 2).read_at).not.toBeNull());
    release();
    expect(await done).toBe(false);
    expect(inbox.getSnapshot().items.map(({ read_at }) => read_at === null)).toEqual([
      true,
      true,
      false,
    ]);
    expect(inbox.getSnapshot().counts).toEqual({ unseen: 2, unread: 2 });
  });

  test('of one item is sent after the earlier ones, so the last one wins', async () => {
    fill(1);
    const inbox = await openInbox();
    const item = getItem(inbox, 0);
    const done = [inbox.markRead(item), inbox.markUnread(item), inbox.markRead(item)];
    expect(await Promise.all([...done, inbox.markUnread(item)])).toEqual(Array(4).fill(true));
    const bodies = gateway.calls.filter(({ method }) => method === 'PUT').map(({ body }) => body);
    expect(bodies).toEqual([{ read: true }, { read: false }, { read: true }, { read: false }]);
    expect(getItem(inbox, 0)).toMatchObject({ read_at: null, seen_at: expect.any(Number) });
    await eventually(() => expect(inbox.getSnapshot().counts).toEqual({ unseen: 0, unread: 1 }));
  });

  test('is reversible: an archived item returns to its place', async () => {
    fill(3);
    const inbox = await openInbox();
    const item = getItem(inbox, 1);
    expect(await inbox.archive(item)).toBe(true);
    expect(titles(inbox)).toEqual(['Item 3', 'Item 1']);
    await inbox.refresh();
    expect(await inbox.unarchive(item)).toBe(true);
    expect(titles(inbox)).toEqual(['Item 3', 'Item 2', 'Item 1']);
    await eventually(() => expect(inbox.getSnapshot().counts).toEqual({ unseen: 3, unread: 3 }));
  });

  test('is repeated after a temporary failure', async () => {
    fill(1);
    const inbox = await openInbox();
    const stop = gateway.addFault(({ method }, response) => {
      if (method === 'PUT') {
        stop();
        send(response, 503, { code: 'unavailable' });
      }
      return method === 'PUT';
    });
    expect(await inbox.markRead(getItem(inbox, 0))).toBe(true);
    expect(inbox.getSnapshot().error).toBeUndefined();
  });

  test('beyond 100 waiting ones is refused at once', async () => {
    fill(1);
    const inbox = await openInbox();
    const release = holdChanges();
    const done = Array.from({ length: 101 }, () => inbox.markRead(getItem(inbox, 0)));
    expect(await done.at(-1)).toBe(false);
    expect(inbox.getSnapshot().error?.code).toBe('too_many_changes');
    release();
    expect(await Promise.all(done)).toEqual([...Array(100).fill(true), false]);
  });
});

describe('a change of everything', () => {
  test.each([
    ['markAllSeen', { unseen: 1, unread: 5 }, 'seen_at'],
    ['markAllRead', { unseen: 1, unread: 1 }, 'read_at'],
    ['archiveAll', { unseen: 1, unread: 1 }, 'archived_at'],
  ] as const)(
    'by %s covers older items, and not one that arrives meanwhile',
    async (name, counts, field) => {
      fill(4);
      const inbox = await openInbox();
      const release = holdChanges();
      const done = inbox[name]();
      const { unseen, unread } = inbox.getSnapshot().counts;
      expect({ unseen, unread }).toEqual({ unseen: 0, unread: counts.unread === 5 ? 4 : 0 });
      fill(1);
      await eventually(() => expect(titles(inbox)[0]).toBe('Item 5'));
      release();
      expect(await done).toBe(true);
      expect(gateway.getReader(userId).items.map((item) => item[field] !== null)).toEqual([
        ...Array(4).fill(true),
        false,
      ]);
      expect(inbox.getSnapshot().counts).toEqual(counts);
      expect(getItem(inbox, 0)[field]).toBeNull();
    },
  );

  test('is undone if the gateway refuses it', async () => {
    fill(4);
    const inbox = await openInbox();
    refuseChanges();
    const before = inbox.getSnapshot();
    expect(await inbox.archiveAll()).toBe(false);
    const { items, counts } = inbox.getSnapshot();
    expect({ items, counts }).toEqual({ items: before.items, counts: before.counts });
  });

  test('of an empty inbox sends nothing', async () => {
    const inbox = await openInbox();
    expect(await inbox.markAllRead()).toBe(true);
    expect(gateway.calls.filter(({ method }) => method === 'PUT')).toEqual([]);
  });
});

describe('a token', () => {
  test('is fetched once, and the URL then names nobody', async () => {
    const getToken = jest.fn(() => gateway.issueToken(userId));
    await openInbox({ signature: undefined, getToken });
    expect(getToken).toHaveBeenCalledTimes(1);
    expect(gateway.calls.map(({ query }) => query.get('user_id'))).toEqual(
      gateway.calls.map(() => null),
    );
  });

  test('is fetched again after a 401, once for concurrent calls', async () => {
    fill(2);
    const tokens: string[] = [];
    const getToken = jest.fn(async () => {
      tokens.push(gateway.issueToken(userId));
      return tokens.at(-1) ?? '';
    });
    const inbox = await openInbox({ signature: undefined, getToken });
    gateway.revokeToken(tokens[0] ?? '');
    const done = [inbox.refresh(), inbox.listArchived(), inbox.markRead(getItem(inbox, 0))];
    await Promise.all(done);
    expect(getToken).toHaveBeenCalledTimes(2);
    expect(inbox.getSnapshot().error).toBeUndefined();
  });

  test('that is refused again is an error, not a loop', async () => {
    const getToken = jest.fn(() => 'expired');
    const { platform } = createBrowser().openTab();
    const inbox = createInboxOn(platform, createOptions({ signature: undefined, getToken }));
    opened.push(inbox);
    inbox.subscribe(() => {});
    await eventually(() => expect(inbox.getSnapshot().status).toBe('error'));
    expect(inbox.getSnapshot().error).toMatchObject({ code: 'unauthenticated', status: 401 });
    expect([getToken.mock.calls.length, gateway.calls.length]).toEqual([2, 2]);
    getToken.mockImplementation(() => gateway.issueToken(userId));
    await inbox.refresh();
    expect(inbox.getSnapshot()).toMatchObject({ status: 'ready', error: undefined });
    await eventually(() => expect(gateway.streams.size).toBe(1));
  });

  test.each([
    ['throws', () => Promise.reject(new Error('signed out'))],
    ['returns nothing', () => ''],
    ['never returns', () => new Promise<string>(() => {})],
  ])('function that %s is reported and tried again', async (_name, getToken) => {
    const { platform } = createBrowser().openTab({ callMs: 50 });
    let isBroken = true;
    const inbox = createInboxOn(
      platform,
      createOptions({
        signature: undefined,
        getToken: () => (isBroken ? getToken() : gateway.issueToken(userId)),
      }),
    );
    opened.push(inbox);
    inbox.subscribe(() => {});
    await eventually(() => expect(inbox.getSnapshot().status).toBe('error'));
    expect(inbox.getSnapshot().error?.code).toMatch(/^(token_failed|network_error)$/);
    isBroken = false;
    await eventually(() => expect(inbox.getSnapshot().status).toBe('ready'));
  });
});
