import {
  addItem,
  addNewer,
  addOlder,
  hasOlder,
  listItems,
  mergeNewest,
  noPages,
  type Page,
  type Pages,
  restoreItem,
} from './pages';
import type { InboxItem } from './types';

/** Item 9 is newer than item 8. */
function item(number: number, body = ''): InboxItem {
  return {
    message_id: `m${number}`,
    message_body: { title: `Item ${number}`, body },
    timestamp: number,
    seen_at: null,
    read_at: null,
    archived_at: null,
  };
}

function page(numbers: number[], before?: string): Page {
  return { items: numbers.map((number) => item(number)), before, after: `a${numbers[0]}` };
}

const createPages = (...pages: Page[]): Pages => ({ pages, hasNewer: false });
const ids = (pages: Pages) => listItems(pages).map(({ timestamp }) => timestamp);
const limits = { pageSize: 2, maxItems: 4 };

describe('addOlder', () => {
  test('appends older items, and drops the newest page over the limit', () => {
    const pages = addOlder(
      createPages(page([9, 8], 'b8'), page([7, 6], 'b6')),
      page([5, 4], 'b4'),
      4,
    );
    expect(ids(pages)).toEqual([7, 6, 5, 4]);
    expect(pages.hasNewer).toBe(true);
    expect(pages.pages[0]?.after).toBe('a7');
  });

  test('ends the list with the last page', () => {
    const pages = addOlder(createPages(page([9, 8], 'b8')), page([]), 4);
    expect([ids(pages), hasOlder(pages)]).toEqual([[9, 8], false]);
  });
});

describe('addNewer', () => {
  const dropped: Pages = { pages: [page([5, 4], 'b4'), page([3, 2], 'b2')], hasNewer: true };

  test('puts a full page on top, and drops the oldest page over the limit', () => {
    const pages = addNewer(dropped, page([7, 6], 'b6'), limits);
    expect(ids(pages)).toEqual([7, 6, 5, 4]);
    expect([pages.hasNewer, hasOlder(pages)]).toEqual([true, true]);
    expect(pages.pages.at(-1)?.before).toBe('b4');
  });

  test.each([
    ['a short page', [6], [6, 5, 4, 3, 2]],
    ['an empty page', [], [5, 4, 3, 2]],
  ])('reaches the newest item with %s', (_name, numbers, expected) => {
    const pages = addNewer(dropped, page(numbers, 'b'), { ...limits, maxItems: 9 });
    expect([ids(pages), pages.hasNewer]).toEqual([expected, false]);
  });
});

describe('mergeNewest', () => {
  test('adds what is new, updates what is known, and keeps older pages', () => {
    const old = createPages(page([5, 4], 'b4'), page([3, 2], 'b2'));
    const newest = { ...page([6, 5], 'b5'), items: [item(6), item(5, 'changed')] };
    const pages = mergeNewest(old, newest, 9);
    expect(ids(pages)).toEqual([6, 5, 4, 3, 2]);
    expect(listItems(pages)[1]?.message_body.body).toBe('changed');
    expect(pages.pages.at(-1)?.before).toBe('b2');
  });

  test('removes what the gateway no longer lists between the newest and the last common item', () => {
    expect(ids(mergeNewest(createPages(page([7, 6, 5, 4], 'b4')), page([7, 5], 'b5'), 9))).toEqual([
      7, 5, 4,
    ]);
  });

  test('starts anew if there is a gap', () => {
    const pages = mergeNewest(createPages(page([3, 2], 'b2')), page([9, 8], 'b8'), 9);
    expect([ids(pages), hasOlder(pages)]).toEqual([[9, 8], true]);
  });

  test('only updates items while newer pages are missing', () => {
    const old: Pages = { pages: [page([5, 4], 'b4')], hasNewer: true };
    const pages = mergeNewest(old, { ...page([6, 5]), items: [item(6), item(5, 'changed')] }, 9);
    expect([ids(pages), pages.hasNewer]).toEqual([[5, 4], true]);
    expect(listItems(pages)[0]?.message_body.body).toBe('changed');
  });
});

describe('addItem', () => {
  test('adds an item once', () => {
    const once = addItem(createPages(page([5, 4])), item(6), 9);
    expect(ids(addItem(once, item(6, 'again'), 9))).toEqual([6, 5, 4]);
  });

  test('puts an item that is older than the page in its place, and leaves one to the older pages', () => {
    expect(ids(addItem(createPages(page([6, 5, 3])), item(4), 9))).toEqual([6, 5, 4, 3]);
    expect(ids(addItem(createPages(page([6, 5], 'b5')), item(4), 9))).toEqual([6, 5]);
  });

  test('leaves an item to the newer pages that are missing', () => {
    const pages: Pages = { pages: [page([5, 4])], hasNewer: true };
    expect(ids(addItem(pages, item(6), 9))).toEqual([5, 4]);
  });

  test('drops whole pages over the limit, and never a part of one', () => {
    const pages = addItem(createPages(page([5, 4], 'b4'), page([3, 2], 'b2')), item(6), 4);
    expect([ids(pages), hasOlder(pages)]).toEqual([[6, 5, 4], true]);
    expect(ids(addItem(createPages(page([5, 4], 'b4')), item(6), 2))).toEqual([6, 5, 4]);
  });
});

describe('restoreItem', () => {
  test.each([
    ['between two items', createPages(page([9, 7], 'b')), 8, [9, 8, 7]],
    ['at the top', createPages(page([9, 7], 'b')), 10, [10, 9, 7]],
    ['at the end of everything', createPages(page([9, 7])), 5, [9, 7, 5]],
    ['into an empty list', createPages(page([])), 5, [5]],
    ['not below the last loaded item', createPages(page([9, 7], 'b')), 5, [9, 7]],
    ['not above missing pages', { pages: [page([9, 7])], hasNewer: true }, 10, [9, 7]],
    ['once', createPages(page([9, 7])), 9, [9, 7]],
    ['into nothing', noPages, 5, [5]],
  ])('puts an item %s', (_name, pages, number, expected) => {
    expect(ids(restoreItem(pages, item(number)))).toEqual(expected);
  });
});
