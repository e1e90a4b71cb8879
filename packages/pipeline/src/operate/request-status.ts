import { listStoredKeys } from '@belfry/database';
import type { RequestStatus, StatusEntry } from '@belfry/shared';
import type pg from 'pg';
import { countMessages } from './count-messages.sql';
import { resentBy } from './is-resent.sql';
import { headColumns, headTables } from './read-request';
import { selectEntries, selectRequest } from './request-entries.sql';

/** The position of an entry; the next page starts after it. */
export type StatusPlace = Pick<StatusEntry, 'item' | 'key'>;

export type StatusPage = {
  appId: string;
  requestId: string;
  after: StatusPlace | undefined;
  limit: number;
};

/** Undefined if the app has no such request. */
export async function readRequestStatus(
  pool: pg.Pool,
  page: StatusPage,
): Promise<RequestStatus | undefined> {
  const { appId, requestId } = page;
  const { rows } = await pool.query<Omit<RequestStatus, 'groups' | 'entries'>>(headStatement, [
    requestId,
    appId,
  ]);
  const [head] = rows;
  if (!head) return undefined;
  const [groups, entries] = await Promise.all([
    countMessages(pool, { appId, requestIds: [requestId] }),
    pool.query<StatusEntry>(entryStatement(page)),
  ]);
  return { ...head, groups: groups.get(requestId) ?? [], entries: entries.rows };
}

/**
 * The id of the app's request with this idempotency key, in readable form; the newest, because a key can be used again after
 * a day.
 */
export async function findRequestByKey(
  pool: pg.Pool,
  appId: string,
  idempotencyKey: string,
): Promise<string | undefined> {
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM request WHERE app_id = $1 AND idempotency_key = ANY ($2::text[]) ORDER BY id DESC LIMIT 1',
    [appId, listStoredKeys(idempotencyKey)],
  );
  return rows[0]?.id;
}

const headStatement = `
SELECT ${headColumns}, e.name AS event, ARRAY(SELECT jsonb_object_keys(v.definition -> 'channels')) AS channels
${headTables} WHERE r.id = $1 AND r.app_id = $2`;

/** Reads items in index order, so a page reads only its own items. */
export function entryStatement({ appId, requestId, after, limit }: StatusPage) {
  const { item, key } = after ?? { item: 0, key: '' };
  return { text: pageStatement, values: [requestId, appId, item, key, limit] };
}

const pageStatement = `
WITH r AS MATERIALIZED (${selectRequest})
SELECT p.item, p.key, p.id, p.channel, p.target, p.generation, p.state, p.reason, p.resend_of AS "resendOf",
  CASE WHEN p.id IS NOT NULL THEN (${resentBy('n.id', 'p')}) END AS "resentAs",
  p.metadata, p.created_at AS "createdAt", p.due_at AS "dueAt", p.settled_at AS "settledAt"
FROM (
  SELECT e.*, i.metadata
  FROM request_item i CROSS JOIN r
  CROSS JOIN LATERAL (${selectEntries}
  ) e
  WHERE i.request_id = $1 AND i.item >= $3 AND (i.item > $3 OR e.key COLLATE "C" > $4)
  ORDER BY i.item, e.key COLLATE "C" LIMIT $5
) p`;
