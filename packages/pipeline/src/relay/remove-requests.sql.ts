import type { Queryable } from '@belfry/database';
import { isPlanned } from '../operate/is-planned.sql';
import { createOldRequests, type OldRequest } from './old-requests.sql';
import { isPastRetention } from './past-retention.sql';
import type { UpkeepTask } from './retention';
import { markRequestSlices } from './storage-slices.sql';

export type RequestRemovalOptions = {
  /** For apps without a number of their own. */
  retentionDays: number;
  /** Maximum requests to check, and items to remove, in one transaction. */
  chunk: number;
};

/** Removes old requests whose messages are all final, with all their rows. One run visits each old request once. */
export function createRequestRemoval({ retentionDays, chunk }: RequestRemovalOptions): UpkeepTask {
  const readPage = createOldRequests({ retentionDays, pageSize: chunk });
  let page: OldRequest[] = [];

  return {
    name: 'request',
    async removeChunk(database) {
      if (page.length === 0) page = await readPage(database);
      if (page.length === 0) return { removed: 0, mayBeMore: false };
      const ids = takeUpTo(page, chunk);
      page = page.slice(ids.length);
      return { removed: await removeFinal(database, ids, retentionDays), mayBeMore: true };
    },
  };
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
  retentionDays: number,
): Promise<number> {
  await database.query('BEGIN');
  try {
    const final = await lockFinal(database, ids, retentionDays);
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

/**
 * Locks requests with no item to plan, no queued or sending message, and no message that is due later. Their age counts again,
 * because an operator may have raised the retention of the app since the page was read.
 */
async function lockFinal(
  database: Queryable,
  ids: string[],
  retentionDays: number,
): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>({
    text: `SELECT r.id FROM request r JOIN app a ON a.id = r.app_id
           WHERE r.id = ANY ($1::uuid[]) AND ${isPastRetention('r.created_at', '$2')}
             AND r.planned_items >= r.items
             AND NOT EXISTS (
               SELECT 1 FROM request_item i WHERE i.request_id = r.id AND NOT ${isPlanned('i', 'r')})
             AND NOT EXISTS (
               SELECT 1 FROM message m WHERE m.request_id = r.id
                 AND (m.state IN ('queued', 'sending') OR m.due_at IS NOT NULL))
           ORDER BY r.id FOR UPDATE OF r SKIP LOCKED`,
    values: [ids, retentionDays],
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
