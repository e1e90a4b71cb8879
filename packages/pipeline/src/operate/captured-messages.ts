import { getSqlState } from '@belfry/database';
import type { CapturedMessage } from '@belfry/shared';
import type pg from 'pg';
import { capturesPerApp } from '../deliver/capture.sql';

/** Filters for the sandbox's captures; an absent filter matches everything. */
export type CaptureFilter = {
  appId: string;
  channel: string | undefined;
  /** Spellings of one address, in lower case; any of them matches. */
  targets: string[] | undefined;
  requestId: string | undefined;
  /** `next` of an earlier response. */
  after: string | undefined;
};

/** Newest first. `next` identifies everything that was visible when this page was read. */
export type CapturePage = { captures: CapturedMessage[]; next: string };

const maxCaptures = 100;
/** Maximum stored size of one response. Older captures beyond it are left out; the newest is always included. */
const maxAnswerBytes = 4_000_000;

/** The format of PostgreSQL's snapshots. */
const snapshot = /^\d{1,19}:\d{1,19}:(\d{1,19}(,\d{1,19}){0,999})?$/;
const unreadable = '22P02';

/** Finds matching captures; undefined if `after` is not the `next` of a response. */
export async function findCaptures(
  pool: pg.Pool,
  { appId, channel, targets, requestId, after }: CaptureFilter,
): Promise<CapturePage | undefined> {
  if (after !== undefined && !snapshot.test(after)) return undefined;
  const limits = [capturesPerApp, maxCaptures, maxAnswerBytes];
  const values = [appId, channel, targets, requestId, after, ...limits];
  try {
    const { rows } = await pool.query<Row>({ name: 'find-captures', text: statement, values });
    return { next: rows[0]?.next ?? '', captures: rows.flatMap(toCaptures) };
  } catch (error) {
    if (getSqlState(error) === unreadable) return undefined;
    throw error;
  }
}

type Row = { next: string } & (
  | { id: null }
  | (Omit<CapturedMessage, 'requestId' | 'event' | 'data' | 'capturedAtMs'> & {
      requestId: string | null;
      event: string | null;
      data: string | null;
      isSensitive: boolean | null;
      capturedAt: Date;
    })
);

function toCaptures(row: Row): CapturedMessage[] {
  if (row.id === null) return [];
  const { next: _, requestId, event, data, isSensitive, capturedAt, ...same } = row;
  return [
    {
      ...same,
      requestId: requestId ?? undefined,
      event: event ?? undefined,
      data: data === null || isSensitive ? undefined : JSON.parse(data),
      capturedAtMs: capturedAt.getTime(),
    },
  ];
}

/**
 * New rows are those that the reader's snapshot could not see. Ids and times do not work: several processes make them before
 * they commit, so a later row may become visible first. A row's xmin is the lower half of its transaction id. The upper half
 * follows from it, because no capture is 2 billion transactions old.
 */
const statement = `
WITH ahead AS (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS xid),
found AS (
  SELECT n.*, sum(pg_column_size(n.content) + pg_column_size(n.request)) OVER newer AS newer_bytes FROM (
    SELECT c.*, c.xmin::text::bigint AS xid FROM capture c WHERE c.app_id = $1::uuid ORDER BY c.id DESC LIMIT $6::int
  ) n, ahead
  WHERE ($2::text IS NULL OR n.channel = $2)
    AND ($3::text[] IS NULL OR lower(n.target) = ANY ($3) OR string_to_array(lower(n.target), ' ') && $3)
    AND ($4::uuid IS NULL OR n.message_id IN (SELECT m.id FROM message m WHERE m.request_id = $4))
    AND ($5::text IS NULL OR NOT pg_visible_in_snapshot(
      (ahead.xid - ((ahead.xid - n.xid) & 4294967295))::text::xid8, $5::pg_snapshot))
  WINDOW newer AS (ORDER BY n.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
  ORDER BY n.id DESC LIMIT $7::int
)
SELECT pg_current_snapshot()::text AS next, f.id, f.message_id AS "messageId", f.channel, f.target, f.attempt, f.outcome,
  f.content, f.provider, f.request, f.created_at AS "capturedAt", m.request_id AS "requestId", e.name AS event, i.data,
  (v.definition ->> 'isSensitive')::bool AS "isSensitive"
FROM ahead
LEFT JOIN found f ON coalesce(f.newer_bytes, 0) < $8::int
LEFT JOIN message m ON m.id = f.message_id
LEFT JOIN request r ON r.id = m.request_id
LEFT JOIN event e ON e.id = r.event_id
LEFT JOIN event_version v ON v.id = r.version_id
LEFT JOIN request_item i ON i.request_id = m.request_id AND i.item = m.item
ORDER BY f.id DESC`;
