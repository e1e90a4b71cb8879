import type { Queryable } from '@belfry/database';
import type { Archive } from '../archive/archive';
import type { LineCounts } from '../archive/archive-lines.sql';
import { archiveRequests, getFolder } from '../archive/archive-requests.sql';
import { isPlanned } from '../operate/is-planned.sql';
import { createOldRequests, type OldRequest } from './old-requests.sql';
import { isPastRetention, type Retention } from './past-retention.sql';
import type { UpkeepTask } from './retention';
import { markRequestSlices } from './storage-slices.sql';

export type RequestRemovalOptions = Pick<Retention, 'retentionDays'> & {
  /** Maximum requests to check, and items to remove, in one transaction. */
  chunk: number;
  /** Gets all rows before they are removed. */
  archive?: Archive | undefined;
};

/** Each is a file in the archive, which is written within the transaction. */
const maxFolders = 20;

/** Removes old requests whose messages are all final, with all their rows. One run visits each old request once. */
export function createRequestRemoval(options: RequestRemovalOptions): UpkeepTask {
  const { retentionDays, chunk, archive } = options;
  const retention = { retentionDays, isByDay: archive !== undefined };
  const readPage = createOldRequests({ ...retention, pageSize: chunk });
  let page: OldRequest[] = [];

  return {
    name: 'request',
    async removeChunk(database) {
      if (page.length === 0) page = await readPage(database);
      if (page.length === 0) return { removed: 0, mayBeMore: false };
      const requests = takeUpTo(page, chunk);
      page = page.slice(requests.length);
      return {
        removed: await removeFinal(database, requests, retention, archive),
        mayBeMore: true,
      };
    },
  };
}

/** The first requests that together have at most `maxItems` items, but at least one request. */
function takeUpTo(page: OldRequest[], maxItems: number): OldRequest[] {
  const taken: OldRequest[] = [];
  const folders = new Set<string>();
  let items = 0;
  for (const request of page) {
    items += request.items;
    folders.add(getFolder(request));
    if (taken.length > 0 && (items > maxItems || folders.size > maxFolders)) break;
    taken.push(request);
  }
  return taken;
}

async function removeFinal(
  database: Queryable,
  requests: OldRequest[],
  retention: Retention,
  archive: Archive | undefined,
): Promise<number> {
  await database.query('BEGIN');
  try {
    const ids = await lockFinal(database, requests, retention);
    if (ids.length > 0) {
      const locked = new Set(ids);
      const final = requests.filter(({ id }) => locked.has(id));
      const archived = archive && (await archiveRequests(database, archive, final));
      await removeRows(database, ids, archived);
      await markRequestSlices(database, ids);
    }
    await database.query('COMMIT');
    return ids.length;
  } catch (error) {
    await database.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Throws if an archive has not exactly the rows: a receipt may have arrived meanwhile. The next run archives them again. */
async function removeRows(
  database: Queryable,
  ids: string[],
  archived: LineCounts | undefined,
): Promise<void> {
  for (const [type, text] of childrenFirst) {
    const { rowCount } = await database.query({ text, values: [ids] });
    if (archived && type !== undefined && rowCount !== (archived.get(type) ?? 0)) {
      throw new Error(`Rows of the type ${type} changed while they were archived`);
    }
  }
}

/**
 * Locks requests with no item to plan, no queued or sending message, and no message that is due later. Their age counts again,
 * because an operator may have raised the retention of the app since the page was read.
 */
async function lockFinal(
  database: Queryable,
  requests: OldRequest[],
  { retentionDays, isByDay }: Retention,
): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>({
    text: `SELECT r.id FROM request r JOIN app a ON a.id = r.app_id
           WHERE r.id = ANY ($1::uuid[]) AND ${isPastRetention('r.created_at', '$2', isByDay)}
             AND r.planned_items >= r.items
             AND NOT EXISTS (
               SELECT 1 FROM request_item i WHERE i.request_id = r.id AND NOT ${isPlanned('i', 'r')})
             AND NOT EXISTS (
               SELECT 1 FROM message m WHERE m.request_id = r.id
                 AND (m.state IN ('queued', 'sending') OR m.due_at IS NOT NULL))
           ORDER BY r.id FOR UPDATE OF r SKIP LOCKED`,
    values: [requests.map(({ id }) => id), retentionDays],
  });
  return rows.map((row) => row.id);
}

const messageIdsStatement = 'SELECT id FROM message WHERE request_id = ANY ($1::uuid[])';

/** Each table's type in the archive; none for hashes that the archive does not have. */
const childrenFirst: [type: string | undefined, text: string][] = [
  ['receipt', `DELETE FROM receipt WHERE message_id IN (${messageIdsStatement})`],
  ['attempt', `DELETE FROM attempt WHERE message_id IN (${messageIdsStatement})`],
  ['message', 'DELETE FROM message WHERE request_id = ANY ($1::uuid[])'],
  [undefined, 'DELETE FROM request_term WHERE request_id = ANY ($1::uuid[])'],
  ['item', 'DELETE FROM request_item WHERE request_id = ANY ($1::uuid[])'],
  ['request', 'DELETE FROM request WHERE id = ANY ($1::uuid[])'],
];
