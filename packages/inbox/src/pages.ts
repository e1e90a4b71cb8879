import type { InboxItem } from './types';

/** A run of items without a gap, newest first. `before` and `after` are the gateway's cursors of its ends. */
export type Page = {
  items: readonly InboxItem[];
  before: string | undefined;
  after: string | undefined;
};

/** Adjacent pages, newest first. Archived items stay in their place and are not shown, so that an archive can be undone. */
export type Pages = { pages: readonly Page[]; hasNewer: boolean };

export const noPages: Pages = { pages: [], hasNewer: false };

export function listItems({ pages }: Pick<Pages, 'pages'>): InboxItem[] {
  return pages.flatMap(({ items }) => items);
}

export function hasOlder({ pages }: Pages): boolean {
  return pages.at(-1)?.before !== undefined;
}

/** Adds the page of older items. Over the limit, the newest pages are dropped. */
export function addOlder(pages: Pages, page: Page, maxItems: number): Pages {
  const kept = [...pages.pages, page];
  let { hasNewer } = pages;
  while (kept.length > 1 && countItems(kept) > maxItems) {
    kept.shift();
    hasNewer = true;
  }
  return { pages: kept, hasNewer };
}

/** Adds the page of newer items, which reaches the newest one if it is not full. Over the limit, the oldest pages are dropped. */
export function addNewer(
  pages: Pages,
  page: Page,
  limits: { pageSize: number; maxItems: number },
): Pages {
  const hasNewer = page.items.length >= limits.pageSize;
  const kept = page.items.length > 0 ? [page, ...removeItems(pages.pages, page)] : pages.pages;
  return { pages: dropOldest(kept, limits.maxItems), hasNewer };
}

/** Puts the newest page on top of what is kept. If there is a gap between both, only the page remains. */
export function mergeNewest(pages: Pages, page: Page, maxItems: number): Pages {
  const items = listItems(pages);
  const ids = new Set(page.items.map(({ message_id }) => message_id));
  if (pages.hasNewer) return page.items.reduce(updateItem, pages);
  const lastKnown = items.findLastIndex(({ message_id }) => ids.has(message_id));
  if (lastKnown < 0) return { pages: [page], hasNewer: false };
  // Items above the last common one that the gateway did not list are gone from the inbox.
  const gone = { ...page, items: [...page.items, ...items.slice(0, lastKnown)] };
  return {
    pages: dropOldest([page, ...removeItems(pages.pages, gone)], maxItems),
    hasNewer: false,
  };
}

/**
 * Adds a new item at the top. A known one, and one of an event that waited for a page and is older than it, has its place by
 * time. With newer pages missing, it belongs to one of these.
 */
export function addItem(pages: Pages, item: InboxItem, maxItems: number): Pages {
  const [first, ...rest] = pages.pages;
  const [newest] = listItems(pages);
  if (!first || pages.hasNewer || (newest && newest.timestamp >= item.timestamp)) {
    return restoreItem(pages, item);
  }
  const grown = { ...first, items: [item, ...first.items] };
  return { ...pages, pages: dropOldest([grown, ...rest], maxItems) };
}

/** Updates an item, or puts it back in its place by time: while it was archived, it may have been dropped. */
export function restoreItem(pages: Pages, item: InboxItem): Pages {
  const items = listItems(pages);
  const next = items.find(({ timestamp }) => timestamp <= item.timestamp);
  const isKnown = items.some(({ message_id }) => message_id === item.message_id);
  if (isKnown) return updateItem(pages, item);
  const isOnOtherPage = next ? next === items[0] && pages.hasNewer : hasOlder(pages);
  if (isOnOtherPage) return pages;
  if (!next) {
    const last = { items: [item], before: undefined, after: undefined };
    return { ...pages, pages: [...pages.pages, last] };
  }
  return mapItems(pages, (each) => (each === next ? [item, each] : [each]));
}

/** Replaces the item, if it is known. */
function updateItem(pages: Pages, item: InboxItem): Pages {
  return changeItems(pages, new Set([item.message_id]), () => item);
}

export function changeItems(
  pages: Pages,
  ids: ReadonlySet<string>,
  change: (item: InboxItem) => InboxItem,
): Pages {
  return mapItems(pages, (item) => [ids.has(item.message_id) ? change(item) : item]);
}

function mapItems(pages: Pages, map: (item: InboxItem) => InboxItem[]): Pages {
  return {
    ...pages,
    pages: pages.pages.map((page) => ({ ...page, items: page.items.flatMap(map) })),
  };
}

export function countItems(pages: readonly Page[]): number {
  return listItems({ pages }).length;
}

/** Only whole pages are dropped, because there is a cursor only between pages. */
function dropOldest(pages: readonly Page[], maxItems: number): readonly Page[] {
  const kept = [...pages];
  while (kept.length > 1 && countItems(kept) > maxItems && kept.at(-2)?.before !== undefined) {
    kept.pop();
  }
  return kept;
}

/** Without these items, and without pages that are then empty. */
function removeItems(pages: readonly Page[], { items }: Pick<Page, 'items'>): Page[] {
  const ids = new Set(items.map(({ message_id }) => message_id));
  return pages
    .map((page) => ({
      ...page,
      items: page.items.filter(({ message_id }) => !ids.has(message_id)),
    }))
    .filter((page) => page.items.length > 0);
}
