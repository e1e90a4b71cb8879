import { canonicalizeSearchedPhone } from '@belfry/channels';
import type { ItemEntry, ItemRange, RequestItem } from '@belfry/pipeline/operate';
import { noReason } from '@belfry/shared';
import type { ItemFilters, ItemPageAnswer, ItemRow } from '../api/request-items';
import { sortByChannel } from './channel-order';
import { listNamedStates } from './log-filter';
import { describeRecipient, listRecipientNames } from './recipient';

export type ReadItems = (range: ItemRange) => Promise<RequestItem[]>;

export type ItemSearch = { appId: string; requestId: string; items: number; filters: ItemFilters };

const pageItems = 100;
/** Items that one statement reads while it searches. */
const searchedItems = 500;
const maxStatements = 4;

/** A page of items from `from` on. Items are numbered without gaps, so a page starts at a number. */
export async function readItemPage(
  readItems: ReadItems,
  search: ItemSearch,
  from: number,
): Promise<ItemPageAnswer> {
  const { items: total, filters } = search;
  const match = createMatch(filters);
  const isSearching = Object.keys(filters).length > 0;
  const rows: ItemRow[] = [];
  let next = from;
  for (let read = 0; read < maxStatements && next < total && rows.length < pageItems; read += 1) {
    const to = Math.min(total, next + (isSearching ? searchedItems : pageItems));
    const matches = await readRows(readItems, { ...search, from: next, to }, match);
    rows.push(...matches.slice(0, pageItems - rows.length));
    const last = rows.length === pageItems ? rows.at(-1) : undefined;
    next = last ? last.item + 1 : to;
  }
  const isEnd = next >= total;
  return {
    items: rows,
    next: isEnd ? null : next,
    isPartial: !isEnd && rows.length < pageItems,
  };
}

/** Every matching item, page by page. */
export async function* walkItems(readItems: ReadItems, search: ItemSearch) {
  const match = createMatch(search.filters);
  for (let from = 0; from < search.items; from += searchedItems) {
    const to = Math.min(search.items, from + searchedItems);
    yield await readRows(readItems, { ...search, from, to }, match);
  }
}

type Match = {
  /** No filter is about messages. */
  isEveryItem: boolean;
  isRecipient(item: RequestItem): boolean;
  isMessage(entry: ItemEntry): boolean;
};

async function readRows(readItems: ReadItems, range: ItemRange, match: Match): Promise<ItemRow[]> {
  const { appId, requestId, from, to } = range;
  const items = await readItems({ appId, requestId, from, to });
  return items
    .filter(match.isRecipient)
    .map((item) => toItemRow(item, match))
    .filter(({ messages }) => match.isEveryItem || messages.some(({ isMatch }) => isMatch));
}

function toItemRow({ item, recipient, entries }: RequestItem, { isMessage }: Match): ItemRow {
  const channels = sortByChannel([...new Set(entries.map(({ channel }) => channel))]);
  const messages = channels.flatMap((name) => entries.filter(({ channel }) => channel === name));
  return {
    item,
    recipient: describeRecipient(recipient, entries),
    messages: messages.map((entry) => ({ ...entry, isMatch: isMessage(entry) })),
  };
}

function createMatch({ channel, state, reason, recipient }: ItemFilters): Match {
  const starts = recipient === undefined ? [] : listSearchedTexts(recipient);
  const states = listNamedStates(state ?? '');
  return {
    isEveryItem: [channel, state, reason].every((filter) => filter === undefined),
    isRecipient: (item) =>
      starts.length === 0 ||
      listNames(item).some((name) => starts.some((start) => name.startsWith(start))),
    isMessage: (entry) =>
      (channel === undefined || entry.channel === channel) &&
      (state === undefined || states.includes(entry.state)) &&
      (reason === undefined || (entry.reason ?? noReason) === reason),
  };
}

/** A number may be written as in the call or as it is stored. */
function listSearchedTexts(recipient: string): string[] {
  return [recipient, canonicalizeSearchedPhone(recipient)].map((text) => text.toLowerCase());
}

function listNames({ recipient, entries }: RequestItem): string[] {
  const targets = entries.flatMap(({ target }) => target ?? []);
  return [...listRecipientNames(recipient), ...targets].map((name) => name.toLowerCase());
}
