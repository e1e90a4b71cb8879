import type { InboxItem, InboxStates, InboxStatus } from '@belfry/shared';
import type pg from 'pg';
import { changeItem, changeItems } from './inbox-changes.sql';
import {
  findItem,
  type InboxAddress,
  type InboxAnchor,
  type ItemRow,
  isShown,
  itemColumns,
  lastPosition,
  toItem,
} from './inbox-item.sql';

export type InboxDeps = { pool: pg.Pool; newId: () => string };

export type InboxList = InboxAddress & {
  /** Only items before this message's item. */
  before: string | undefined;
  limit: number;
  /** Whether to include archived items. */
  withArchived: boolean;
};

export type InboxStatusChange = InboxAnchor & { status: InboxStatus };

export type Inbox = {
  /** Stores the user, unless there is one. */
  ensureUser(address: InboxAddress): Promise<void>;
  isUserStored(address: InboxAddress): Promise<boolean>;
  /** Newest first; undefined if `before` is no message of this inbox. */
  listItems(list: InboxList): Promise<InboxItem[] | undefined>;
  /** Counts unread items since the inbox was last opened, up to 1,000. */
  countUnread(address: InboxAddress): Promise<number>;
  /** An archived item stays archived. False if there is no such message. */
  changeStatus(change: InboxStatusChange): Promise<boolean>;
  /** Marks unread items as read, up to a message's item or all. False if there is no such message. */
  readAll(upTo: InboxAddress & { messageId: string | undefined }): Promise<boolean>;
  /** Records that the inbox was opened now. */
  open(address: InboxAddress): Promise<void>;
};

const maxUnreadCounted = 1_000;

/**
 * The inbox as the first front ends and the account's backend use it. The statements have no name: PostgreSQL would keep
 * a plan that was made while the table was empty, which scans the whole table.
 */
export function createInbox({ pool, newId }: InboxDeps): Inbox {
  return {
    async ensureUser({ appId, userId }) {
      await pool.query(
        'INSERT INTO app_user (id, app_id, user_id) VALUES ($1, $2, $3) ON CONFLICT (app_id, user_id) DO NOTHING',
        [newId(), appId, userId],
      );
    },

    async isUserStored({ appId, userId }) {
      const text = 'SELECT FROM app_user WHERE app_id = $1 AND user_id = $2';
      return (await pool.query(text, [appId, userId])).rows.length > 0;
    },

    async listItems({ appId, userId, before, limit, withArchived }) {
      const end =
        before === undefined
          ? lastPosition
          : await findItem(pool, { appId, userId, messageId: before });
      if (!end) return undefined;
      const { rows } = await pool.query<ItemRow>(
        `SELECT ${itemColumns} FROM inbox_item
         WHERE app_id = $1 AND user_id = $2 AND (arrived, id) < ($3::bigint, $4::uuid) ${withArchived ? '' : `AND ${isShown}`}
         ORDER BY inbox_item.arrived DESC, id DESC LIMIT $5`,
        [appId, userId, end.arrived, end.id, limit],
      );
      return rows.map(toItem);
    },

    async countUnread({ appId, userId }) {
      const { rows } = await pool.query<{ unread: number }>(countStatement, [appId, userId]);
      return rows[0]?.unread ?? 0;
    },

    async changeStatus({ appId, userId, messageId, status }) {
      const item = await findItem(pool, { appId, userId, messageId });
      if (!item) return false;
      const states = statesByStatus[status];
      await changeItem(pool, item.id, { states, onlyShown: true });
      return true;
    },

    async readAll({ messageId, ...address }) {
      const upTo =
        messageId === undefined ? lastPosition : await findItem(pool, { ...address, messageId });
      if (!upTo) return false;
      await changeItems(pool, { ...address, upTo, states: { read: true } });
      return true;
    },

    async open({ appId, userId }) {
      await pool.query(openStatement, [appId, userId]);
    },
  };
}

const statesByStatus: Record<InboxStatus, InboxStates> = {
  UNREAD: { read: false },
  READ: { read: true },
  ARCHIVE: { archived: true },
};

const countStatement = `
SELECT count(*)::int AS unread FROM (
  SELECT FROM inbox_item
  WHERE app_id = $1 AND user_id = $2 AND status = 'UNREAD' AND created_at > coalesce(
    (SELECT last_opened_at FROM inbox_reader WHERE app_id = $1 AND user_id = $2), '-infinity')
  LIMIT ${maxUnreadCounted}
) newer`;

// If the app's counters are public, anyone may call this: insert a row only for a user who has inbox items.
const openStatement = `
INSERT INTO inbox_reader AS r (app_id, user_id, last_opened_at)
SELECT $1::uuid, $2::text, now() WHERE EXISTS (SELECT FROM inbox_item WHERE app_id = $1 AND user_id = $2)
ON CONFLICT (app_id, user_id) DO UPDATE SET last_opened_at = greatest(r.last_opened_at, excluded.last_opened_at)`;
