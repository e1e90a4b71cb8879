import type { StateCounts } from '@belfry/shared';

/** Query of GET api/apps/:appId/log and of the page URL. All parameters are optional. */
export type LogFilters = {
  /** Acceptance time in Unix milliseconds: `from` is inclusive, `to` is exclusive. */
  from?: string;
  to?: string;
  /** Event name. */
  event?: string;
  /** Combined with a state: a message on that channel in that state. */
  channel?: string;
  state?: string;
  provider?: string;
  /** A stored address or a user_id. */
  recipient?: string;
  requestId?: string;
  idempotencyKey?: string;
};

export type LogQuery = LogFilters & {
  /** `next` of the previous page. */
  cursor?: string;
};

/** Newest first, 50 per page. There is no total because it would need a count. */
export type LogAnswer = {
  rows: LogRow[];
  next: string | null;
  /** The search limit was reached before the page was full; `next` continues it. */
  isPartial: boolean;
};

export type LogRow = {
  requestId: string;
  acceptedAt: number;
  event: string;
  kind: 'single' | 'bulk' | 'test' | 'resend';
  items: number;
  plannedItems: number;
  /** Address or user_id of item 0 as sent in the call; null if it named none. */
  recipient: string | null;
  /** By channel; contains only channels of the version. */
  channels: Record<string, ChannelSummary>;
  isSandbox: boolean;
  isSensitive: boolean;
};

/** The best state of the channel's messages and the count of each state. */
export type ChannelSummary = {
  state: string;
  /** Reason of a skip or failure. */
  reason?: string;
  /** Counts over all items; messages that were resent are not counted. */
  counts: StateCounts;
};

/**
 * GET api/apps/:appId/log/live?<filters>: text/event-stream. Events:
 * `rows` {rows: LogRow[]} new requests, oldest first; `changed` {rows: LogRow[]} rows sent before that changed;
 * `trouble` {error} while PostgreSQL is unavailable; `ended` {} when the session ended. A comment every 15 s.
 */
export type LiveEvent =
  | { type: 'rows'; rows: LogRow[] }
  | { type: 'changed'; rows: LogRow[] }
  | { type: 'trouble'; error: string }
  | { type: 'ended' };
