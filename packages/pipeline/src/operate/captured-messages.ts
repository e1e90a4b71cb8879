import { getSqlState } from '@belfry/database';
import type { CapturedMessage } from '@belfry/shared';
import type pg from 'pg';

/** What a caller asks the sandbox for; what is absent lets everything pass. */
export type CaptureFilter = {
  appId: string;
  channel: string | undefined;
  /** Spellings of one address, in lower case; any of them will do. */
  targets: string[] | undefined;
  requestId: string | undefined;
  /** `next` of an earlier answer. */
  after: string | undefined;
};

/** Newest first. `next` stands for all that could be seen when they were read. */
export type CapturePage = { captures: CapturedMessage[]; next: string };

/** An app keeps so many; while more of them wait to be removed, the newest are looked at. */
const capturesLookedAt = 500;
const maxCaptures = 100;
/** As they are stored: what is older than so much is left out of an answer; the newest is always in it. */
const maxAnswerBytes = 4_000_000;

/** PostgreSQL's own form of a snapshot, as far as its form can be judged here. */
const snapshot = /^\d{1,19}:\d{1,19}:(\d{1,19}(,\d{1,19}){0,999})?$/;
const unreadable = '22P02';

/** What was captured and matches; undefined where `after` is no `next` of an answer. */
export async function findCaptures(
  pool: pg.Pool,
  { appId, channel, targets, requestId, after }: CaptureFilter,
): Promise<CapturePage | undefined> {
  if (after !== undefined && !snapshot.test(after)) return undefined;
  const limits = [capturesLookedAt, maxCaptures, maxAnswerBytes];
  const values = [appId, channel, targets, requestId, after, ...limits];
  try {
    const { rows } = await pool.query<Row>({ name: 'find-captures', text: statement, values });
    return { next: rows[0]?.next ?? '', captures: rows.flatMap(toCaptures) };
  } catch (error) {
    if (after !== undefined && getSqlState(error) === unreadable) return undefined;
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
 * Rows are told apart by what the reader's snapshot could see, not by their ids or times: those are made before the
 * row is committed, by several processes, so that a later one may come to light first. A row's xmin has the lower half
 * of its transaction's number; the upper half follows, as no capture is two thousand million transactions old.
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
