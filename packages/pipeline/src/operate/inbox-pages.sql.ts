import type { InboxCounts, InboxItem } from '@belfry/shared';
import type pg from 'pg';
import {
  firstPosition,
  type InboxAddress,
  type InboxPosition,
  type ItemRow,
  isShown,
  itemColumns,
  lastPosition,
  toItem,
} from './inbox-item.sql';

export type InboxPageQuery = InboxAddress & {
  /** Only older or only newer items; without both, the newest. */
  from?: { before: InboxPosition } | { after: InboxPosition };
  /** Only archived items, or only others. */
  archived: boolean;
  limit: number;
};

/** The state of an inbox at one moment. */
type InboxFacts = {
  /** The reader's number of the last arrival or change; 0 if there was none. */
  lastChange: number;
  counts: InboxCounts;
};

export type InboxPage = InboxFacts & {
  /** Newest first. */
  items: InboxItem[];
  /** Where the next older page and the next newer page begin. */
  before: InboxPosition | undefined;
  after: InboxPosition;
};

/**
 * How much of an inbox a reader has: the items up to the number `arrived`, with their changes up to the number `changed`.
 * Two numbers, because an item has only its last change: one number would skip items that arrived and then changed.
 */
export type InboxProgress = { arrived: number; changed: number };

export type InboxChange = InboxProgress & { item: InboxItem };

export type InboxNews = InboxFacts & {
  /** Items that changed after they arrived, in order of the changes. */
  changes: InboxChange[];
  /** Items that arrived, in order. */
  arrivals: InboxChange[];
};

const maxCounted = 1_000;

/** Reads items, counts and the last change in one statement, so that a stream continues from the page without a gap. */
export async function readInboxPage(
  pool: pg.Pool,
  { appId, userId, from, archived, limit }: InboxPageQuery,
): Promise<InboxPage> {
  const isNewer = from !== undefined && 'after' in from;
  const start = isNewer ? from.after : (from?.before ?? lastPosition);
  const isIncluded = archived ? `status = 'ARCHIVE'` : isShown;
  const { rows } = await pool.query<FactsRow & Nullable<ItemRow>>(
    createPageStatement(isIncluded, isNewer),
    // One more than the page has, to see whether there is an older page.
    [appId, userId, start.arrived, start.id, limit + 1],
  );
  const after = isNewer ? from.after : firstPosition;
  return { ...toFacts(rows), ...toPage(rows.filter(isItemRow), { isNewer, limit, after }) };
}

type Page = Pick<InboxPage, 'items' | 'before' | 'after'>;
type PageKind = { isNewer: boolean; limit: number; after: InboxPosition };

function toPage(rows: ItemRow[], { isNewer, limit, after }: PageKind): Page {
  const page = rows.slice(0, limit);
  if (isNewer) page.reverse();
  const [newest, oldest] = [page[0], page.at(-1)];
  // A newer page begins after an item, which is older.
  const hasOlder = isNewer || rows.length > limit;
  return {
    items: page.map(toItem),
    before: oldest && hasOlder ? toPosition(oldest) : undefined,
    after: newest ? toPosition(newest) : { arrived: after.arrived, id: after.id },
  };
}

export async function countInboxItems(
  pool: pg.Pool,
  { appId, userId }: InboxAddress,
): Promise<InboxCounts> {
  const { rows } = await pool.query<FactsRow>(factsStatement, [appId, userId]);
  return toFacts(rows).counts;
}

/** Reads at most `limit` changes and as many arrivals after a reader's progress, at one moment. */
export async function readInboxNews(
  pool: pg.Pool,
  { appId, userId, after, limit }: InboxAddress & { after: InboxProgress; limit: number },
): Promise<InboxNews> {
  const { rows } = await pool.query<FactsRow & Nullable<ItemRow> & { is_arrival: boolean | null }>(
    newsStatement,
    [appId, userId, after.arrived, after.changed, limit],
  );
  const itemRows = rows.filter(isItemRow);
  return {
    ...toFacts(rows),
    changes: itemRows.filter((row) => !row.is_arrival).map(toChange),
    arrivals: itemRows.filter((row) => row.is_arrival).map(toChange),
  };
}

