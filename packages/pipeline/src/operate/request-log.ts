import { type Queryable, toReadableKey } from '@belfry/database';
import type { QueueReason, StateGroup } from '@belfry/shared';
import { countMessages, countStatements } from './count-messages.sql';
import { countPlanned } from './is-planned.sql';
import type { LogFilter } from './log-conditions.sql';
import {
  type LogStatement,
  logStatement,
  matchStatement,
  needsSkipSearch,
  requestsWalked,
  skipStatement,
  skipsWalked,
} from './request-log.sql';
import { waitReason } from './wait-reason.sql';

/** A request as a row of the log, with the fields that live filters use. */
export type LogEntry = {
  requestId: string;
  acceptedAt: Date;
  event: string;
  eventId: string;
  kind: string;
  items: number;
  plannedItems: number;
  idempotencyKey: string | null;
  isSandbox: boolean;
  channels: string[];
  /** Provider calls that the version allows, by channel. */
  maxAttempts: Record<string, number>;
  /** JSON of item 0's `user`, as stored. */
  recipient: string | null;
  skips: Record<string, { reason: string }>;
  /** Counts over all items. */
  groups: StateGroup[];
  /** Limited in number; empty for a request with several items. */
  messages: LogMessage[];
};

export type LogMessage = {
  channel: string;
  target: string;
  state: string;
  reason: string | null;
  integrationId: string | null;
  /** Why it waits now; null unless it is queued. */
  waits: QueueReason | null;
  attempts: number;
  dueAt: Date | null;
};

export type LogPage = {
  ids: string[];
  /** The start of the next page; undefined at the end. */
  next: string | undefined;
  /** The search stopped before the page was full; there may be more matches. */
  isPartial: boolean;
  /** Set if recipients of skipped channels were searched only in requests since this one. */
  skipsSearchedFrom: string | undefined;
};

const pageSize = 50;
/** A page searches this many requests; then the reader decides whether to search further back. */
const maxWalked = 2_000;
/** Each statement of a search scans this many times as many requests as the one before: planning one takes milliseconds. */
const walkGrowth = 4;
/** A bulk has many items, so the search for skipped recipients may end earlier. */
const maxSkipSearchMs = 20;
const messagesPerSingle = 200;
const newestListed = 500;

/** An app's log: keyset pagination, newest first, without a total. */
export function createRequestLog(pool: Queryable, allStates: readonly string[]) {
  return {
    /** An aborted search reads no further statement: nobody waits for the rest of its page. */
    async readPage(
      filter: LogFilter,
      { isSkipSearched = true, signal }: { isSkipSearched?: boolean; signal?: AbortSignal } = {},
    ): Promise<LogPage> {
      const page = await readMatches({ pool, allStates, signal }, filter);
      if (!isSkipSearched || !needsSkipSearch(filter) || signal?.aborted) return page;
      return addSkips(page, await searchSkips(pool, getSearchedRange(filter, page), signal));
    },

    /** Which of these requests match the filter. */
    async listMatching(filter: LogFilter, ids: readonly string[]): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(matchStatement(filter, ids));
      return rows.map(({ id }) => id);
    },

    /** Reads the log rows of these requests, newest first. */
    readEntries: (appId: string, ids: string[]) => readEntries(pool, appId, ids),

    /** Lists requests of these apps, each since its own `from`, oldest first; only the newest 500 of each app. */
    async listSince(appIds: string[], from: string[]): Promise<{ id: string; appId: string }[]> {
      const { rows } = await pool.query<{ id: string; appId: string }>(
        `SELECT r.id, r.app_id AS "appId" FROM unnest($1::uuid[], $2::uuid[]) a (id, since)
         CROSS JOIN LATERAL (
           SELECT q.id, q.app_id FROM request q WHERE q.app_id = a.id AND q.id >= a.since
           ORDER BY q.id DESC LIMIT ${newestListed}) r`,
        [appIds, from],
      );
      return rows.reverse();
    },
  };
}

type LogReader = { pool: Queryable; allStates: readonly string[]; signal: AbortSignal | undefined };

async function readMatches(reader: LogReader, filter: LogFilter): Promise<LogPage> {
  const page: LogPage = {
    ids: [],
    next: filter.before,
    isPartial: false,
    skipsSearchedFrom: undefined,
  };
  for (const requests of listWalks(requestsWalked(filter))) {
    if (reader.signal?.aborted) break;
    const before = page.next;
    const rest = before ? { ...filter, before } : filter;
    const statement = logStatement(rest, reader.allStates, requests);
    const { rows } = await reader.pool.query<WalkedRequest>(statement);
    if (takeMatches(page, rows)) return page;
    if (rows.length < requests) return { ...page, next: undefined };
  }
  return { ...page, isPartial: true };
}

/** The numbers of requests that the statements of one search scan. */
function listWalks(first: number): number[] {
  const walks: number[] = [];
  let left = maxWalked;
  for (let requests = first; left > 0; requests *= walkGrowth) {
    walks.push(Math.min(requests, left));
    left -= requests;
  }
  return walks;
}

/** `searchedFrom` is undefined if the whole range was searched. */
type SkipSearch = { ids: string[]; searchedFrom: string | undefined };

