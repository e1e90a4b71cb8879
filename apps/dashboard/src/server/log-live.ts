import type { LogEntry, LogFilter, RequestLog } from '@belfry/pipeline/operate';
import type { Logger } from '@belfry/runtime';
import type { LiveEvent } from '../api/log';
import { idAt } from './log-filter';
import { isFinal, toLogRow } from './log-row';

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

export type LogLiveDeps = {
  log: Pick<RequestLog, 'listSince' | 'readEntries' | 'listMatching'>;
  now: () => number;
  logger: Logger;
};

const pollEveryMs = 1_000;
/** Ids are created before commit and by several clocks. Requests older than this are certainly visible. */
const rereadMs = 10_000;
const maxListeners = 200;
/** Keeps one account from using all listeners. */
const maxListenersOfOne = 20;
/** Open requests per app that are re-read until they are final. */
const maxWatched = 100;
const watchedForMs = 10 * 60_000;

const trouble =
  'PostgreSQL does not answer. Accepted messages are safe; new rows appear when it is back.';

/** Polls once per second for all listeners together; stops without listeners. */
export function createLogLive({ log, now, logger }: LogLiveDeps): LogLive {
  const listeners = new Set<LogListener>();
  const apps = new Map<string, WatchedApp>();
  let timer: NodeJS.Timeout | undefined;
  let isPolling = false;
  let isInTrouble = false;

  async function poll(): Promise<void> {
    if (isPolling) return;
    isPolling = true;
    await pollOnce().then(
      () => {
        isInTrouble = false;
      },
      (error: unknown) => notifyTrouble(error),
    );
    isPolling = false;
  }

  function notifyTrouble(error: unknown): void {
    if (!isInTrouble) logger.warn('log_live.not_read', { error });
    isInTrouble = true;
    for (const listener of listeners) listener.notify({ type: 'trouble', error: trouble });
  }

  async function pollOnce(): Promise<void> {
    const appIds = [...apps.keys()];
    const recent = await log.listSince(appIds, idAt(now() - rereadMs));
    for (const [appId, watched] of [...apps]) {
      const ids = recent.filter((row) => row.appId === appId).map(({ id }) => id);
      const entryIds = [...new Set([...ids, ...watched.openIds()])];
      const updates = watched.update(await log.readEntries(appId, entryIds));
      await notifyApp(
        log,
        [...listeners].filter((one) => one.appId === appId),
        updates,
      );
    }
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
    apps.clear();
  }

  return {
    listen(listener) {
      const own = [...listeners].filter(({ operatorId }) => operatorId === listener.operatorId);
      if (listeners.size >= maxListeners || own.length >= maxListenersOfOne) return undefined;
      listeners.add(listener);
      if (!apps.has(listener.appId)) apps.set(listener.appId, createWatchedApp(now));
      timer ??= setInterval(() => void poll(), pollEveryMs);
      return () => {
        listeners.delete(listener);
        if (![...listeners].some(({ appId }) => appId === listener.appId))
          apps.delete(listener.appId);
        if (listeners.size === 0) stop();
      };
    },
    close() {
      for (const listener of listeners) listener.notify({ type: 'ended' });
      listeners.clear();
      stop();
    },
  };
}

/** Sends the updates of an app, or keeps them for the next poll if their filters cannot be read. */
async function notifyApp(
  log: Pick<RequestLog, 'listMatching'>,
  listeners: readonly LogListener[],
  { added, changed, undo }: LogUpdates,
): Promise<void> {
  const pick = createMatcher(log, [...added, ...changed]);
  try {
    for (const listener of listeners) {
      notifyRows(listener, 'rows', await pick(listener.filter, added));
      notifyRows(listener, 'changed', await pick(listener.filter, changed));
    }
  } catch (error) {
    undo();
    throw error;
  }
}

/** Picks the entries that match a filter. Asks PostgreSQL once per filter, as the list does: a match has one definition. */
function createMatcher({ listMatching }: Pick<RequestLog, 'listMatching'>, all: LogEntry[]) {
  const ids = all.map(({ requestId }) => requestId);
  const matches = new Map<string, Promise<string[]>>();
  return async (filter: LogFilter | undefined, entries: LogEntry[]): Promise<LogEntry[]> => {
    if (filter === undefined || entries.length === 0) return [];
    const key = JSON.stringify(filter);
    const match = matches.get(key) ?? listMatching(filter, ids);
    matches.set(key, match);
    const matchingIds = new Set(await match);
    return entries.filter(({ requestId }) => matchingIds.has(requestId));
  };
}

function notifyRows(listener: LogListener, type: 'rows' | 'changed', entries: LogEntry[]): void {
  const rows = entries.map(toLogRow);
  if (rows.length > 0) listener.notify({ type, rows });
}

type LogUpdates = {
  added: LogEntry[];
  changed: LogEntry[];
  /** They could not be sent: the next poll finds them again. The page ignores rows that it has. */
  undo(): void;
};
type WatchedApp = { openIds(): string[]; update(entries: LogEntry[]): LogUpdates };

/** The entries sent for one app, and which of them may still change. */
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
    openIds() {
      const open = [...entryStates].filter(([, { isOpen }]) => isOpen).map(([id]) => id);
      return open.slice(-maxWatched);
    },
    update(entries) {
      const added: LogEntry[] = [];
      const changed: LogEntry[] = [];
      const statesBefore = new Map(entryStates);
      for (const entry of entries.toReversed()) {
        const text = JSON.stringify([entry.messages, entry.groups, entry.plannedItems]);
        const before = entryStates.get(entry.requestId);
        entryStates.set(entry.requestId, {
          text,
          isOpen: mayChange(entry),
          seenAtMs: before?.seenAtMs ?? now(),
        });
        const list = before ? changed : added;
        if (isNews(entry, before, text)) list.push(entry);
      }
      forget();
      return {
        added,
        changed,
        undo() {
          entryStates.clear();
          for (const [id, state] of statesBefore) entryStates.set(id, state);
        },
      };
    },
  };
}

function mayChange({ plannedItems, items, groups }: LogEntry): boolean {
  return plannedItems < items || groups.some(({ state }) => !isFinal(state));
}
