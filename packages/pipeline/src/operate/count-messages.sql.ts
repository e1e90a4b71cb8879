import type { Queryable } from '@belfry/database';
import type { StateGroup } from '@belfry/shared';
import { isPlanned } from './is-planned.sql';

export type CountMessages = {
  appId: string;
  requestIds: readonly string[];
  /** Counts this item only. */
  item?: number;
};

/** Requests per statement: with a message on each of four channels it reads fewer than 500 buffers. */
const requestsCounted = 25;

/** Counts the messages of the app's requests by channel, state and reason. A request that does not exist has no entry. */
export async function countMessages(
  database: Queryable,
  count: CountMessages,
): Promise<Map<string, StateGroup[]>> {
  const read = await Promise.all(
    countStatements(count).map((statement) => database.query<GroupRow>(statement)),
  );
  const groups = new Map<string, StateGroup[]>();
  for (const { requestId, ...group } of read.flatMap(({ rows }) => rows)) {
    const requestGroups = groups.get(requestId);
    if (requestGroups) requestGroups.push(group);
    else groups.set(requestId, [group]);
  }
  return groups;
}

type GroupRow = StateGroup & { requestId: string };

export function countStatements({ appId, requestIds, item }: CountMessages) {
  const chunks = Math.ceil(requestIds.length / requestsCounted);
  return Array.from({ length: chunks }, (_, chunk) => {
    const ids = requestIds.slice(chunk * requestsCounted, (chunk + 1) * requestsCounted);
    return { text: statement, values: [ids, appId, item] };
  });
}

/** A larger request that is planned is counted in the indexes: its messages are too many to read. */
const itemsRead = 100;

// One statement, so that an item that is planned meanwhile counts once.
const statement = `
WITH q AS MATERIALIZED (
  SELECT r.id, r.app_id, r.version_id, r.items, r.planned_items, r.planned_to,
    r.items > ${itemsRead} AND r.planned_items >= r.items AND $3::int IS NULL AS is_large
  FROM unnest($1::uuid[]) w (id) JOIN request r ON r.id = w.id AND r.app_id = $2
), r AS MATERIALIZED (SELECT * FROM q WHERE NOT is_large), ${selectCounted((row) => `($3::int IS NULL OR ${row}.item = $3)`)},
${countLarge()}
SELECT request_id AS "requestId", channel, state, reason, sum(messages)::int AS count
FROM (SELECT * FROM counted UNION ALL SELECT * FROM large) each GROUP BY 1, 2, 3, 4 HAVING sum(messages) > 0
ORDER BY 1, 2, 3, 4`;

/**
 * CTEs that end with `large`: what `counted` has, for large requests in CTE `q`. Messages are counted in the index by state,
 * mostly without reading them: only failed and skipped ones have a reason. Those that are being sent have a job, whose
 * number is bounded. Two partial indexes lead to resends and skipped items.
 */
