import type { InboxItem, InboxSnapshot } from '../types';
import { build } from './build';
import { createRow, type Row, type RowActions } from './row';
import type { InboxStrings } from './strings';

export type FeedViewDeps = RowActions & {
  /** The reader moved beyond the last item. */
  onEnd(): void;
  /** The item with the focus was the last one. */
  onEmpty(): void;
};

export type FeedView = {
  element: HTMLElement;
  update(snapshot: InboxSnapshot, texts: Texts): void;
  /** Moves the focus to the current item; returns false if there is none. */
  focus(): boolean;
};

type Texts = { strings: InboxStrings; language: string };

/** The list of notifications: the feed pattern of ARIA (https://www.w3.org/WAI/ARIA/apg/patterns/feed/). */
export function createFeedView(deps: FeedViewDeps): FeedView {
  const element = build('div', { role: 'feed', part: 'feed', class: 'feed' });
  let activeId: string | undefined;
  const rows = createRows(element, deps, activate);

  function update(snapshot: InboxSnapshot, texts: Texts): void {
    const { items, isLoadingOlder, isLoadingNewer } = snapshot;
    const focusedIndex = rows.findFocused();
    element.setAttribute('aria-label', texts.strings.title);
    element.setAttribute('aria-busy', String(isLoadingOlder || isLoadingNewer));
    rows.update(snapshot, texts);
    const nearest = Math.min(Math.max(focusedIndex, 0), items.length - 1);
    activate(rows.find(activeId) ? activeId : items[nearest]?.message_id);
    // The item with the focus was archived.
    if (focusedIndex >= 0 && rows.findFocused() < 0 && !focus()) deps.onEmpty();
  }

  function activate(id: string | undefined): void {
    activeId = id;
    rows.setActive(id);
  }

  function focus(): boolean {
    const row = rows.find(activeId);
    row?.element.focus();
    return row !== undefined;
  }

  element.addEventListener('keydown', (event) => {
    const index = rows.findFocused();
    const row = rows.find(rows.getId(index));
    if (event.key === 'Enter' && event.target === row?.element) row?.open();
    const next = findNextIndex(event, index, rows.count() - 1);
    if (next === undefined) return;
    event.preventDefault();
    if (next >= rows.count()) return deps.onEnd();
    activate(rows.getId(Math.max(next, 0)));
    focus();
  });

  return { element, update, focus };
}

/** The rows of the items, in their order. */
function createRows(feed: HTMLElement, actions: RowActions, onFocus: (id: string) => void) {
  const rows = new Map<string, Row>();
  let ids: string[] = [];

  function findOrCreate(item: InboxItem): Row {
    const id = item.message_id;
    const row = rows.get(id) ?? createRow(item, actions);
    if (!rows.has(id)) row.element.addEventListener('focusin', () => onFocus(id));
    rows.set(id, row);
    return row;
  }

  function update({ items, hasOlder }: InboxSnapshot, texts: Texts): void {
    ids = items.map(({ message_id }) => message_id);
    const kept = new Set(ids);
    for (const [id, row] of rows) {
      if (kept.has(id)) continue;
      row.element.remove();
      rows.delete(id);
    }
    const nowMs = Date.now();
    const total = hasOlder ? -1 : items.length;
    items.forEach((item, index) => {
      const row = findOrCreate(item);
      row.update(item, { ...texts, nowMs, position: index + 1, total });
      // A row in its place is not inserted again: it would lose the focus.
      const current = feed.children[index] ?? null;
      if (current !== row.element) feed.insertBefore(row.element, current);
    });
  }

  function findFocused(): number {
    const root = feed.getRootNode();
    const focused = root instanceof ShadowRoot ? root.activeElement : null;
    return focused ? ids.findIndex((id) => rows.get(id)?.element.contains(focused)) : -1;
  }

  return {
    update,
    findFocused,
    find: (id: string | undefined) => (id === undefined ? undefined : rows.get(id)),
    getId: (index: number) => ids[index],
    count: () => ids.length,
    setActive(id: string | undefined) {
      for (const [rowId, row] of rows) row.setActive(rowId === id);
    },
  };
}

/** The index after a key; undefined for a key without effect. */
function findNextIndex(event: KeyboardEvent, index: number, last: number): number | undefined {
  if (event.altKey || event.metaKey || event.shiftKey || index < 0) return undefined;
  if (event.key === 'Home') return 0;
  if (event.key === 'End') return last;
  if (event.ctrlKey) return undefined;
  if (['ArrowDown', 'PageDown'].includes(event.key)) return index + 1;
  return ['ArrowUp', 'PageUp'].includes(event.key) ? index - 1 : undefined;
}
