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

// One statement, so that an item that is planned meanwhile counts once.
const statement = `
WITH r AS MATERIALIZED (
  SELECT r.id, r.version_id, r.items, r.planned_items, r.planned_to FROM unnest($1::uuid[]) w (id)
  JOIN request r ON r.id = w.id AND r.app_id = $2
), ${selectCounted((row) => `($3::int IS NULL OR ${row}.item = $3)`)}
SELECT request_id AS "requestId", channel, state, reason, sum(messages)::int AS count
FROM counted GROUP BY 1, 2, 3, 4 HAVING sum(messages) > 0
ORDER BY 1, 2, 3, 4`;

/**
 * CTEs that end with `counted`: the messages of the requests in CTE `r`, by channel, state and reason. The sum is the count,
 * because rows may be negative. `isCounted` limits the messages and items, which are looked up by their request.
 *
 * It counts all messages and then subtracts those that were resent: there are usually few of these, so the others need no
 * lookup. See also is-resent.sql.ts.
 */
export function selectCounted(isCounted: (row: string) => string): string {
  return `m AS MATERIALIZED (
  SELECT m.request_id, m.channel, m.state, m.reason, count(*)::int AS messages,
    array_agg(m.resend_of) FILTER (WHERE m.resend_of IS NOT NULL) AS resent
  FROM r CROSS JOIN LATERAL (SELECT * FROM message m WHERE m.request_id = r.id AND ${isCounted('m')}) m
  GROUP BY 1, 2, 3, 4
), i AS MATERIALIZED (
  SELECT i.request_id, i.skips, r.version_id, r.planned_items < r.items AND NOT ${isPlanned('i', 'r')} AS is_unplanned
  FROM r CROSS JOIN LATERAL (SELECT * FROM request_item i WHERE i.request_id = r.id AND ${isCounted('i')}) i
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