/** The readers among these whose inbox changed after their number. */
export async function listChangedReaders(
  pool: pg.Pool,
  readers: readonly (InboxAddress & { after: number })[],
): Promise<InboxAddress[]> {
  const { rows } = await pool.query<InboxAddress>(
    `SELECT r.app_id AS "appId", r.user_id AS "userId"
     FROM unnest($1::uuid[], $2::text[], $3::float8[]) known (app_id, user_id, after)
     JOIN inbox_reader r ON r.app_id = known.app_id AND r.user_id = known.user_id
     WHERE r.last_change > known.after`,
    [
      readers.map(({ appId }) => appId),
      readers.map(({ userId }) => userId),
      readers.map(({ after }) => after),
    ],
  );
  return rows;
}

type FactsRow = { last_change: number; unseen: number; unread: number };
/** A page without items is one row of nulls. */
type Nullable<Row> = { [Name in keyof Row]: Row[Name] | null };

const countItems = (condition: string) => `(SELECT count(*)::int FROM (
  SELECT FROM inbox_item WHERE app_id = $1 AND user_id = $2 AND ${condition} LIMIT ${maxCounted}) counted)`;

const factsStatement = `
SELECT coalesce((SELECT last_change FROM inbox_reader WHERE app_id = $1 AND user_id = $2), 0)::float8 AS last_change,
  ${countItems(`seen_at IS NULL AND ${isShown}`)} AS unseen, ${countItems(`status = 'UNREAD'`)} AS unread`;

function createPageStatement(isIncluded: string, isNewer: boolean): string {
  const order = isNewer ? 'ASC' : 'DESC';
  return `
WITH facts AS MATERIALIZED (${factsStatement})
SELECT facts.*, i.* FROM facts LEFT JOIN LATERAL (
  SELECT ${itemColumns} FROM inbox_item
  WHERE app_id = $1 AND user_id = $2 AND ${isIncluded} AND (arrived, id) ${isNewer ? '>' : '<'} ($3::bigint, $4::uuid)
  ORDER BY inbox_item.arrived ${order}, id ${order} LIMIT $5
) i ON true ORDER BY i.arrived ${order}, i.id ${order}`;
}

const newsStatement = `
WITH facts AS MATERIALIZED (${factsStatement})
SELECT facts.*, i.* FROM facts LEFT JOIN LATERAL (
  (SELECT ${itemColumns}, false AS is_arrival FROM inbox_item
   WHERE app_id = $1 AND user_id = $2 AND changed > $4::bigint AND changed > arrived
   ORDER BY inbox_item.changed LIMIT $5)
  UNION ALL
  (SELECT ${itemColumns}, true AS is_arrival FROM inbox_item
   WHERE app_id = $1 AND user_id = $2 AND arrived > $3::bigint
   ORDER BY inbox_item.arrived LIMIT $5)
) i ON true ORDER BY CASE WHEN i.is_arrival THEN i.arrived ELSE i.changed END`;

function isItemRow<Row extends FactsRow & Nullable<ItemRow>>(
  row: Row,
): row is Row & FactsRow & ItemRow {
  return row.id !== null;
}

function toFacts([row]: FactsRow[]): InboxFacts {
  const { last_change: lastChange = 0, unseen = 0, unread = 0 } = row ?? {};
  return { lastChange, counts: { unseen, unread } };
}

function toChange(row: ItemRow): InboxChange {
  return { item: toItem(row), arrived: row.arrived, changed: row.changed };
}

function toPosition({ arrived, id }: ItemRow): InboxPosition {
  return { arrived, id };
}
