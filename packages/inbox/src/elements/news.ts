import type { Inbox, InboxItem } from '../types';

/** The items that the components have seen, for each inbox: one of them announces an item. */
const knownIds = new WeakMap<Inbox, ReadonlySet<string>>();

/** Items that arrived since the last call for this inbox. */
export function takeNews(inbox: Inbox): InboxItem[] {
  const { items, status } = inbox.getSnapshot();
  if (status !== 'ready') return [];
  const earlierIds = knownIds.get(inbox);
  knownIds.set(inbox, new Set(items.map(({ message_id }) => message_id)));
  if (!earlierIds) return [];
  const firstEarlier = items.findIndex(({ message_id }) => earlierIds.has(message_id));
  const newest = firstEarlier < 0 ? items : items.slice(0, firstEarlier);
  return newest.filter(({ seen_at }) => seen_at === null);
}
