import {
  type InboxCounts,
  type InboxItem,
  inboxItemToWire,
  inboxStatesToWire,
} from '@belfry/shared';

// Server-sent events, as in https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream

/** A comment, which shows proxies and clients that the stream is alive. */
export const heartbeatBytes = Buffer.from(':\n\n');

/** The client loads its page again. The `counts` after it have the ID to continue from. */
export const resetText = 'event: reset\ndata: {}\n\n';

const shortestRetryMs = 1_000;
const leastSpreadMs = 2_000;
const longestSpreadMs = 30_000;
/** About the time that a gateway needs to open a stream. */
const spreadMsPerStream = 1;

/**
 * How long a client waits before it reconnects: `random` spreads clients that lose their streams together. `streams` is
 * the number of those clients, if it is known.
 */
export function formatRetry(random: number, streams = 0): string {
  const spreadMs = Math.min(Math.max(streams * spreadMsPerStream, leastSpreadMs), longestSpreadMs);
  return `retry: ${shortestRetryMs + Math.round(random * spreadMs)}\n\n`;
}

export function formatItem(id: string, item: InboxItem): string {
  return formatEvent('item', id, inboxItemToWire(item));
}

export function formatState(id: string, item: InboxItem): string {
  return formatEvent('state', id, inboxStatesToWire(item));
}

export function formatCounts(id: string, { unseen, unread }: InboxCounts): string {
  return formatEvent('counts', id, { unseen, unread });
}

/** JSON has no line breaks, so the data is one line. */
function formatEvent(name: string, id: string, data: object): string {
  return `event: ${name}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}
