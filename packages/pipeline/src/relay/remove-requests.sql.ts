import type { Queryable } from '@belfry/database';
import { isPlanned } from '../operate/is-planned.sql';
import type { UpkeepTask } from './retention';
import { markRequestSlices } from './storage-slices.sql';

export type RequestRemovalOptions = {
  olderThanMs: number;
  /** Maximum requests to check, and items to remove, in one transaction. */
  chunk: number;
};

/** The first page starts here: no id is lower. */
const beforeAll = '00000000-0000-0000-0000-000000000000';

/**
 * Removes old requests whose messages are all final, with all their rows. One run scans from the oldest on, so it visits a
 * request that is not final only once.
 */
export function createRequestRemoval(options: RequestRemovalOptions): UpkeepTask {
  let after = beforeAll;
  let page: OldRequest[] = [];
  let isLastPage = false;

  return {
    name: 'request',
    async removeChunk(database) {
      if (page.length === 0 && !isLastPage) {
        const read = await readPage(database, after, options);
        page = read.old;
        isLastPage = read.isLast;
        after = read.lastId ?? after;
      }
      const ids = takeUpTo(page, options.chunk);
      page = page.slice(ids.length);
      const removed = await removeFinal(database, ids, options.olderThanMs);
      return { removed, mayBeMore: page.length > 0 || !isLastPage };
    },
  };
}

type OldRequest = { id: string; items: number };
type Page = { old: OldRequest[]; isLast: boolean; lastId: string | undefined };

/** Ids start with their creation time; PostgreSQL's clock decides whether a request is old. */
async function readPage(
  database: Queryable,
  after: string,
  { olderThanMs, chunk }: RequestRemovalOptions,
): Promise<Page> {
  const { rows } = await database.query<OldRequest & { is_old: boolean }>({
    text: `SELECT id, items, created_at <= now() - $2::float8 * interval '1 ms' AS is_old
           FROM request WHERE id > $1 ORDER BY id LIMIT $3`,
    values: [after, olderThanMs, chunk],
  });
  const isLast = rows.length < chunk || rows.some((row) => !row.is_old);
  return { old: rows.filter((row) => row.is_old), isLast, lastId: rows.at(-1)?.id };
}

/** The first requests that together have at most `maxItems` items, but at least one request. */
function takeUpTo(page: OldRequest[], maxItems: number): string[] {
  const takenIds: string[] = [];
  let items = 0;
  for (const request of page) {
    items += request.items;
    if (takenIds.length > 0 && items > maxItems) break;
    takenIds.push(request.id);
  }
  return takenIds;
}

async function removeFinal(
  database: Queryable,
  ids: string[],
  olderThanMs: number,
): Promise<number> {
  if (ids.length === 0) return 0;
  await database.query('BEGIN');
  try {
    const final = await lockFinal(database, ids, olderThanMs);
    for (const text of final.length > 0 ? childrenFirst : []) {
      await database.query({ text, values: [final] });
    }
    if (final.length > 0) await markRequestSlices(database, final);
    await database.query('COMMIT');
    return final.length;
  } catch (error) {
    await database.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Locks requests with no item to plan, no queued or sending message, and no message that is due later. */
async function lockFinal(
  database: Queryable,
  ids: string[],
  olderThanMs: number,
): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>({
    text: `SELECT r.id FROM request r
           WHERE r.id = ANY ($1::uuid[]) AND r.created_at <= now() - $2::float8 * interval '1 ms'
             AND r.planned_items >= r.items
             AND NOT EXISTS (
               SELECT 1 FROM request_item i WHERE i.request_id = r.id AND NOT ${isPlanned('i', 'r')})
             AND NOT EXISTS (
               SELECT 1 FROM message m WHERE m.request_id = r.id
                 AND (m.state IN ('queued', 'sending') OR m.due_at IS NOT NULL))
           ORDER BY r.id FOR UPDATE OF r SKIP LOCKED`,
    values: [ids, olderThanMs],
  });
  return rows.map((row) => row.id);
}

const messageIdsStatement = 'SELECT id FROM message WHERE request_id = ANY ($1::uuid[])';

const childrenFirst = [
  `DELETE FROM receipt WHERE message_id IN (${messageIdsStatement})`,
  `DELETE FROM attempt WHERE message_id IN (${messageIdsStatement})`,
  'DELETE FROM message WHERE request_id = ANY ($1::uuid[])',
  'DELETE FROM request_term WHERE request_id = ANY ($1::uuid[])',
  'DELETE FROM request_item WHERE request_id = ANY ($1::uuid[])',
  'DELETE FROM request WHERE id = ANY ($1::uuid[])',
];
