import { type Queryable, wentTo } from '@belfry/database';
import { isResent } from './is-resent.sql';
import { namesUser } from './log-conditions.sql';

export type UserQuery = {
  appId: string;
  userId: string;
  /** The user's own addresses, as they are now. */
  addresses: readonly string[];
};

/** A newest message of a user on a channel, or a channel that was skipped when the request was planned. */
export type UserMessageRow = {
  channel: string;
  requestId: string;
  item: number;
  event: string;
  acceptedAt: Date;
  /** Null if the channel was skipped. */
  messageId: string | null;
  skipReason: string | null;
  skipDetail: string | null;
};

/** Newest entries of each channel in the answer. */
const perChannel = 3;
/** The newest items that name the user. */
const maxNamedItems = 200;
/** Messages of one item. Large bulks make PostgreSQL overestimate them, and it would scan tables. */
const maxOfItem = 100;
/** The newest messages to one address that count as the user's. */
const maxOfAddress = 50;

/**
 * Lists the newest messages of a user on each channel: of requests that name the user id (request_item_named_user_idx), and
 * to the user's addresses (message_app_id_lower_target_request_id_idx) unless the request names another user. A resent
 * message is left out, because the newer one replaces it. The limits count only what belongs to the user: other apps may use
 * the same id, and other users the same address. Each entry of theirs that is read first costs 3 or 4 buffers.
 */
export async function listUserMessages(
  client: Queryable,
  { appId, userId, addresses }: UserQuery,
): Promise<UserMessageRow[]> {
  const { rows } = await client.query<UserMessageRow>(statement, [appId, userId, addresses]);
  return rows;
}

const statement = `
WITH named AS MATERIALIZED (
  SELECT i.request_id, i.item, i.skips FROM request_item i
  JOIN request q ON q.id = i.request_id AND q.app_id = $1
  WHERE ${namesUser('i', '$2')} ORDER BY i.request_id DESC LIMIT ${maxNamedItems}
), messages AS (
  SELECT m.id, m.channel, m.request_id, m.item FROM named n
  CROSS JOIN LATERAL (
    SELECT m.id, m.channel, m.request_id, m.item FROM message m
    WHERE m.request_id = n.request_id AND m.item = n.item AND m.app_id = $1 AND NOT ${isResent('m')}
    LIMIT ${maxOfItem}) m
  UNION
  SELECT m.id, m.channel, m.request_id, m.item FROM unnest($3::text[]) a (address)
  CROSS JOIN LATERAL (
    SELECT m.id, m.channel, m.request_id, m.item FROM message m
    JOIN request_item i ON i.request_id = m.request_id AND i.item = m.item
    WHERE m.app_id = $1 AND ${wentTo('m', 'a.address')}
      AND coalesce(i.recipient::jsonb ->> 'user_id', $2) = $2 AND NOT ${isResent('m')}
    ORDER BY m.request_id DESC LIMIT ${maxOfAddress}) m
), entries AS (
  SELECT id AS message_id, channel, request_id, item, NULL::jsonb AS skip FROM messages
  UNION ALL
  SELECT NULL, s.key, n.request_id, n.item, s.value FROM named n CROSS JOIN LATERAL jsonb_each(n.skips) s
), ranked AS (
  SELECT e.*, row_number() OVER (PARTITION BY channel ORDER BY request_id DESC, item DESC, message_id DESC) AS place
  FROM entries e
)
SELECT r.channel, r.request_id AS "requestId", r.item, v.name AS event, q.created_at AS "acceptedAt", r.message_id AS "messageId",
  r.skip ->> 'reason' AS "skipReason", r.skip ->> 'detail' AS "skipDetail"
FROM ranked r
CROSS JOIN LATERAL (SELECT event_id, created_at FROM request WHERE id = r.request_id AND app_id = $1 OFFSET 0) q
JOIN event v ON v.id = q.event_id
WHERE r.place <= ${perChannel}
ORDER BY r.channel, r.place`;
