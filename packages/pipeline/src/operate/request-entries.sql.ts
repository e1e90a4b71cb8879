import { isPlanned } from './is-planned.sql';

const noMessage = 'NULL::uuid AS id, channel, NULL AS target, 0 AS generation';
const noTimes = 'NULL::uuid AS resend_of, NULL::timestamptz AS created_at, NULL, NULL';

/**
 * SQL subquery: the request `$1` of the app `$2`, as `selectEntries` needs it. Materialize it: PostgreSQL may otherwise read
 * the request again for each item.
 */
export const selectRequest =
  'SELECT version_id, items, planned_items, planned_to FROM request WHERE id = $1 AND app_id = $2';

/**
 * SQL subquery: everything an item `i` of the request `r` has on its channels: its messages, also those that were resent; and
 * one row for each channel without a message, because it was skipped or the item is not planned yet. Reads the messages of
 * one item by the unique index of messages.
 */
export const selectEntries = `
    SELECT m.request_id, m.item, m.id::text AS key, m.id, m.channel, m.target, m.generation, m.state, m.reason, m.resend_of,
      m.created_at, CASE WHEN m.state = 'queued' THEN m.due_at END AS due_at, m.settled_at
    FROM message m WHERE m.request_id = i.request_id AND m.item = i.item
    UNION ALL
    SELECT i.request_id, i.item, channel, ${noMessage}, 'skipped', skip ->> 'reason', ${noTimes}
    FROM jsonb_each(i.skips) s (channel, skip)
    UNION ALL
    SELECT i.request_id, i.item, channel, ${noMessage}, 'queued', NULL, ${noTimes}
    FROM event_version v CROSS JOIN LATERAL jsonb_object_keys(v.definition -> 'channels') c (channel)
    WHERE v.id = r.version_id AND r.planned_items < r.items AND NOT ${isPlanned('i', 'r')}`;
