import { createChanges, createListArchived } from './changes';
import { createFeed, type Feed } from './feed';
import { createGateway } from './gateway';
import { createLive, type Live } from './live';
import { type Platform, readPlatform, wait } from './platform';
import { createStore, type Store } from './store';
import { readStream } from './stream';
import type { Inbox, InboxOptions } from './types';

const defaultPageSize = 20;
const defaultMaxItems = 500;

/** Creates the inbox of one user. Nothing is loaded before the first `subscribe`. */
export function createInbox(options: InboxOptions): Inbox {
  return createInboxOn(readPlatform(options.fetch), options);
}

export function createInboxOn(platform: Platform, options: InboxOptions): Inbox {
  requireOptions(options);
  const { pageSize = defaultPageSize, maxItems = defaultMaxItems } = options;
  const store = createStore();
  const gateway = createGateway(options, platform);
  const feed = createFeed({ gateway, store, pageSize, maxItems: Math.max(maxItems, 2 * pageSize) });
  const live = createLive({
    platform,
    name: ['belfry-inbox', options.url, options.appId, options.userId].join(' '),
    readStream: (stream) => readStream({ ...stream, gateway, times: platform.times }),
    getLastEventId: feed.getLastEventId,
    onMessage: feed.receive,
    onConnection: (connection) => store.update({ connection }),
    onReturn: () => void feed.poll(),
  });
  const connection = createConnection({ platform, feed, live });

  return {
    ...createChanges({ gateway, store, now: platform.now }),
    subscribe: subscribeTo(store, connection, platform.times.releaseMs),
    getSnapshot: store.getSnapshot,
    refresh: () => connection.refresh(),
    loadOlder: feed.loadOlder,
    loadNewer: feed.loadNewer,
    listArchived: createListArchived(gateway, pageSize),
    close: connection.close,
  };
}

function requireOptions(options: InboxOptions): void {
  const { url, appId, userId, getToken, signature } = options;
  const required = { url, appId, userId, 'getToken or signature': getToken ?? signature };
  for (const [name, value] of Object.entries(required)) {
    if (!value) throw new TypeError(`createInbox: ${name} is missing`);
  }
}

type Connection = {
  connect(): void;
  disconnect(): void;
  refresh(): Promise<void>;
  close(): void;
};

function createConnection(deps: { platform: Platform; feed: Feed; live: Live }): Connection {
  const { platform, feed, live } = deps;
  let session: AbortController | undefined;
  let isJoined = false;
  let isClosed = false;

  function connect(): void {
    if (session || isClosed) return;
    session = new AbortController();
    live.open();
    void start(session.signal);
  }

  /** Loads the first page, again after a failure, and then follows the stream. */
  async function start(signal: AbortSignal): Promise<void> {
    const { times, random } = platform;
    for (let count = 0; !signal.aborted && !isJoined; count += 1) {
      const failure = await feed.reload(signal);
      if (!failure) return join(signal);
      const backOffMs = Math.min(times.reopenMs * 2 ** count, times.maxReopenMs);
      const waitMs = Math.max(backOffMs * (0.5 + random() / 2), failure.retryAfterMs);
      await wait(platform, waitMs, signal);
    }
  }

  function join(signal: AbortSignal | undefined): void {
    if (!signal || signal.aborted || isJoined) return;
    isJoined = true;
    live.join();
  }

  function disconnect(): void {
    session?.abort();
    session = undefined;
    isJoined = false;
    live.close();
  }

  return {
    connect,
    disconnect,
    async refresh() {
      const signal = session?.signal;
      if (!(await feed.reload(signal))) join(signal);
    },
    close() {
      isClosed = true;
      disconnect();
    },
  };
}

/** Connects while there are subscribers. A short gap, as between two pages of an application, does not disconnect. */
function subscribeTo(store: Store, connection: Connection, releaseMs: number) {
  let subscribers = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return function subscribe(listener: () => void): () => void {
    const unsubscribe = store.subscribe(listener);
    let isSubscribed = true;
    subscribers += 1;
    clearTimeout(timer);
    connection.connect();
    return () => {
      if (!isSubscribed) return;
      isSubscribed = false;
      unsubscribe();
      subscribers -= 1;
      if (subscribers === 0) timer = setTimeout(connection.disconnect, releaseMs);
    };
  };
}
