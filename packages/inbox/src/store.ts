import { changeItems, hasOlder, listItems, noPages, type Pages } from './pages';
import type { InboxConnection, InboxCounts, InboxError, InboxItem, InboxSnapshot } from './types';

export type Flags = { seen?: boolean; read?: boolean; archived?: boolean };

/** A change that is shown before the gateway has answered. */
export type Change = {
  ids: ReadonlySet<string>;
  flags: Flags;
  atMs: number;
  /** The difference that it makes to the counts. */
  delta: InboxCounts;
};

/** As the gateway confirmed it. */
type State = {
  status: InboxSnapshot['status'];
  pages: Pages;
  counts: InboxCounts;
  isLoadingOlder: boolean;
  isLoadingNewer: boolean;
  connection: InboxConnection;
  error: InboxError | undefined;
};

export type Store = {
  subscribe(listener: () => void): () => void;
  getSnapshot(): InboxSnapshot;
  getState(): State;
  update(fields: Partial<State>): void;
  /** Shows a change at once. Returns the function that ends this: with the confirmed change, or undone. */
  begin(change: Change): (isConfirmed: boolean) => void;
};

const maxCount = 1_000;

const initialState: State = {
  status: 'loading',
  pages: noPages,
  counts: { unseen: 0, unread: 0 },
  isLoadingOlder: false,
  isLoadingNewer: false,
  connection: 'connecting',
  error: undefined,
};

export const initialSnapshot: InboxSnapshot = toSnapshot(initialState, []);

/** Keeps the confirmed state and the pending changes apart, so that a refused change disappears without a trace. */
export function createStore(): Store {
  const listeners = new Set<() => void>();
  let state = initialState;
  let pending: { change: Change; hasNewCounts: boolean }[] = [];
  let snapshot = initialSnapshot;

  function update(fields: Partial<State>): void {
    state = { ...state, ...fields };
    // Changes are sent one after the other, so new counts can contain only the first one.
    if (fields.counts && pending[0]) pending[0].hasNewCounts = true;
    publish();
  }

  function publish(): void {
    snapshot = toSnapshot(
      state,
      pending.map(({ change }) => change),
    );
    for (const listener of [...listeners]) call(listener);
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    getSnapshot: () => snapshot,
    getState: () => state,
    update,
    begin(change) {
      const entry = { change, hasNewCounts: false };
      pending = [...pending, entry];
      publish();
      return (isConfirmed) => {
        pending = pending.filter((each) => each !== entry);
        const { pages, counts } = isConfirmed ? confirm(state, entry) : state;
        state = { ...state, pages, counts };
        publish();
      };
    },
  };
}

/** An error of a listener must not stop the stream. */
function call(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

function confirm(
  { pages, counts }: State,
  { change, hasNewCounts }: { change: Change; hasNewCounts: boolean },
): Pick<State, 'pages' | 'counts'> {
  return {
    pages: changeItems(pages, change.ids, (item) => applyFlags(item, change)),
    counts: hasNewCounts ? counts : addCounts(counts, change.delta),
  };
}

function toSnapshot({ pages, counts, ...state }: State, changes: readonly Change[]): InboxSnapshot {
  const items = listItems(pages)
    .map((item) =>
      changes.reduce(
        (changed, change) =>
          change.ids.has(item.message_id) ? applyFlags(changed, change) : changed,
        item,
      ),
    )
    .filter(({ archived_at }) => archived_at === null);
  return {
    ...state,
    items,
    counts: changes.reduce((sum, { delta }) => addCounts(sum, delta), counts),
    hasOlder: hasOlder(pages),
    hasNewer: pages.hasNewer,
  };
}

/** A time that is set stays as it is. A read item counts as seen. */
export function applyFlags(
  item: InboxItem,
  { flags, atMs }: Pick<Change, 'flags' | 'atMs'>,
): InboxItem {
  function toTime(flag: boolean | undefined, time: number | null): number | null {
    if (flag === undefined) return time;
    return flag ? (time ?? atMs) : null;
  }
  return {
    ...item,
    seen_at: toTime(flags.read || flags.seen, item.seen_at),
    read_at: toTime(flags.read, item.read_at),
    archived_at: toTime(flags.archived, item.archived_at),
  };
}

export function countItem(item: InboxItem): InboxCounts {
  const isShown = item.archived_at === null;
  return {
    unseen: isShown && item.seen_at === null ? 1 : 0,
    unread: isShown && item.read_at === null ? 1 : 0,
  };
}

function addCounts(counts: InboxCounts, delta: InboxCounts): InboxCounts {
  return {
    unseen: addCount(counts.unseen, delta.unseen),
    unread: addCount(counts.unread, delta.unread),
  };
}

/** The largest count means "at least", so one item less does not change it. */
function addCount(count: number, delta: number): number {
  if (count >= maxCount && delta > -maxCount) return count;
  return Math.min(Math.max(count + delta, 0), maxCount);
}
