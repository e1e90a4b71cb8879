import type { Reading } from '@belfry/database';
import type { LogEntry, LogFilter, RequestLog } from '@belfry/pipeline/operate';
import { createSemaphore, type Logger } from '@belfry/runtime';
import type { LiveEvent } from '../api/log';
import { idAt } from './log-filter';
import { isFinal, toLagSeconds, toLogRow } from './log-row';

export type LogListener = {
  appId: string;
  operatorId: string;
  /** Undefined if nothing can match. */
  filter: LogFilter | undefined;
  notify(event: LiveEvent): void;
};

export type LogLive = {
  /** Returns a function that stops listening; undefined if the maximum number of listeners is reached. */
  listen(listener: LogListener): (() => void) | undefined;
  close(): void;
};

/** Reads the log on one server, and says how old it may be. */
export type ReadLog<Log = RequestLog> = <T>(work: (log: Log) => Promise<T>) => Promise<Reading<T>>;

type ReadLiveLog = ReadLog<Pick<RequestLog, 'listSince' | 'readEntries' | 'listMatching'>>;

export type LogLiveDeps = {
  readLog: ReadLiveLog;
  /** The time up to which the log can be read. */
  now: () => number;
  logger: Logger;
};

const pollEveryMs = 1_000;
/** Apps and filters that are read at once. */
const maxReads = 4;
/** Ids are created before commit and by several clocks. Requests older than this are certainly visible. */
const rereadMs = 10_000;
const maxListeners = 200;
/** Keeps one account from using all listeners. */
const maxListenersOfOne = 20;
/** Open requests per app that are re-read until they are final. */
const maxWatched = 100;
const watchedForMs = 10 * 60_000;
/** Rows that wait for a slow filter; older ones are dropped. */
const maxPending = 1_000;

const trouble =
  'PostgreSQL does not answer. Accepted messages are safe; new rows appear when it is back.';

