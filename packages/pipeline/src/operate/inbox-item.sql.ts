import { type InboxItem, type InboxStatus, isUuid } from '@belfry/shared';
import type pg from 'pg';

/** The owner of an inbox; the user need not be stored. */
export type InboxAddress = { appId: string; userId: string };

/** The item of a message. The id is unchecked input. */
export type InboxAnchor = InboxAddress & { messageId: string };

/** A place in the order of arrival. Items from before arrivals were numbered have the number 0. */
export type InboxPosition = { arrived: number; id: string };

/** Before every item, and after every item. */
export const firstPosition = { arrived: 0, id: '00000000-0000-0000-0000-000000000000' };
export const lastPosition = {
  arrived: Number.MAX_SAFE_INTEGER,
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

/** A trigger derives the status from the times: see the migration `number_inbox_changes`. */
export const isShown = `status <> 'ARCHIVE'`;

const toMs = (column: string) =>
  `(extract(epoch FROM ${column}) * 1000)::float8 AS ${column.replace('_at', '_at_ms')}`;

export const itemColumns = [
  'id, arrived::float8 AS arrived, changed::float8 AS changed, message_id, content, status',
  ...['created_at', 'seen_at', 'read_at', 'archived_at'].map(toMs),
].join(', ');

export type ItemRow = {
  id: string;
  arrived: number;
  changed: number;
  message_id: string;
  content: InboxItem['content'];
  status: InboxStatus;
  created_at_ms: number;
  seen_at_ms: number | null;
  read_at_ms: number | null;
  archived_at_ms: number | null;
};

export function toItem(row: Omit<ItemRow, 'id' | 'arrived' | 'changed'>): InboxItem {
  return {
    messageId: row.message_id,
    content: row.content,
    status: row.status,
    createdAtMs: row.created_at_ms,
    seenAtMs: row.seen_at_ms,
    readAtMs: row.read_at_ms,
    archivedAtMs: row.archived_at_ms,
  };
}

/** Undefined if the inbox has no such message. */
export async function findItem(
  pool: pg.Pool,
  { appId, userId, messageId }: InboxAnchor,
): Promise<ItemRow | undefined> {
  // Input must be a valid UUID before it reaches a uuid cast.
  if (!isUuid(messageId)) return undefined;
  const { rows } = await pool.query<ItemRow>(
    `SELECT ${itemColumns} FROM inbox_item WHERE message_id = $3 AND app_id = $1 AND user_id = $2`,
    [appId, userId, messageId],
  );
  return rows[0];
}
