import { queueReasonNames } from '@belfry/shared';
import { type ObjectOptions, type Static, type StringOptions, Type } from '@sinclair/typebox';
import type { RouteSpec } from './route-spec';
import { createChoice, nullable, time } from './schemas';

/** Why a message waits: a key of `queueReasons`. */
export const waitsFilter = Type.Optional(
  Type.Unsafe<string>(
    Type.Union(
      queueReasonNames.map((name) => Type.Literal(name)),
      { 'x-problem': `must be one of ${queueReasonNames.join(', ')}` },
    ),
  ),
);

/** The filters of the log, all optional, as texts with these limits. A request matches if all of them do. */
export function createLogFilters(limits: StringOptions = {}, options: ObjectOptions = {}) {
  const text = Type.Optional(Type.String(limits));
  return Type.Object(
    {
      /** Acceptance time in Unix milliseconds: `from` is inclusive, `to` is exclusive. */
      from: text,
      to: text,
      /** Event name. */
      event: text,
      /** Combined with a state: a message on that channel in that state. */
      channel: text,
      /** A state, or `waiting`: queued or sending. */
      state: text,
      /** Messages that wait for this reason now. */
      waits: waitsFilter,
      /**
       * Why a message failed or was skipped; `no_reason` if it has none. Combined with a channel or state: a message with
       * all of them.
       */
      reason: text,
      /** Provider of an attempt, or the one that the sandbox stands in for. */
      provider: text,
      /** Name of the integration that a message has now. */
      integration: text,
      /** An address, also of a skipped channel, or a user_id. All filters of messages apply to one message. */
      recipient: text,
      requestId: text,
      idempotencyKey: text,
      /** `key:value` of an item. In a bulk, the filters of messages apply to the items that have it. */
      metadata: text,
    },
    options,
  );
}

/** Query of the log, of its live stream and of the count of a resend. The URL of the page has the same parameters. */
export const logFilters = createLogFilters();
export type LogFilters = Static<typeof logFilters>;

/** All counts add up to `total`; those of `skippedByReason` add up to `skipped`. */
export const stateCounts = Type.Object({
  total: Type.Integer(),
  waiting: Type.Integer(),
  sent: Type.Integer(),
  delivered: Type.Integer(),
  read: Type.Integer(),
  failed: Type.Integer(),
  unknown: Type.Integer(),
  skipped: Type.Integer(),
  skippedByReason: Type.Record(Type.String(), Type.Integer()),
});

/** Why the queued message waits now. */
export const wait = Type.Object({
  reason: createChoice(queueReasonNames),
  /** Provider calls made, and the number that the version allows. */
  attempts: Type.Integer(),
  maxAttempts: Type.Integer(),
  /** When it is sent next, or was due. */
  dueAt: nullable(time),
});
export type Wait = Static<typeof wait>;

/** The best state of the channel's messages and the count of each state. */
const channelSummary = Type.Object({
  state: Type.String(),
  /** Reason of a skip or failure. */
  reason: Type.Optional(Type.String()),
  /** The queued message that is sent next, one that is retrying first. Only for a request with one item. */
  wait: Type.Optional(wait),
  /** Counts over all items; messages that were resent are not counted. */
  counts: stateCounts,
});
export type ChannelSummary = Static<typeof channelSummary>;

/** By channel; contains only channels of the version. */
export const channelSummaries = Type.Record(Type.String(), channelSummary);

export const requestKind = createChoice(['single', 'bulk', 'test', 'resend']);

const logRow = Type.Object({
  requestId: Type.String(),
  acceptedAt: time,
  event: Type.String(),
  kind: requestKind,
  items: Type.Integer(),
  plannedItems: Type.Integer(),
  /** Address or user_id of item 0 as sent in the call; null if it named none. */
  recipient: nullable(Type.String()),
  channels: channelSummaries,
  isSandbox: Type.Boolean(),
});
export type LogRow = Static<typeof logRow>;

/** Newest first, 50 per page. There is no total because it would need a count. */
const logPage = Type.Object({
  rows: Type.Array(logRow),
  next: nullable(Type.String()),
  /** Set if the search reached its limit before the page was full: it goes back to this time, and `next` continues it. */
  searchedFrom: nullable(time),
  /**
   * With a recipient, limited: addresses of channels skipped at planning were only searched in requests since this
   * time. Null if all were searched. A time filter moves the search.
   */
  skipsSearchedFrom: nullable(time),
  /** How far a replica that was read is behind; 0 below 2 s, and from the primary. */
  lagSeconds: Type.Integer(),
});
export type LogAnswer = Static<typeof logPage>;

/** Events of the live log. Each is sent as its type and, as JSON, its other members. */
export type LiveEvent =
  | { type: 'rows'; rows: LogRow[] }
  | { type: 'changed'; rows: LogRow[] }
  | { type: 'lag'; lagSeconds: number }
  | { type: 'trouble'; error: string }
  | { type: 'ended' };

export const logRoutes = {
  'GET /api/apps/:appId/log': {
    access: 'viewer',
    query: Type.Object({
      ...logFilters.properties,
      /** `next` of the previous page. */
      cursor: Type.Optional(Type.String()),
    }),
    answer: logPage,
  },
  /**
   * text/event-stream. Events: `rows` {rows: LogRow[]} new requests, oldest first; `changed` {rows: LogRow[]} rows that
   * were sent before and have changed; `lag` {lagSeconds} when it changes; `trouble` {error} while PostgreSQL is unavailable; `ended` {} when the session
   * ended. A comment every 15 s.
   */
  'GET /api/apps/:appId/log/live': { access: 'viewer', query: logFilters },
} as const satisfies Record<string, RouteSpec>;
