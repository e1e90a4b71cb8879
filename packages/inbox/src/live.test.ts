import { eventually } from '../../testing/src/eventually';
import { appId, send, startGateway, type TestGateway } from './gateway.fixture';
import { createInboxOn } from './inbox';
import type { Platform, Times } from './platform';
import { createBrowser, type Tab } from './tabs.fixture';
import type { Inbox } from './types';

const userId = 'ana';
let gateway: TestGateway;
let browser: ReturnType<typeof createBrowser>;
const opened: Inbox[] = [];

beforeEach(async () => {
  gateway = await startGateway();
  browser = createBrowser();
});

afterEach(async () => {
  for (const inbox of opened.splice(0)) inbox.close();
  await gateway.close();
});

type OpenTab = Tab & { inbox: Inbox; seen: string[] };

/** A tab with an inbox; `seen` has the title of each item at the time when it was shown first. */
function openTab(times: Partial<Times> = {}, parts: Partial<Platform> = {}): OpenTab {
  const tab = browser.openTab(times, parts);
  const inbox = createInboxOn(tab.platform, {
    url: gateway.url,
    appId,
    userId,
    signature: gateway.sign(userId),
  });
  const seen: string[] = [];
  opened.push(inbox);
  inbox.subscribe(() => {
    for (const title of titles(inbox)) if (!seen.includes(title)) seen.push(title);
  });
  return { ...tab, inbox, seen };
}

async function openStreamingTab(times?: Partial<Times>, parts?: Partial<Platform>) {
  const tab = openTab(times, parts);
  await eventually(() => expect(tab.inbox.getSnapshot().connection).toBe('streaming'));
  return tab;
}

const titles = (inbox: Inbox) =>
  inbox.getSnapshot().items.map((item) => item.message_body.title ?? '');

const add = (title: string) => gateway.getReader(userId).add({ title });
const streamCalls = () => gateway.calls.filter(({ path }) => path === 'stream');
const pageCalls = () => gateway.calls.filter(({ path }) => path === 'items');

function expectNoRepetition({ inbox }: OpenTab): void {
  const ids = inbox.getSnapshot().items.map(({ message_id }) => message_id);
  expect(new Set(ids).size).toBe(ids.length);
}

