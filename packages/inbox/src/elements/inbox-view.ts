import type { Inbox, InboxItem, InboxSnapshot } from '../types';
import { build, buildButton, setText } from './build';
import { createFeedView } from './feed-view';
import type { InboxStrings } from './strings';

export type InboxViewDeps = {
  inbox: Inbox;
  /** The reader followed the link of an item. The page can prevent the navigation. */
  onOpen(item: InboxItem, event: Event): void;
};

export type InboxViewContext = { strings: InboxStrings; language: string; isShown: boolean };

export type InboxView = {
  element: HTMLElement;
  render(context: InboxViewContext): void;
  focus(): void;
};

export function createInboxView({ inbox, onOpen }: InboxViewDeps): InboxView {
  let archived: InboxItem | undefined;
  let context: InboxViewContext | undefined;
  const markSeen = createMarkSeen(inbox);
  const feed = createFeedView({
    onOpen(item, event) {
      void inbox.markRead(item);
      onOpen(item, event);
    },
    onToggleRead: (item) =>
      void (item.read_at === null ? inbox.markRead(item) : inbox.markUnread(item)),
    onArchive: (item) => void archive(item),
    onEnd: () => void inbox.loadOlder(),
    onEmpty: () => parts.title.focus(),
  });
  const parts = buildParts(inbox, { undo: () => void undo() });

  async function archive(item: InboxItem): Promise<void> {
    archived = item;
    if (!(await inbox.archive(item))) archived = undefined;
    if (context) render(context);
  }

  async function undo(): Promise<void> {
    const item = archived;
    archived = undefined;
    if (item) await inbox.unarchive(item);
  }

  function focus(): void {
    if (!feed.focus()) parts.title.focus();
  }

  function render(next: InboxViewContext): void {
    context = next;
    const { strings, isShown } = next;
    const focused = findFocused(parts.title);
    const snapshot = inbox.getSnapshot();
    setText(parts.title, strings.title);
    setText(parts.readAll, strings.markAllRead);
    parts.readAll.hidden = snapshot.counts.unread === 0;
    feed.element.hidden = snapshot.items.length === 0;
    feed.update(snapshot, next);
    renderState(parts, snapshot, strings);
    renderNotice(parts, snapshot, { strings, isArchived: archived !== undefined });
    renderPaging(parts, snapshot, strings);
    if (isShown) markSeen(snapshot);
    // A button that has done its work disappears, and must not take the focus with it.
    if (focused?.hidden) focus();
  }

  parts.scroll.append(parts.newer, feed.element, parts.state, parts.older);
  return {
    // No landmark: a page can have several lists with the same name.
    element: build('div', { part: 'panel' }, parts.header, parts.notice, parts.scroll),
    render,
    focus,
  };
}

type Parts = ReturnType<typeof buildParts>;

function buildParts(inbox: Inbox, { undo }: { undo(): void }) {
  const title = build('h2', { part: 'title', tabindex: '-1' });
  const readAll = buildButton('mark-all-read', () => void inbox.markAllRead());
  const stateText = build('p', { part: 'state-text' });
  const retry = buildButton('retry', () => void inbox.refresh());
  const noticeText = build('span');
  const undoButton = buildButton('undo', undo);
  return {
    title,
    readAll,
    header: build('div', { part: 'header' }, title, readAll, build('slot', { name: 'actions' })),
    noticeText,
    undo: undoButton,
    notice: build('div', { part: 'notice', role: 'status' }, noticeText, undoButton),
    scroll: build('div', { part: 'scroll' }),
    newer: buildButton('newer', () => void inbox.loadNewer()),
    older: buildButton('older', () => void inbox.loadOlder()),
    stateText,
    retry,
    state: build('div', { part: 'state', role: 'status' }, stateText, retry),
  };
}

function findFocused(element: Element): HTMLElement | undefined {
  const root = element.getRootNode();
  const focused = root instanceof ShadowRoot ? root.activeElement : null;
  return focused instanceof HTMLElement ? focused : undefined;
}

/** Shows a text in place of the items. */
function renderState(parts: Parts, { items, status }: InboxSnapshot, strings: InboxStrings): void {
  const texts = { loading: strings.loading, ready: strings.empty, error: strings.failed };
  setText(parts.stateText, items.length > 0 ? '' : texts[status]);
  setText(parts.retry, strings.retry);
  parts.retry.hidden = status !== 'error';
  parts.state.hidden = items.length > 0;
}

function renderNotice(
  parts: Parts,
  { status, connection, error }: InboxSnapshot,
  { strings, isArchived }: { strings: InboxStrings; isArchived: boolean },
): void {
  let text = '';
  if (connection === 'offline') text = strings.offline;
  if (error) text = error.during === 'change' ? strings.notSaved : strings.failed;
  if (status !== 'ready') text = '';
  parts.undo.hidden = text !== '' || !isArchived;
  if (!parts.undo.hidden) text = strings.archived;
  setText(parts.noticeText, text);
  setText(parts.undo, strings.undo);
  parts.notice.classList.toggle('empty', text === '');
}

function renderPaging(parts: Parts, snapshot: InboxSnapshot, strings: InboxStrings): void {
  setText(parts.older, snapshot.isLoadingOlder ? strings.loading : strings.older);
  setText(parts.newer, snapshot.isLoadingNewer ? strings.loading : strings.newer);
  parts.older.hidden = !snapshot.hasOlder;
  parts.newer.hidden = !snapshot.hasNewer;
}

/** Marks shown items as seen, once for each newest unseen item: a refused call is not repeated without end. */
function createMarkSeen(inbox: Inbox) {
  let lastId: string | undefined;
  return function markSeen({ items }: InboxSnapshot): void {
    const newest = items.find(({ seen_at }) => seen_at === null)?.message_id;
    if (newest === undefined || newest === lastId) return;
    lastId = newest;
    void inbox.markAllSeen();
  };
}
