import { type Static, Type } from '@sinclair/typebox';
import type { RouteSpec } from './route-spec';
import { nullable, time } from './schemas';

const text = Type.String();

/** Filters of the items of one request, all optional. An item matches if one of its messages has all of them. */
const itemFilters = Type.Object({
  channel: Type.Optional(text),
  /** A state, or `waiting`: queued or sending. */
  state: Type.Optional(text),
  /** Why it failed or was skipped; `no_reason` if it has none. */
  reason: Type.Optional(text),
  /** The start of an address or user_id, in any case. */
  recipient: Type.Optional(text),
});
export type ItemFilters = Static<typeof itemFilters>;

/** A message, or a channel without one: skipped, or `queued` until the item is planned. Each counts as one. */
const itemMessage = Type.Object({
  messageId: nullable(text),
  channel: text,
  /** The address; null without a message. */
  target: nullable(text),
  generation: Type.Integer(),
  state: text,
  reason: nullable(text),
  settledAt: nullable(time),
  /** It has the channel, state and reason of the filters. */
  isMatch: Type.Boolean(),
});

const itemRow = Type.Object({
  item: Type.Integer(),
  /** Address or user_id as sent in the call; null if it named none. */
  recipient: nullable(text),
  /** Without messages that were resent, in channel order. */
  messages: Type.Array(itemMessage),
});
export type ItemRow = Static<typeof itemRow>;

/** Up to 100 items, in their order. */
const itemPage = Type.Object({
  items: Type.Array(itemRow),
  next: nullable(Type.Integer()),
  /** The search limit of 2,000 items was reached before the page was full; `next` continues it. */
  isPartial: Type.Boolean(),
});
export type ItemPageAnswer = Static<typeof itemPage>;

/** More than the largest MAX_BATCH_ITEMS. */
const maxItem = 1_000_000;

export const requestItemRoutes = {
  'GET /api/apps/:appId/requests/:requestId/items': {
    access: 'viewer',
    query: Type.Object({
      ...itemFilters.properties,
      /** `next` of the previous page. */
      cursor: Type.Optional(Type.Integer({ minimum: 0, maximum: maxItem })),
    }),
    answer: itemPage,
  },
  /**
   * text/csv with one row per matching message, for every item. Columns: item (from 1, as on the page), recipient, channel,
   * address, state, reason, generation, message_id, settled_at. A value that a spreadsheet would run as a formula starts
   * with an apostrophe; plain numbers, such as phone numbers, do not. An export that is cut off, after 60 s at the latest, ends
   * the connection. 503 `unavailable` while another export of the operator, or four exports, are running.
   */
  'GET /api/apps/:appId/requests/:requestId/items.csv': { access: 'viewer', query: itemFilters },
} as const satisfies Record<string, RouteSpec>;