async function searchSkips(
  pool: Queryable,
  filter: LogFilter,
  signal: AbortSignal | undefined,
): Promise<SkipSearch> {
  const ids: string[] = [];
  const endsAt = performance.now() + maxSkipSearchMs;
  const isOver = () =>
    ids.length >= pageSize || performance.now() > endsAt || signal?.aborted === true;
  let { before } = filter;
  for (const requests of listWalks(skipsWalked)) {
    const statement = skipStatement(before ? { ...filter, before } : filter, requests);
    const { rows } = await pool.query<WalkedRequest>(statement);
    ids.push(...rows.filter(({ isMatch }) => isMatch).map(({ id }) => id));
    const last = rows[requests - 1];
    if (!last) return { ids, searchedFrom: undefined };
    before = last.id;
    if (isOver()) break;
  }
  return { ids, searchedFrom: before };
}

/** The requests that the page covers. */
function getSearchedRange(filter: LogFilter, { next = '' }: LogPage): LogFilter {
  const from = [filter.from ?? '', next].sort().at(-1);
  return from ? { ...filter, from } : filter;
}

function addSkips(page: LogPage, { ids, searchedFrom }: SkipSearch): LogPage {
  const all = [...new Set([...page.ids, ...ids])].sort().reverse();
  const isCut = all.length > pageSize;
  const merged = all.slice(0, pageSize);
  const next = isCut ? merged.at(-1) : page.next;
  // The next page continues the search after the last row.
  const isLimited = searchedFrom !== undefined && (next === undefined || searchedFrom > next);
  return { ...page, ids: merged, next, skipsSearchedFrom: isLimited ? searchedFrom : undefined };
}

type WalkedRequest = { id: string; isMatch: boolean };

/** Adds matches to the page. True if it is full; `next` then leads to the first match that did not fit. */
function takeMatches(page: LogPage, walked: readonly WalkedRequest[]): boolean {
  for (const { id, isMatch } of walked) {
    if (isMatch && page.ids.length === pageSize) return true;
    if (isMatch) page.ids.push(id);
    page.next = id;
  }
  return false;
}

export type RequestLog = ReturnType<typeof createRequestLog>;

type HeadRow = Omit<LogEntry, 'messages' | 'groups' | 'skips' | 'maxAttempts'> & {
  skips: LogEntry['skips'] | null;
  maxAttempts: LogEntry['maxAttempts'] | null;
};

async function readEntries(pool: Queryable, appId: string, ids: string[]): Promise<LogEntry[]> {
  if (ids.length === 0) return [];
  const { rows } = await pool.query<HeadRow>(buildHeadStatement(appId, ids));
  const singleIds = rows.filter(({ items }) => items === 1).map(({ requestId }) => requestId);
  const [groups, messages] = await Promise.all([
    countMessages(pool, { appId, requestIds: ids }),
    readMessages(pool, singleIds),
  ]);
  const byRequest = new Map<string, LogMessage[]>(ids.map((id) => [id, []]));
  for (const { requestId, ...message } of messages) byRequest.get(requestId)?.push(message);
  return rows
    .sort((a, b) => (a.requestId < b.requestId ? 1 : -1))
    .map(({ skips, maxAttempts, idempotencyKey, ...head }) => ({
      ...head,
      maxAttempts: maxAttempts ?? {},
      idempotencyKey: idempotencyKey && toReadableKey(idempotencyKey),
      skips: skips ?? {},
      groups: groups.get(head.requestId) ?? [],
      messages: byRequest.get(head.requestId) ?? [],
    }));
}

/** The statements of one page in which each request has one item. */
export function entryStatements(appId: string, ids: string[]): LogStatement[] {
  return [
    buildHeadStatement(appId, ids),
    buildMessageStatement(ids),
    ...countStatements({ appId, requestIds: ids }),
  ];
}

function buildHeadStatement(appId: string, ids: string[]): LogStatement {
  return { text: headStatement, values: [ids, appId] };
}

function buildMessageStatement(ids: string[]): LogStatement {
  return { text: messageStatement, values: [ids, messagesPerSingle] };
}

const headStatement = `
SELECT r.id AS "requestId", r.created_at AS "acceptedAt", coalesce(e.name, '') AS event, r.event_id AS "eventId", r.kind, r.items,
  ${countPlanned('r')} AS "plannedItems", r.idempotency_key AS "idempotencyKey", i.recipient, i.skips,
  ARRAY(SELECT jsonb_object_keys(v.definition -> 'channels')) AS channels,
  (SELECT jsonb_object_agg(c.key, c.value #> '{policy,attempts}') FROM jsonb_each(v.definition -> 'channels') c) AS "maxAttempts",
  coalesce(v.definition ->> 'delivery', a.delivery) = 'sandbox' AS "isSandbox"
FROM unnest($1::uuid[]) w (id)
JOIN request r ON r.id = w.id AND r.app_id = $2
JOIN app a ON a.id = r.app_id
LEFT JOIN event_version v ON v.id = r.version_id
LEFT JOIN request_item i ON i.request_id = r.id AND i.item = 0
LEFT JOIN event e ON e.id = r.event_id`;

async function readMessages(
  pool: Queryable,
  ids: string[],
): Promise<(LogMessage & { requestId: string })[]> {
  if (ids.length === 0) return [];
  const statement = buildMessageStatement(ids);
  return (await pool.query<LogMessage & { requestId: string }>(statement)).rows;
}

const messageStatement = `
SELECT m.* FROM unnest($1::uuid[]) w (id) CROSS JOIN LATERAL (
  SELECT o.request_id AS "requestId", o.channel, o.target, o.state, o.reason, o.integration_id AS "integrationId",
    ${waitReason('o')} AS waits, o.attempts, o.due_at AS "dueAt"
  FROM message o WHERE o.request_id = w.id LIMIT $2::int) m`;
