import type { StateCounts } from '@belfry/shared';

/** Of GET api/apps/:appId/log, and of its address in the page. Every one is optional. */
export type LogFilters = {
  /** Unix milliseconds: from (inclusive) and to (exclusive), by when the request was accepted. */
  from?: string;
  to?: string;
  /** Its name. */
  event?: string;
  /** With a state: a message on that channel in that state. */
  channel?: string;
  state?: string;
  provider?: string;
  /** An address as it was stored, or a user_id. */
  recipient?: string;
  requestId?: string;
  idempotencyKey?: string;
};

export type LogQuery = LogFilters & {
  /** `next` of the page before. */
  cursor?: string;
};

/** Newest first, 50 a page. No total: that would need a count. */
export type LogAnswer = {
  rows: LogRow[];
  next: string | null;
  /** It looked far back and the page is not full: `next` looks further. */
  isPartial: boolean;
};

export type LogRow = {
  requestId: string;
  acceptedAt: number;
  event: string;
  kind: 'single' | 'bulk' | 'test' | 'resend';
  items: number;
  plannedItems: number;
  /** Whom it was for, as given: an address or user_id of item 0; null for nobody. */
  recipient: string | null;
  /** By channel; what is not there is no channel of the version. */
  peal: Record<string, ChannelSummary>;
  isSandbox: boolean;
  isSensitive: boolean;
};

/** The best state of the channel's messages, and how many are in each. */
export type ChannelSummary = {
  state: string;
  /** Of a skip or failure. */
  reason?: string;
  /** Counts over all items; a message that was resent does not count. */
  counts: StateCounts;
};

/**
 * GET api/apps/:appId/log/live?<filters>: text/event-stream. Events:
 * `rows` {rows: LogRow[]} new requests, oldest first; `changed` {rows: LogRow[]} rows that were sent before and changed;
 * `trouble` {error} while PostgreSQL does not answer; `ended` {} when the session ended: sign in. A comment every 15 s.
 */
export type LiveEvent =
  | { type: 'rows'; rows: LogRow[] }
  | { type: 'changed'; rows: LogRow[] }
  | { type: 'trouble'; error: string }
  | { type: 'ended' };
