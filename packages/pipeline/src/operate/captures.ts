import type { Queryable } from '@belfry/database';
import { type Actor, changeWithAudit } from '@belfry/database';
import type pg from 'pg';
import { capturesPerApp } from '../deliver/capture.sql';

/** A row in the sandbox's list. */
export type CaptureSummary = {
  id: string;
  messageId: string;
  channel: string;
  target: string;
  attempt: number;
  outcome: string;
  capturedAt: Date;
  /** The start of the content's text; null if it has none. */
  line: string | null;
  /** This and the following fields are null if the request was removed. */
  requestId: string | null;
  item: number | null;
  event: string | null;
};

export type CaptureListFilter = {
  appId: string;
  channel: string | undefined;
  event: string | undefined;
  /** In lower case; each must occur in the address, the content or the event's name. */
  words: string[];
  /** Only captures older than this id. */
  before: string | undefined;
};

/** A capture with all its fields. */
export type CaptureRow = Omit<CaptureSummary, 'line' | 'requestId' | 'item' | 'event'> & {
  provider: string;
  content: unknown;
  request: unknown;
  /** Notes from composing it, such as SMS segments. */
  notes: Record<string, unknown> | null;
};

/** All captures of one request item. */
export type CaptureGroup = {
  requestId: string | null;
  item: number | null;
  event: { id: string; name: string } | null;
  version: { id: string; number: number; kind: string } | null;
  /** JSON, as stored. */
  data: string | null;
  isSensitive: boolean;
  /** Newest first, including the requested one. */
  captures: CaptureRow[];
};

/** A page; one more is read to see whether there are more. */
export const capturesOfPage = 100;
const capturesOfGroup = 60;
/** Larger content has attachments. It is not searched, and shown without them. */
const largeBytes = 1_000_000;
const lineCharacters = 200;
const removedAtOnce = 5_000;
const maxRemovals = 100;

export type AppCaptures = ReturnType<typeof createAppCaptures>;

/** An app's sandbox captures, for the dashboard. */
export function createAppCaptures(pool: pg.Pool) {
  return {
    async list(filter: CaptureListFilter): Promise<CaptureSummary[]> {
      const { appId, before, channel, event, words } = filter;
      const values = [appId, before, channel, event, words];
      return (await pool.query<CaptureSummary>(listStatement, values)).rows;
    },

    find: (appId: string, id: string) => findGroup(pool, appId, id),

    /** False if there is no such capture. */
    async remove(actor: Actor, { appId, id }: { appId: string; id: string }): Promise<boolean> {
      const entry = { action: 'capture.removed', subject: id };
      const removed = await changeWithAudit(pool, { ...actor, appId }, entry, async (client) => {
        const { rowCount } = await client.query(
          'DELETE FROM capture WHERE id = $1 AND app_id = $2',
          [id, appId],
        );
        return rowCount || undefined;
      });
      return removed !== undefined;
    },

    /** Removes all captures of the app; returns their number. */
    async removeAll(actor: Actor, appId: string): Promise<number> {
      const entry = { action: 'captures.removed', subject: appId };
      const work = async (client: Queryable) => (await removeInChunks(client, appId)) || undefined;
      return (await changeWithAudit(pool, { ...actor, appId }, entry, work)) ?? 0;
    },
  };
}

async function removeInChunks(client: Queryable, appId: string): Promise<number> {
  let removed = 0;
  for (let chunk = 0; chunk < maxRemovals; chunk += 1) {
    const { rowCount } = await client.query(
      'DELETE FROM capture WHERE id IN (SELECT id FROM capture WHERE app_id = $1 LIMIT $2)',
      [appId, removedAtOnce],
    );
    removed += rowCount ?? 0;
    if ((rowCount ?? 0) < removedAtOnce) break;
  }
  return removed;
}

type GroupHead = Omit<CaptureGroup, 'captures' | 'event' | 'version' | 'isSensitive'> & {
  messageId: string;
  eventId: string | null;
  eventName: string | null;
  versionId: string | null;
  versionNumber: number | null;
  versionKind: string | null;
  isSensitive: boolean | null;
};

