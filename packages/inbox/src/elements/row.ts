import type { InboxItem } from '../types';
import { build, buildButton, buildIcon, icons, setText } from './build';
import { findSafeUrl } from './links';
import type { InboxStrings } from './strings';
import { formatFullTime, formatTime } from './times';

export type RowContext = {
  strings: InboxStrings;
  language: string;
  nowMs: number;
  /** Counted from 1. A `total` of -1 means that there are more items than these. */
  position: number;
  total: number;
};

export type RowActions = {
  onOpen(item: InboxItem, event: Event): void;
  onToggleRead(item: InboxItem): void;
  onArchive(item: InboxItem): void;
};

/** One notification. It is updated in place, so that the focus stays. */
export type Row = {
  element: HTMLElement;
  update(item: InboxItem, context: RowContext): void;
  /** The link and the buttons of the other rows are not in the order of Tab. */
  setActive(isActive: boolean): void;
  /** Follows the link, or marks the item as read. */
  open(): void;
};

let rowCount = 0;

export function createRow(first: InboxItem, actions: RowActions): Row {
  rowCount += 1;
  let item = first;
  const parts = buildParts(`row${rowCount}`);
  const toggle = buildButton('toggle-read', () => actions.onToggleRead(item), buildIcon(''));
  const archive = buildButton('archive', () => actions.onArchive(item), buildIcon(icons.archive));
  parts.link.addEventListener('click', (event) => {
    if (parts.link.hasAttribute('href')) actions.onOpen(item, event);
  });
  const element = build(
    'article',
    { tabindex: '-1' },
    parts.dot,
    parts.image,
    build('div', { part: 'content' }, parts.heading, parts.body, parts.time),
    build('div', { part: 'actions' }, toggle, archive),
  );
  const controls = [parts.link, toggle, archive];

  function update(next: InboxItem, context: RowContext): void {
    item = next;
    updateTexts(parts, item, context);
    updateArticle(element, parts, item, context);
    const { markRead, markUnread, archive: archiveText } = context.strings;
    const isUnread = item.read_at === null;
    nameButton(toggle, isUnread ? markRead : markUnread, item);
    nameButton(archive, archiveText, item);
    toggle.querySelector('path')?.setAttribute('d', isUnread ? icons.check : icons.dot);
  }

  return {
    element,
    update,
    setActive(isActive) {
      for (const each of [element, ...controls]) each.tabIndex = isActive ? 0 : -1;
      // Without an address it is no link, and must not have the focus.
      if (!parts.link.hasAttribute('href')) parts.link.removeAttribute('tabindex');
    },
    open() {
      if (parts.link.hasAttribute('href')) parts.link.click();
      else if (item.read_at === null) actions.onToggleRead(item);
    },
  };
}

type Parts = ReturnType<typeof buildParts>;

function buildParts(id: string) {
  const link = build('a', { part: 'link', rel: 'noopener' });
  return {
    dot: build(
      'span',
      { id: `${id}-unread`, part: 'dot' },
      build('span', { class: 'hidden-text' }),
    ),
    // It shows nothing that the texts do not say.
    image: build('img', { part: 'image', alt: '', loading: 'lazy' }),
    link,
    heading: build('h3', { id: `${id}-title`, part: 'item-title', dir: 'auto' }, link),
    body: build('p', { id: `${id}-body`, part: 'item-body', dir: 'auto' }),
    time: build('time', { id: `${id}-time`, part: 'time' }),
  };
}

function updateTexts(
  { dot, image, link, body, time }: Parts,
  { message_body, timestamp, read_at }: InboxItem,
  { strings, language, nowMs }: RowContext,
): void {
  const { title = '', body: text = '' } = message_body;
  setText(link, title || text);
  setUrl(link, 'href', findSafeUrl(message_body.click_action, document.baseURI));
  setText(body, title && text);
  setUrl(image, 'src', findSafeUrl(message_body.image, document.baseURI));
  image.hidden = !image.hasAttribute('src');
  dot.classList.toggle('unread', read_at === null);
  const [unread] = dot.children;
  if (unread) setText(unread, read_at === null ? strings.unread : '');
  setText(time, formatTime(language, timestamp, nowMs));
  time.dateTime = new Date(timestamp).toISOString();
  time.title = formatFullTime(language, timestamp);
}

/** An equal address is not written again: it would load the image again. */
function setUrl(element: Element, name: 'href' | 'src', url: string | undefined): void {
  if (url === undefined) element.removeAttribute(name);
  else if (element.getAttribute(name) !== url) element.setAttribute(name, url);
}

function updateArticle(
  element: HTMLElement,
  { dot, heading, body, time }: Parts,
  { read_at }: InboxItem,
  { position, total }: RowContext,
): void {
  element.setAttribute('part', read_at === null ? 'item item-unread' : 'item');
  element.setAttribute('aria-labelledby', `${dot.id} ${heading.id}`);
  element.setAttribute('aria-describedby', `${body.id} ${time.id}`);
  element.setAttribute('aria-posinset', String(position));
  element.setAttribute('aria-setsize', String(total));
}

function nameButton(button: HTMLElement, action: string, { message_body }: InboxItem): void {
  button.title = action;
  button.setAttribute('aria-label', `${action}: ${message_body.title || message_body.body || ''}`);
}
