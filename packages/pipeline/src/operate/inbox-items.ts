import type { InboxCounts, InboxItem, InboxStates } from '@belfry/shared';
import type pg from 'pg';
import { changeItem, changeItems, type ItemsChange } from './inbox-changes.sql';
import {
  findItem,
  type InboxAddress,
  type InboxAnchor,
  type InboxPosition,
  toItem,
} from './inbox-item.sql';
import {
  countInboxItems,
  type InboxPage,
  type InboxPageQuery,
  readInboxPage,
} from './inbox-pages.sql';

export type InboxItems = {
  readPage(query: InboxPageQuery): Promise<InboxPage>;
  countItems(address: InboxAddress): Promise<InboxCounts>;
  /** Undefined if the inbox has no such message, as for the next function. */
  findPosition(anchor: InboxAnchor): Promise<InboxPosition | undefined>;
  /** Sets and undoes states of an item, and returns the item. */
  changeItem(anchor: InboxAnchor, states: InboxStates): Promise<InboxItem | undefined>;
  /** The same for many items; returns how many it changed. */
  changeItems(change: ItemsChange): Promise<number>;
};

/** The inbox as front ends with streams use it. Like those of `createInbox`, the statements have no name. */
export function createInboxItems(pool: pg.Pool): InboxItems {
  return {
    readPage: (query) => readInboxPage(pool, query),
    countItems: (address) => countInboxItems(pool, address),
    findPosition: (anchor) => findItem(pool, anchor),
    async changeItem(anchor, states) {
      const item = await findItem(pool, anchor);
      if (!item) return undefined;
      await changeItem(pool, item.id, { states, onlyShown: false });
      const changed = await findItem(pool, anchor);
      return changed && toItem(changed);
    },
    changeItems: (change) => changeItems(pool, change),
  };
}
