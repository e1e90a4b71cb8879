import type { Gateway } from './gateway';
import { listItems, restoreItem } from './pages';
import { applyFlags, type Change, countItem, type Flags, type Store } from './store';
import type { ArchivedPage, Inbox, InboxCounts, InboxItem, ItemReference } from './types';

export type ChangesDeps = { gateway: Pick<Gateway, 'call'>; store: Store; now(): number };

export type Changes = Pick<
  Inbox,
  | 'markSeen'
  | 'markRead'
  | 'markUnread'
  | 'archive'
  | 'unarchive'
  | 'markAllSeen'
  | 'markAllRead'
  | 'archiveAll'
>;

const noCounts: InboxCounts = { unseen: 0, unread: 0 };

export function createChanges(deps: ChangesDeps): Changes {
  const { store, now } = deps;
  const perform = createPerform(deps);

  function changeOne(reference: ItemReference, flags: Flags): Promise<boolean> {
    const id = typeof reference === 'string' ? reference : reference.message_id;
    const item = findItem(store, reference);
    const change = { ids: new Set([id]), flags, atMs: now() };
    const delta = item ? subtract(countItem(applyFlags(item, change)), countItem(item)) : noCounts;
    const call = { path: `items/${encodeURIComponent(id)}`, body: flags };
    return perform<InboxItem>({ ...change, delta }, call, (answer) =>
      store.update({ pages: restoreItem(store.getState().pages, answer) }),
    );
  }

  /** Up to the newest shown item, so that one that arrives meanwhile is not swallowed. */
  async function changeAll(flags: Flags): Promise<boolean> {
    const { items, hasNewer, counts } = store.getSnapshot();
    const [newest] = items;
    if (!newest) return true;
    const change = { ids: new Set(items.map(({ message_id }) => message_id)), flags, atMs: now() };
    const shown = items.map(countItem).reduce(add, noCounts);
    const left = items.map((item) => countItem(applyFlags(item, change))).reduce(add, noCounts);
    // Without newer pages, the call also changes everything older.
    const delta = hasNewer ? subtract(left, shown) : subtract(computeLeft(flags, counts), counts);
    const call = { path: 'items', body: { up_to: newest.message_id, ...flags } };
    return perform<{ counts: InboxCounts }>({ ...change, delta }, call, (answer) =>
      store.update({ counts: answer.counts }),
    );
  }

  return {
    markSeen: (item) => changeOne(item, { seen: true }),
    markRead: (item) => changeOne(item, { read: true }),
    markUnread: (item) => changeOne(item, { read: false }),
    archive: (item) => changeOne(item, { archived: true }),
    unarchive: (item) => changeOne(item, { archived: false }),
    markAllSeen: () => changeAll({ seen: true }),
    markAllRead: () => changeAll({ read: true }),
    archiveAll: () => changeAll({ archived: true }),
  };
}

/** Gets a page of archived items, which the store does not keep. */
export function createListArchived(
  gateway: Pick<Gateway, 'call'>,
  limit: number,
): Inbox['listArchived'] {
  return async function listArchived(before) {
    const query = { archived: 'true', limit, before };
    const result = await gateway.call<ArchivedPage>({ path: 'items', query });
    return result.ok ? { items: result.body.items, before: result.body.before } : undefined;
  };
}

const maxPending = 100;

/** Changes are shown at once and sent one after the other, so that the last one of an item wins. */
function createPerform({ gateway, store }: ChangesDeps) {
  let pending = 0;
  let previous: Promise<unknown> = Promise.resolve();

  return async function perform<T>(
    change: Change,
    call: { path: string; body: object },
    accept: (answer: T) => void,
  ): Promise<boolean> {
    if (pending >= maxPending) {
      const message = `${maxPending} changes are waiting for the gateway`;
      store.update({ error: { code: 'too_many_changes', message, during: 'change' } });
      return false;
    }
    pending += 1;
    const end = store.begin(change);
    const turn = previous.then(() => gateway.call<T>({ method: 'PUT', ...call }));
    previous = turn;
    const result = await turn;
    pending -= 1;
    end(result.ok);
    if (result.ok) accept(result.body);
    store.update({ error: result.ok ? undefined : { ...result.error, during: 'change' } });
    return result.ok;
  };
}

/** The item as it is shown, with pending changes; an archived one as the gateway has it. */
function findItem(store: Store, reference: ItemReference): InboxItem | undefined {
  const id = typeof reference === 'string' ? reference : reference.message_id;
  const items = [...store.getSnapshot().items, ...listItems(store.getState().pages)];
  const item = items.find(({ message_id }) => message_id === id);
  return item ?? (typeof reference === 'string' ? undefined : reference);
}

/** Computes the counts after a change of everything. */
function computeLeft({ read, archived }: Flags, counts: InboxCounts): InboxCounts {
  const isSeen = read === true || archived === true;
  return { unseen: 0, unread: isSeen ? 0 : counts.unread };
}

function add(a: InboxCounts, b: InboxCounts): InboxCounts {
  return { unseen: a.unseen + b.unseen, unread: a.unread + b.unread };
}

function subtract(a: InboxCounts, b: InboxCounts): InboxCounts {
  return { unseen: a.unseen - b.unseen, unread: a.unread - b.unread };
}
