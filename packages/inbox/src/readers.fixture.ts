import { randomUUID } from 'node:crypto';

export type StoredItem = {
  message_id: string;
  message_body: {
    title: string;
    body: string;
    click_action?: string;
    image?: string;
    data: object;
  };
  timestamp: number;
  status: string;
  seen_at: number | null;
  read_at: number | null;
  archived_at: number | null;
};

export type Flags = { seen?: boolean; read?: boolean; archived?: boolean };

type StreamedEvent = { id: string; event: string; data: object };

/** The inbox of one user, as the contract of the routes describes it. */
export type Reader = ReturnType<typeof createReader>;

const maxCount = 1_000;
const firstMs = Date.now() - 3_600_000;

export function createReader() {
  const key = randomUUID().slice(0, 8);
  /** Oldest first. */
  const items: StoredItem[] = [];
  const log = createEventLog(key);
  const publishCounts = () => log.publish('counts', countItems(items));

  function add(body: Partial<StoredItem['message_body']> = {}): StoredItem {
    const item: StoredItem = {
      message_id: randomUUID(),
      message_body: { title: `Item ${items.length + 1}`, body: '', data: {}, ...body },
      timestamp: firstMs + items.length * 1_000,
      status: 'UNREAD',
      seen_at: null,
      read_at: null,
      archived_at: null,
    };
    items.push(item);
    log.publish('item', { ...item });
    publishCounts();
    return item;
  }

  function change(changed: StoredItem[], flags: Flags): void {
    for (const item of changed) {
      apply(item, flags);
      const { message_id, status, seen_at, read_at, archived_at } = item;
      log.publish('state', { message_id, status, seen_at, read_at, archived_at });
    }
    if (changed.length > 0) publishCounts();
  }

  return {
    ...log,
    items,
    add,
    change,
    count: () => countItems(items),
    find: (messageId: string) => items.find(({ message_id }) => message_id === messageId),
    /** A cursor of another reader is unknown. */
    readCursor(cursor: string): number | undefined {
      const [owner, position] = cursor.split(':');
      return owner === key ? Number(position) : undefined;
    },
    writeCursor: (position: number) => `${key}:${position}`,
  };
}

function createEventLog(key: string) {
  const events: StreamedEvent[] = [];
  const listeners = new Set<(event: StreamedEvent) => void>();
  let firstKept = 0;
  return {
    events,
    listeners,
    publish(event: string, data: object): void {
      const entry = { id: `${key}.${events.length + 1}`, event, data };
      events.push(entry);
      for (const listener of [...listeners]) listener(entry);
    },
    getLastEventId: () => `${key}.${events.length}`,
    /** Undefined: the stream has to be reset. */
    listEventsAfter(eventId: string): StreamedEvent[] | undefined {
      const [owner, number] = eventId.split('.');
      const position = Number(number);
      const isKnown = owner === key && position >= firstKept && position <= events.length;
      return isKnown ? events.slice(position) : undefined;
    },
    /** As if 24 hours had passed. */
    forgetEvents() {
      firstKept = events.length;
    },
  };
}

function countItems(items: readonly StoredItem[]) {
  const shown = items.filter(({ archived_at }) => archived_at === null);
  const unseen = shown.filter(({ seen_at }) => seen_at === null).length;
  const unread = shown.filter(({ read_at }) => read_at === null).length;
  return { unseen: Math.min(unseen, maxCount), unread: Math.min(unread, maxCount) };
}

function apply(item: StoredItem, flags: Flags): void {
  const toTime = (flag: boolean | undefined, time: number | null) => {
    if (flag === undefined) return time;
    return flag ? (time ?? Date.now()) : null;
  };
  item.seen_at = toTime(flags.read === true ? true : flags.seen, item.seen_at);
  item.read_at = toTime(flags.read, item.read_at);
  item.archived_at = toTime(flags.archived, item.archived_at);
  item.status = item.read_at === null ? 'UNREAD' : 'READ';
  if (item.archived_at !== null) item.status = 'ARCHIVE';
}