async function findGroup(
  pool: pg.Pool,
  appId: string,
  id: string,
): Promise<CaptureGroup | undefined> {
  const { rows } = await pool.query<GroupHead>(headStatement, [id, appId]);
  const [head] = rows;
  if (!head) return undefined;
  const { requestId, item, data, eventId, eventName, versionId } = head;
  const place = [appId, requestId, item, head.messageId];
  const captures = (await pool.query<CaptureRow>(groupStatement, place)).rows;
  return {
    requestId,
    item,
    data,
    event: eventId ? { id: eventId, name: eventName ?? '' } : null,
    version: versionId
      ? { id: versionId, number: head.versionNumber ?? 0, kind: head.versionKind ?? 'live' }
      : null,
    isSensitive: head.isSensitive ?? false,
    captures,
  };
}

/** The first text of a channel's content, by the field names that channels share. */
const firstWords = ['subject', 'title', 'text', 'preview', 'body']
  .map((name) => `nullif(n.content ->> '${name}', '')`)
  .join(', ');

const listStatement = `
SELECT f.id, f.message_id AS "messageId", f.channel, f.target, f.attempt, f.outcome, f.created_at AS "capturedAt",
  f."requestId", f.item, f.event, left(f.line, ${lineCharacters}) AS line
FROM (
  SELECT n.*, m.request_id AS "requestId", m.item, e.name AS event,
    CASE WHEN pg_column_size(n.content) > ${largeBytes} THEN NULL
      WHEN jsonb_typeof(n.content) = 'string' THEN n.content #>> '{}'
      ELSE coalesce(${firstWords}) END AS line
  FROM (
    SELECT * FROM capture WHERE app_id = $1::uuid AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC
    LIMIT ${capturesPerApp}
  ) n
  LEFT JOIN message m ON m.id = n.message_id
  LEFT JOIN request r ON r.id = m.request_id
  LEFT JOIN event e ON e.id = r.event_id
  WHERE ($3::text IS NULL OR n.channel = $3)
    AND ($4::text IS NULL OR e.name = $4)
    AND NOT EXISTS (
      SELECT FROM unnest($5::text[]) w (word)
      WHERE position(w.word IN lower(concat_ws(' ', n.target, e.name))) = 0
        AND (pg_column_size(n.content) > ${largeBytes} OR position(w.word IN lower(n.content::text)) = 0))
  ORDER BY n.id DESC LIMIT ${capturesOfPage + 1}
) f ORDER BY f.id DESC`;

const headStatement = `
SELECT c.message_id AS "messageId", m.request_id AS "requestId", m.item, i.data, e.id AS "eventId", e.name AS "eventName",
  v.id AS "versionId", v.number AS "versionNumber", v.kind AS "versionKind",
  (v.definition ->> 'isSensitive')::bool AS "isSensitive"
FROM capture c
LEFT JOIN message m ON m.id = c.message_id
LEFT JOIN request r ON r.id = m.request_id
LEFT JOIN event e ON e.id = r.event_id
LEFT JOIN event_version v ON v.id = r.version_id
LEFT JOIN request_item i ON i.request_id = m.request_id AND i.item = m.item
WHERE c.id = $1 AND c.app_id = $2`;

const groupStatement = `
SELECT c.id, c.message_id AS "messageId", c.channel, c.target, c.attempt, c.outcome, c.created_at AS "capturedAt", c.provider,
  CASE WHEN pg_column_size(c.content) > ${largeBytes} THEN c.content - 'attachments' ELSE c.content END AS content,
  c.request, m.notes
FROM capture c LEFT JOIN message m ON m.id = c.message_id
WHERE c.app_id = $1::uuid AND (c.message_id = $4::uuid OR c.message_id IN (
  SELECT s.id FROM message s WHERE s.request_id = $2::uuid AND s.item = $3::int))
ORDER BY c.id DESC LIMIT ${capturesOfGroup}`;
