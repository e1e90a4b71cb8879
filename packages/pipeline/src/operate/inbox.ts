import { type InboxItem, type InboxStatus, isUuid } from '@belfry/shared';
import type pg from 'pg';
import { movedFrom } from './receipts';

export type InboxDeps = { pool: pg.Pool; newId: () => string };

/** The owner of an inbox; the user need not be stored. */
export type InboxAddress = { appId: string; userId: string };

/** A position in an inbox by the id of one of its messages. The id is unchecked input. */
export type InboxAnchor = InboxAddress & { messageId: string };

export type InboxPage = InboxAddress & {
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
  listItems(page: InboxPage): Promise<InboxItem[] | undefined>;
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
 * Inbox items of a user. The statements have no name: PostgreSQL would keep a plan that was made while the table was empty,
 * which scans the whole table.
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
        before === undefined ? lastId : await findItem(pool, { appId, userId, messageId: before });
      if (end === undefined) return undefined;
      const { rows } = await pool.query<ItemRow>(
        `SELECT message_id, content, status, (extract(epoch FROM created_at) * 1000)::float8 AS created_at_ms
         FROM inbox_item
         WHERE app_id = $1 AND user_id = $2 AND id < $3 ${withArchived ? '' : `AND status <> 'ARCHIVE'`}
         ORDER BY id DESC LIMIT $4`,
        [appId, userId, end, limit],
      );
      return rows.map(toItem);
    },

    async countUnread({ appId, userId }) {
      const { rows } = await pool.query<{ unread: number }>(countStatement, [appId, userId]);
      return rows[0]?.unread ?? 0;
    },

    async changeStatus({ appId, userId, messageId, status }) {
      const item = await findItem(pool, { appId, userId, messageId });
      if (item === undefined) return false;
      await pool.query(changeStatement, [item, status]);
      return true;
    },

    async readAll({ messageId, ...address }) {
      const last =
        messageId === undefined ? lastId : await findItem(pool, { ...address, messageId });
      if (last === undefined) return false;
      await readUpTo(pool, address, last);
      return true;
    },

    async open({ appId, userId }) {
      await pool.query(openStatement, [appId, userId]);
    },
  };
}

/** Above every version 7 UUID. */
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

type ItemRow = {
  message_id: string;
  content: InboxItem['content'];
  status: InboxStatus;
  created_at_ms: number;
};

function toItem({ message_id, content, status, created_at_ms }: ItemRow): InboxItem {
  return { messageId: message_id, content, status, createdAtMs: created_at_ms };
}

/** Finds the item's id: items are ordered by delivery, messages by acceptance. */
async function findItem(
  pool: pg.Pool,
  { appId, userId, messageId }: InboxAnchor,
): Promise<string | undefined> {
  // Input must be a valid UUID before it reaches a uuid cast.
  if (!isUuid(messageId)) return undefined;
  const { rows } = await pool.query<{ id: string }>(
    'SELECT id FROM inbox_item WHERE message_id = $3 AND app_id = $1 AND user_id = $2',
    [appId, userId, messageId],
  );
  return rows[0]?.id;
}

const countStatement = `
SELECT count(*)::int AS unread FROM (
  SELECT FROM inbox_item
  WHERE app_id = $1 AND user_id = $2 AND status = 'UNREAD' AND created_at > coalesce(
    (SELECT last_opened_at FROM inbox_reader WHERE app_id = $1 AND user_id = $2), '-infinity')
  LIMIT ${maxUnreadCounted}
) newer`;

/** Marks the messages of the items in `changed` as read, like a provider's receipt. */
const readMessages = `
  UPDATE message m SET state = 'read', reason = NULL, due_at = NULL, job_id = NULL, waits = NULL,
    settled_at = coalesce(m.settled_at, now())
  FROM changed
  WHERE m.id = changed.message_id AND m.state IN (${movedFrom.read.map((state) => `'${state}'`).join(', ')})`;

const changeStatement = `
WITH changed AS (
  UPDATE inbox_item SET status = $2, read_at = CASE WHEN $2 = 'READ' THEN coalesce(read_at, now()) ELSE read_at END
  WHERE id = $1 AND status NOT IN ('ARCHIVE', $2)
  RETURNING message_id, status
)
${readMessages} AND changed.status = 'READ'`;

const readsPerStatement = 1_000;
const maxReadStatements = 100;

// Locks rows in order, so that two devices that mark all as read at once cannot deadlock.
const readAllStatement = `
WITH unread AS (
  SELECT id FROM inbox_item WHERE app_id = $1 AND user_id = $2 AND status = 'UNREAD' AND id <= $3
  ORDER BY id LIMIT ${readsPerStatement} FOR UPDATE
), changed AS (
  UPDATE inbox_item i SET status = 'READ', read_at = coalesce(i.read_at, now())
  FROM unread WHERE i.id = unread.id
  RETURNING i.message_id
), moved AS (${readMessages})
SELECT count(*)::int AS read FROM unread`;

async function readUpTo(
  pool: pg.Pool,
  { appId, userId }: InboxAddress,
  last: string,
): Promise<void> {
  for (let round = 1; round <= maxReadStatements; round += 1) {
    const { rows } = await pool.query<{ read: number }>(readAllStatement, [appId, userId, last]);
    if ((rows[0]?.read ?? 0) < readsPerStatement) return;
  }
}

// If the app's counters are public, anyone may call this: insert a row only for a user who has inbox items.
const openStatement = `
INSERT INTO inbox_reader AS r (app_id, user_id, last_opened_at)
SELECT $1::uuid, $2::text, now() WHERE EXISTS (SELECT FROM inbox_item WHERE app_id = $1 AND user_id = $2)
ON CONFLICT (app_id, user_id) DO UPDATE SET last_opened_at = greatest(r.last_opened_at, excluded.last_opened_at)`;