describe('the stream', () => {
  test('shows new items, changes of other devices, and counts', async () => {
    add('first');
    const { inbox } = await openStreamingTab();
    add('second');
    await eventually(() => expect(titles(inbox)).toEqual(['second', 'first']));
    const reader = gateway.getReader(userId);
    reader.change(reader.items.slice(0, 1), { read: true });
    await eventually(() => expect(inbox.getSnapshot().items[1]?.read_at).not.toBeNull());
    expect(inbox.getSnapshot().items[1]?.message_body.title).toBe('first');
    await eventually(() => expect(inbox.getSnapshot().counts).toEqual({ unseen: 1, unread: 1 }));
    reader.change(reader.items.slice(0, 1), { archived: true });
    await eventually(() => expect(titles(inbox)).toEqual(['second']));
    reader.change(reader.items.slice(0, 1), { archived: false });
    await eventually(() => expect(titles(inbox)).toEqual(['second', 'first']));
    expect(pageCalls()).toHaveLength(1);
  });

  test('starts after the loaded page, so that nothing between both is lost', async () => {
    let isFirst = true;
    gateway.addFault(({ path }) => {
      if (path === 'stream' && isFirst) add('between');
      isFirst &&= path !== 'stream';
      return false;
    });
    const { inbox } = await openStreamingTab();
    await eventually(() => expect(titles(inbox)).toEqual(['between']));
  });

  test('resumes where it broke, again and again, and loses and repeats nothing', async () => {
    const tab = await openStreamingTab();
    for (let round = 0; round < 5; round += 1) {
      add(`${round} before`);
      gateway.breakStreams();
      add(`${round} while broken`);
      await eventually(() => expect(titles(tab.inbox)).toContain(`${round} while broken`));
    }
    expect(titles(tab.inbox)).toEqual(
      [4, 3, 2, 1, 0].flatMap((round) => [`${round} while broken`, `${round} before`]),
    );
    expectNoRepetition(tab);
    expect(pageCalls()).toHaveLength(1);
    expect(streamCalls().every(({ headers }) => headers['last-event-id'])).toBe(true);
  });

  test('that the gateway resets loads the page again', async () => {
    add('old');
    const { inbox } = await openStreamingTab();
    const stop = gateway.addFault(({ path }, response) => {
      if (path === 'stream') response.destroy();
      return path === 'stream';
    });
    gateway.breakStreams();
    add('missed');
    gateway.getReader(userId).forgetEvents();
    stop();
    await eventually(() => expect(titles(inbox)).toEqual(['missed', 'old']));
    add('next');
    await eventually(() => expect(titles(inbox)).toEqual(['next', 'missed', 'old']));
  });

  test('that is silent for too long is opened again', async () => {
    await openStreamingTab({ idleMs: 50 });
    await eventually(() => expect(streamCalls().length).toBeGreaterThan(1));
  });

  test('of which a proxy keeps the bytes back is given up, and the inbox polls', async () => {
    gateway.addFault(({ path }, response) => {
      if (path === 'stream') {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        response.flushHeaders();
      }
      return path === 'stream';
    });
    const { inbox } = openTab({ openMs: 30 });
    await eventually(() => expect(inbox.getSnapshot().connection).toBe('polling'));
    add('polled');
    await eventually(() => expect(titles(inbox)).toEqual(['polled']));
  });

  test.each([
    ['an error', 500, {}],
    ['a page of a proxy', 200, {}],
    ['too many streams', 429, { 'Retry-After': '1' }],
    ['the wish for no stream', 204, {}],
  ])('that is answered by %s is replaced by polling', async (_name, status, headers) => {
    const stop = gateway.addFault(({ path }, response) => {
      if (path === 'stream') response.writeHead(status, headers).end();
      return path === 'stream';
    });
    const tab = openTab();
    const { inbox } = tab;
    await eventually(() => expect(inbox.getSnapshot().connection).toBe('polling'));
    add('polled');
    await eventually(() => expect(titles(inbox)).toEqual(['polled']));
    const reader = gateway.getReader(userId);
    reader.change(reader.items.slice(), { read: true });
    await eventually(() => expect(inbox.getSnapshot().counts.unread).toBe(0));
    stop();
    // Showing the page again ends the wait.
    tab.show();
    await eventually(() => expect(inbox.getSnapshot().connection).toBe('streaming'));
    expectNoRepetition(tab);
  });

  test('waits as long as a 429 asks for', async () => {
    const at: number[] = [];
    gateway.addFault(({ path }, response) => {
      if (path !== 'stream') return false;
      at.push(Date.now());
      send(response.setHeader('Retry-After', '1'), 429, { code: 'too_many_streams' });
      return true;
    });
    openTab();
    await eventually(() => expect(at.length).toBeGreaterThan(1));
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThan(950);
  });

  test('returns at once when the network does', async () => {
    const tab = await openStreamingTab({ maxReopenMs: 100_000, reopenMs: 100_000 });
    // The gateway names a shorter time for the first attempt.
    const stop = gateway.addFault((_call, response) => {
      response.destroy();
      return true;
    });
    gateway.breakStreams();
    tab.setOnline(false);
    await eventually(() => expect(streamCalls().length).toBeGreaterThan(2), { timeoutMs: 10_000 });
    await eventually(() => expect(tab.inbox.getSnapshot().connection).toBe('offline'));
    stop();
    add('while offline');
    tab.setOnline(true);
    await eventually(() => expect(tab.inbox.getSnapshot().connection).toBe('streaming'));
    await eventually(() => expect(titles(tab.inbox)).toEqual(['while offline']));
  });

  test('ends with `close`, and nothing opens it again', async () => {
    const { inbox } = await openStreamingTab();
    inbox.close();
    await eventually(() => expect(gateway.streams.size).toBe(0));
    inbox.subscribe(() => {});
    const calls = gateway.calls.length;
    await eventually(() => expect(browser.channels.size).toBe(0));
    expect(gateway.calls).toHaveLength(calls);
  });
});