function countLarge(): string {
  const count = 'SELECT count(*)::int AS messages FROM message m';
  const inState = (state: string) =>
    `WHERE m.app_id = b.app_id AND m.channel = b.channel AND m.log_state = ${state} AND m.request_id = b.id`;
  return `b AS MATERIALIZED (
  SELECT q.id, q.app_id, c.channel FROM q JOIN event_version v ON v.id = q.version_id
  CROSS JOIN LATERAL jsonb_object_keys(v.definition -> 'channels') c (channel) WHERE q.is_large
), large AS (
  SELECT b.id AS request_id, b.channel, s.state, NULL AS reason, n.messages
  FROM b CROSS JOIN unnest(ARRAY['sent', 'delivered', 'read', 'unknown']) s (state)
  CROSS JOIN LATERAL (${count} ${inState('s.state')}) n
  UNION ALL
  SELECT b.id, b.channel, s.state, n.reason, n.messages
  FROM b CROSS JOIN unnest(ARRAY['failed', 'skipped']) s (state)
  CROSS JOIN LATERAL (SELECT m.reason, count(*)::int AS messages FROM message m ${inState('s.state')} GROUP BY 1) n
  UNION ALL
  SELECT b.id, b.channel, s.state, NULL, s.messages
  FROM b CROSS JOIN LATERAL (${count} ${inState("'open'")}) o
  CROSS JOIN LATERAL (${count}
    WHERE m.channel = b.channel AND m.app_id = b.app_id AND m.request_id = b.id AND m.has_job AND m.state = 'sending') j
  CROSS JOIN LATERAL (VALUES ('queued', o.messages - j.messages), ('sending', j.messages)) s (state, messages)
  UNION ALL
  SELECT q.id, o.channel, o.state, o.reason, -1
  FROM q CROSS JOIN LATERAL (SELECT n.resend_of FROM message n WHERE n.request_id = q.id AND n.resend_of IS NOT NULL) n
  CROSS JOIN LATERAL (SELECT * FROM message o WHERE o.id = n.resend_of AND o.request_id = q.id OFFSET 0) o
  WHERE q.is_large
  UNION ALL
  SELECT q.id, s.channel, 'skipped', s.skip ->> 'reason', 1
  FROM q CROSS JOIN LATERAL (SELECT i.skips FROM request_item i WHERE i.request_id = q.id AND i.skips IS NOT NULL) i
  CROSS JOIN LATERAL jsonb_each(i.skips) s (channel, skip)
  WHERE q.is_large
)`;
}

/**
 * CTEs that end with `counted`: the messages of the requests in CTE `r`, by channel, state and reason. The sum is the count,
 * because rows may be negative. `isCounted` limits the messages and items. OFFSET 0 forces a lookup for each request: PostgreSQL expects
 * a single one until it has analyzed the newest rows, and would read all items of a minute for each of its requests.
 *
 * It counts all messages and then subtracts those that were resent: there are usually few of these, so the others need no
 * lookup. See also is-resent.sql.ts.
 */
export function selectCounted(isCounted: (row: string) => string): string {
  return `m AS MATERIALIZED (
  SELECT m.request_id, m.channel, m.state, m.reason, count(*)::int AS messages,
    array_agg(m.resend_of) FILTER (WHERE m.resend_of IS NOT NULL) AS resent
  FROM r CROSS JOIN LATERAL (SELECT * FROM message m WHERE m.request_id = r.id AND ${isCounted('m')} OFFSET 0) m
  GROUP BY 1, 2, 3, 4
), i AS MATERIALIZED (
  SELECT i.request_id, i.skips, r.version_id, r.planned_items < r.items AND NOT ${isPlanned('i', 'r')} AS is_unplanned
  FROM r CROSS JOIN LATERAL (SELECT * FROM request_item i WHERE i.request_id = r.id AND ${isCounted('i')} OFFSET 0) i
  WHERE i.skips IS NOT NULL OR r.planned_items < r.items
), counted AS (
  SELECT m.request_id, m.channel, m.state, m.reason, m.messages FROM m
  UNION ALL
  SELECT o.request_id, o.channel, o.state, o.reason, -1
  FROM m CROSS JOIN LATERAL unnest(m.resent) u (id)
  -- OFFSET 0 forces a lookup by id. PostgreSQL overestimates the number of ids and would scan the table.
  CROSS JOIN LATERAL (SELECT * FROM message o WHERE o.id = u.id AND o.request_id = m.request_id OFFSET 0) o
  UNION ALL
  SELECT i.request_id, s.channel, 'skipped', s.skip ->> 'reason', 1
  FROM i CROSS JOIN LATERAL jsonb_each(i.skips) s (channel, skip)
  UNION ALL
  SELECT u.request_id, c.channel, 'queued', NULL, u.items
  FROM (SELECT i.request_id, i.version_id, count(*)::int AS items FROM i WHERE i.is_unplanned GROUP BY 1, 2) u
  CROSS JOIN LATERAL (
    SELECT jsonb_object_keys(v.definition -> 'channels') AS channel FROM event_version v WHERE v.id = u.version_id
  ) c
)`;
}
