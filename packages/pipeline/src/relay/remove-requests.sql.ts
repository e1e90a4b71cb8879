import type { Queryable } from '@belfry/database';
import { isPlanned } from '../operate/is-planned.sql';
import type { UpkeepTask } from './retention.sql';
import { markRequestSlices } from './storage-slices.sql';

export type RequestRemovalOptions = {
  olderThanMs: number;
  /** Requests that are looked at, and items that are removed, in one transaction, at most. */
  chunk: number;
};

/** Where the first page begins: no id is below it. */
const beforeAll = '00000000-0000-0000-0000-000000000000';

/**
 * Removes requests that are old and of which everything is final, with all that belongs to them. It walks
 * once from the oldest on, so that what waits for long is passed once a turn.
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

/** Ids begin with the time they were made at; whether a request is old is told by PostgreSQL's clock. */
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

/** The first requests with no more items than that together, but at least one. */
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

/** Those that nothing waits in: no item to plan, no message to send or in flight, none with a time. */
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
  'DELETE FROM request_item WHERE request_id = ANY ($1::uuid[])',
  'DELETE FROM request WHERE id = ANY ($1::uuid[])',
];