describe('several tabs', () => {
  test('share one stream, and each shows everything once', async () => {
    const tabs = [await openStreamingTab(), openTab(), openTab()];
    for (const { inbox } of tabs) {
      await eventually(() => expect(inbox.getSnapshot().connection).toBe('streaming'));
    }
    for (let number = 0; number < 10; number += 1) add(`item ${number}`);
    for (const tab of tabs) {
      await eventually(() => expect(titles(tab.inbox)).toHaveLength(10));
      expectNoRepetition(tab);
    }
    expect([gateway.streams.size, streamCalls().length]).toEqual([1, 1]);
    expect(pageCalls()).toHaveLength(3);
  });

  test('take over from the one that closes, and lose nothing', async () => {
    const [first, second, third] = [await openStreamingTab(), openTab(), openTab()];
    await eventually(() => expect(browser.countWaiting()).toBe(2));
    const added: string[] = [];
    for (let number = 0; number < 20; number += 1) {
      added.unshift(`item ${number}`);
      add(`item ${number}`);
      if (number === 7) first.inbox.close();
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const tab of [second, third]) {
      await eventually(() => expect(titles(tab.inbox)).toEqual(added));
      expectNoRepetition(tab);
    }
    expect(gateway.streams.size).toBe(1);
  });

  test('pass the stream to the visible one, and stop it when all are hidden', async () => {
    const [first, second] = [await openStreamingTab(), openTab()];
    await eventually(() => expect(browser.countWaiting()).toBe(1));
    first.hide();
    await eventually(() => expect(streamCalls()).toHaveLength(2));
    add('for both');
    await eventually(() => expect(titles(second.inbox)).toEqual(['for both']));
    await eventually(() => expect(titles(first.inbox)).toEqual(['for both']));
    second.hide();
    await eventually(() => expect(gateway.streams.size).toBe(0));
    expect(second.inbox.getSnapshot().connection).toBe('paused');
    add('while hidden');
    first.show();
    await eventually(() => expect(titles(first.inbox)).toEqual(['while hidden', 'for both']));
    await eventually(() => expect(titles(second.inbox)).toEqual(['while hidden', 'for both']));
    expect(gateway.streams.size).toBe(1);
    expectNoRepetition(first);
  });

  test('keep the stream while the tab is hidden for a moment', async () => {
    const tab = await openStreamingTab({ hiddenMs: 1_000 });
    tab.hide();
    tab.show();
    add('still here');
    await eventually(() => expect(titles(tab.inbox)).toEqual(['still here']));
    expect(streamCalls()).toHaveLength(1);
  });

  test('load again after they missed an event of the stream', async () => {
    const [first, second] = [await openStreamingTab(), openTab()];
    await eventually(() => expect(browser.countWaiting()).toBe(1));
    add('heard');
    await eventually(() => expect(titles(second.inbox)).toEqual(['heard']));
    const channel = [...browser.channels].at(-1);
    if (!channel) throw new Error('The second tab has no channel');
    // As a browser that freezes a tab.
    browser.channels.delete(channel);
    add('not heard');
    await eventually(() => expect(titles(first.inbox)).toEqual(['not heard', 'heard']));
    browser.channels.add(channel);
    add('heard again');
    await eventually(() =>
      expect(titles(second.inbox)).toEqual(['heard again', 'not heard', 'heard']),
    );
  });

  test('each have a stream in a browser without locks', async () => {
    const tabs = [1, 2].map(() => openTab({}, { locks: undefined }));
    await eventually(() => expect(gateway.streams.size).toBe(2));
    add('for both');
    for (const { inbox } of tabs) {
      await eventually(() => expect(titles(inbox)).toEqual(['for both']));
    }
  });

  test('stream on their own where locks are refused', async () => {
    const locks = { request: () => Promise.reject(new Error('SecurityError')) };
    const { inbox } = openTab({}, { locks });
    await eventually(() => expect(inbox.getSnapshot().connection).toBe('streaming'));
  });
});

describe('a gateway that is away at first', () => {
  test('is asked again, and the inbox then works', async () => {
    const stop = gateway.addFault((_call, response) => {
      response.destroy();
      return true;
    });
    const { inbox } = openTab();
    await eventually(() => expect(inbox.getSnapshot().status).toBe('error'));
    expect(inbox.getSnapshot().error?.code).toBe('network_error');
    add('finally');
    stop();
    await eventually(() => expect(titles(inbox)).toEqual(['finally']));
    expect(inbox.getSnapshot()).toMatchObject({ status: 'ready', error: undefined });
  });
});
