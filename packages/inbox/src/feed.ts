import type { CallResult, Gateway } from './gateway';
import { createLoads, type PageAnswer } from './loads';
import {
  addItem,
  addNewer,
  addOlder,
  changeItems,
  countItems,
  mergeNewest,
  type Page,
  type Pages,
} from './pages';
import type { Store } from './store';
import type { InboxCounts, InboxError, InboxItem } from './types';

/** An event of the stream, as one tab passes it on to all. */
export type LiveMessage = { id: string; previous: string; event: string; data: unknown };

export type FeedDeps = {
  gateway: Pick<Gateway, 'call'>;
  store: Store;
  pageSize: number;
  maxItems: number;
};

export type Feed = {
  /** The event after which a stream has to continue. */
  getLastEventId(): string;
  /** Replaces everything by the newest page. After a failure that will stay, `retryAfterMs` is infinite. */
  reload(signal?: AbortSignal): Promise<{ retryAfterMs: number } | undefined>;
  /** Puts the newest page on top of what is kept. */
  poll(): Promise<void>;
  loadOlder(): Promise<void>;
  loadNewer(): Promise<void>;
  receive(message: LiveMessage): void;
};

const maxWaitingMessages = 1_000;

/** Keeps the store current: by pages, and by the events of the stream. */
export function createFeed(deps: FeedDeps): Feed {
  const { store, maxItems } = deps;
  const position = createPosition();
  /** Messages wait for a page that is being loaded: it may be older or newer than they are. */
  let waiting: LiveMessage[] = [];
  const loads = createLoads({
    ...deps,
    onIdle: receiveWaiting,
  });

  async function reload(signal?: AbortSignal) {
    loads.invalidate();
    position.lose();
    function accept(page: Page, { stream }: PageAnswer): void {
      position.find(stream);
      const pages = { pages: [page], hasNewer: false };
      store.update({ status: 'ready', error: undefined, pages });
    }
    const result = await loads.load({ query: {}, accept, signal });
    if (signal?.aborted || !position.isLost()) return undefined;
    // Another reload has begun, whose page counts.
    if (result.ok) return { retryAfterMs: 0 };
    const { status } = store.getState();
    const error = { ...result.error, during: 'load' } as const;
    store.update({ error, status: status === 'ready' ? status : 'error' });
    return { retryAfterMs: result.isTemporary ? result.retryAfterMs : Number.POSITIVE_INFINITY };
  }

  async function poll(): Promise<void> {
    if (position.isLost()) await reload();
    else await loads.load({ query: {}, accept: (page) => change(mergeNewest, page) });
  }

  function change(add: (pages: Pages, page: Page, maxItems: number) => Pages, page: Page): void {
    store.update({ pages: add(store.getState().pages, page, maxItems) });
  }

  function receive(message: LiveMessage): void {
    if (loads.isLoading()) return void hold(message);
    const isNext = position.advance(message);
    if (message.event === 'poll' && isNext) return void poll();
    const isApplied = isNext && message.event !== 'reset' && applyEvent(store, message, maxItems);
    if (!isApplied) void reload();
  }

  /** One of them can start a reload, whose page is newer than the others. After a failed one, the last starts the next. */
  function receiveWaiting(): void {
    const messages = waiting.slice(position.isLost() ? -1 : 0);
    waiting = [];
    for (const message of messages) {
      receive(message);
      if (position.isLost()) return;
    }
  }

  function hold(message: LiveMessage): void {
    waiting.push(message);
    if (waiting.length > maxWaitingMessages) waiting = [{ ...message, event: 'reset' }];
  }

  return {
    getLastEventId: position.getLastEventId,
    reload,
    poll,
    receive,
    ...createPaging({ ...deps, load: loads.load, poll }),
  };
}

type PagingDeps = FeedDeps & {
  load: ReturnType<typeof createLoads>['load'];
  poll(): Promise<void>;
};

/** Loads pages next to those that are kept. */
function createPaging({ store, load, poll, pageSize, maxItems }: PagingDeps) {
  async function loadOlder(): Promise<void> {
    const { pages, isLoadingOlder } = store.getState();
    const before = pages.pages.at(-1)?.before;
    if (before === undefined || isLoadingOlder) return;
    store.update({ isLoadingOlder: true });
    const result = await load({
      query: { before },
      accept: (page) => store.update({ pages: addOlder(store.getState().pages, page, maxItems) }),
    });
    store.update({ isLoadingOlder: false, error: toError(result) });
  }

  async function loadNewer(): Promise<void> {
    const { pages, isLoadingNewer } = store.getState();
    const after = pages.pages[0]?.after;
    if (!pages.hasNewer || after === undefined) return poll();
    if (isLoadingNewer) return;
    store.update({ isLoadingNewer: true });
    const limits = { pageSize, maxItems };
    const result = await load({
      query: { after },
      accept: (page) => store.update({ pages: addNewer(store.getState().pages, page, limits) }),
    });
    store.update({ isLoadingNewer: false, error: toError(result) });
  }

  return { loadOlder, loadNewer };
}

function toError(result: CallResult<unknown>): InboxError | undefined {
  return result.ok ? undefined : { ...result.error, during: 'load' };
}

/** Where the stream is. Each message names the one before it, so a tab that missed one notices. */
function createPosition() {
  let lastEventId = '';
  /** The ID that the next message must follow; undefined after a load, which any message may follow. */
  let chain: string | undefined;
  let isLost = true;
  return {
    getLastEventId: () => lastEventId,
    isLost: () => isLost,
    lose() {
      isLost = true;
    },
    find(eventId: string) {
      isLost = false;
      lastEventId = eventId;
      chain = undefined;
    },
    /** Returns false if messages are missing before this one. */
    advance({ id, previous }: LiveMessage): boolean {
      // After another tab took over, it can repeat the last message.
      const isNext = chain === undefined || previous === chain || id === chain;
      lastEventId = id;
      chain = id;
      return isNext && !isLost;
    },
  };
}

/** Returns false if there are too many items. The gateway documents the bodies. */
function applyEvent(store: Store, { event, data }: LiveMessage, maxItems: number): boolean {
  const { pages } = store.getState();
  if (typeof data !== 'object' || data === null) return true;
  if (event === 'counts') store.update({ counts: data as InboxCounts });
  if (event === 'state') {
    const { message_id, ...times } = data as InboxItem;
    const ids = new Set([message_id]);
    store.update({ pages: changeItems(pages, ids, (item) => ({ ...item, ...times })) });
  }
  if (event !== 'item') return true;
  const grown = addItem(pages, data as InboxItem, maxItems);
  store.update({ pages: grown });
  // A single page that grew over the limit has no cursor at which it could be cut.
  return countItems(grown.pages) <= maxItems;
}