/** Polls once per second for all listeners together; stops without listeners. A slow filter delays only its own pages. */
export function createLogLive({ readLog, now, logger }: LogLiveDeps): LogLive {
  const listeners = new Set<LogListener>();
  const apps = new Map<string, WatchedApp>();
  const feeds = new Map<string, Feed>();
  const read = createReads(logger);
  const notifyLag = createLagNotices(listeners);
  let timer: NodeJS.Timeout | undefined;

  async function readRecent(): Promise<void> {
    const readAtMs = now();
    const from = [...apps.values()].map((app) => idAt(app.readAtMs - rereadMs));
    const { value: recent, lagMs } = await readLog((log) => log.listSince([...apps.keys()], from));
    notifyLag(lagMs);
    for (const [appId, app] of apps) {
      const ids = recent.filter((row) => row.appId === appId).map(({ id }) => id);
      const own = [...feeds.values()].filter((feed) => feed.appId === appId);
      const readers = own.flatMap((feed) => [...feed.listeners]);
      read(app, readers, async () => {
        const entryIds = [...new Set([...ids, ...app.openIds()])];
        const { value: entries } = await readLog((log) => log.readEntries(appId, entryIds));
        const updates = app.update(entries);
        app.readAtMs = readAtMs;
        for (const feed of own) {
          for (const update of updates) addPending(feed.pending, update);
          read(feed, feed.listeners, () => sendPending(readLog, feed));
        }
      });
    }
  }

  return {
    listen(listener) {
      const own = [...listeners].filter(({ operatorId }) => operatorId === listener.operatorId);
      if (listeners.size >= maxListeners || own.length >= maxListenersOfOne) return undefined;
      listeners.add(listener);
      const leave = follow({ apps, feeds, now }, listener);
      timer ??= setInterval(() => read(apps, listeners, readRecent), pollEveryMs);
      return () => {
        listeners.delete(listener);
        leave();
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    close() {
      clearInterval(timer);
      for (const listener of listeners) listener.notify({ type: 'ended' });
      listeners.clear();
      feeds.clear();
      apps.clear();
    },
  };
}

/** Tells each listener the lag when it has changed. */
function createLagNotices(listeners: Iterable<LogListener>): (lagMs: number) => void {
  const notified = new WeakMap<LogListener, number>();
  return function notifyLag(lagMs) {
    const lagSeconds = toLagSeconds(lagMs);
    for (const listener of listeners) {
      if (notified.get(listener) === lagSeconds) continue;
      notified.set(listener, lagSeconds);
      listener.notify({ type: 'lag', lagSeconds });
    }
  };
}

type Read = (key: object, listeners: Iterable<LogListener>, work: () => Promise<void>) => void;

/** Reads side by side, but nothing twice at once. A failure is logged once, and its listeners are told each time. */
function createReads(logger: Logger): Read {
  const slots = createSemaphore(maxReads);
  const running = new WeakSet<object>();
  const failing = new WeakSet<object>();

  async function readNow(key: object, listeners: Iterable<LogListener>, work: () => Promise<void>) {
    try {
      await work();
      failing.delete(key);
    } catch (error) {
      if (!failing.has(key)) logger.warn('log_live.not_read', { error });
      failing.add(key);
      for (const listener of listeners) listener.notify({ type: 'trouble', error: trouble });
    }
  }

  return function read(key, listeners, work) {
    if (running.has(key)) return;
    running.add(key);
    void slots.acquire().then(async (release) => {
      await readNow(key, listeners, work);
      running.delete(key);
      release();
    });
  };
}

/** The pages that follow one app with the same filter. */
type Feed = {
  appId: string;
  filter: LogFilter | undefined;
  listeners: Set<LogListener>;
  /** By request, oldest first. */
  pending: Map<string, LogUpdate>;
};

type Watch = { apps: Map<string, WatchedApp>; feeds: Map<string, Feed>; now: () => number };

/** Adds a listener to the feed of its filter. Returns a function that removes it. */
function follow({ apps, feeds, now }: Watch, listener: LogListener): () => void {
  const { appId, filter } = listener;
  const key = JSON.stringify([appId, filter]);
  const feed = feeds.get(key) ?? { appId, filter, listeners: new Set(), pending: new Map() };
  feed.listeners.add(listener);
  feeds.set(key, feed);
  if (!apps.has(appId)) apps.set(appId, createWatchedApp(now));
  return function leave() {
    feed.listeners.delete(listener);
    if (feed.listeners.size === 0) feeds.delete(key);
    if (![...feeds.values()].some((one) => one.appId === appId)) apps.delete(appId);
  };
}

function addPending(pending: Feed['pending'], { entry, isNew }: LogUpdate): void {
  const before = pending.get(entry.requestId);
  pending.delete(entry.requestId);
  pending.set(entry.requestId, { entry, isNew: isNew || before?.isNew === true });
  const [oldest] = pending.keys();
  if (pending.size > maxPending && oldest !== undefined) pending.delete(oldest);
}

/** Sends the matching updates, or keeps them if the filter cannot be read. PostgreSQL decides, as for the list. */
async function sendPending(readLog: ReadLiveLog, feed: Feed): Promise<void> {
  const { filter, pending } = feed;
  if (pending.size === 0) return;
  feed.pending = new Map();
  try {
    const ids = filter ? await listMatching(readLog, filter, [...pending.keys()]) : new Set();
    const matches = [...pending.values()].filter(({ entry }) => ids.has(entry.requestId));
    notifyRows(
      feed,
      'rows',
      matches.filter(({ isNew }) => isNew),
    );
    notifyRows(
      feed,
      'changed',
      matches.filter(({ isNew }) => !isNew),
    );
  } catch (error) {
    const newer = feed.pending;
    feed.pending = pending;
    for (const update of newer.values()) addPending(pending, update);
    throw error;
  }
}

async function listMatching(
  readLog: ReadLiveLog,
  filter: LogFilter,
  ids: string[],
): Promise<Set<string>> {
  const { value } = await readLog((log) => log.listMatching(filter, ids));
  return new Set(value);
}

function notifyRows({ listeners }: Feed, type: 'rows' | 'changed', updates: LogUpdate[]): void {
  const rows = updates.map(({ entry }) => toLogRow(entry));
  if (rows.length === 0) return;
  for (const listener of listeners) listener.notify({ type, rows });
}

/** A new or changed entry. */
type LogUpdate = { entry: LogEntry; isNew: boolean };
type WatchedApp = {
  /** Its requests are read up to this time. */
  readAtMs: number;
  openIds(): string[];
  update(entries: LogEntry[]): LogUpdate[];
};

/** The entries read for one app, and which of them may still change. */
function createWatchedApp(now: () => number): WatchedApp {
  const entryStates = new Map<string, { text: string; seenAtMs: number; isOpen: boolean }>();
  const startedAtMs = now();

  function forget(): void {
    for (const [id, { seenAtMs, isOpen }] of entryStates) {
      const keptMs = isOpen ? watchedForMs : rereadMs * 2;
      if (now() - seenAtMs > keptMs) entryStates.delete(id);
    }
  }

  function isNews(entry: LogEntry, before: { text: string } | undefined, text: string): boolean {
    // The page already shows entries from before the first listener.
    if (!before) return entry.acceptedAt.getTime() >= startedAtMs - rereadMs;
    return before.text !== text;
  }

  return {
    readAtMs: startedAtMs,
    openIds() {
      const open = [...entryStates].filter(([, { isOpen }]) => isOpen).map(([id]) => id);
      return open.slice(-maxWatched);
    },
    update(entries) {
      const updates: LogUpdate[] = [];
      for (const entry of entries.toReversed()) {
        const text = JSON.stringify([entry.messages, entry.groups, entry.plannedItems]);
        const before = entryStates.get(entry.requestId);
        entryStates.set(entry.requestId, {
          text,
          isOpen: mayChange(entry),
          seenAtMs: before?.seenAtMs ?? now(),
        });
        if (isNews(entry, before, text)) updates.push({ entry, isNew: before === undefined });
      }
      forget();
      return updates;
    },
  };
}

function mayChange({ plannedItems, items, groups }: LogEntry): boolean {
  return plannedItems < items || groups.some(({ state }) => !isFinal(state));
}
