import type { Queryable } from '@belfry/database';
import { isPastRetention, type Retention } from './past-retention.sql';

/** `day` is in UTC. */
export type OldRequest = { id: string; appId: string; items: number; day: string };

/** `pageSize`: maximum requests of a page. */
type OldRequestsOptions = Retention & { pageSize: number };

/** Below every id. */
const lowest = '00000000-0000-0000-0000-000000000000';
/** Maximum rows of a statement: it may read as many in vain after the last old request of an app. */
const maxRows = 200;

/**
 * Pages through the old requests of all apps: app by app, each from its oldest request on. So a request is read once, even if
 * it stays. An empty page is the last one.
 */
export function createOldRequests({ pageSize, ...retention }: OldRequestsOptions) {
  let app = lowest;
  let after = lowest;

  return async function readPage(database: Queryable): Promise<OldRequest[]> {
    const page: OldRequest[] = [];
    // Each statement but the last adds a request.
    while (page.length < pageSize) {
      const limit = Math.min(pageSize - page.length, maxRows);
      const rows = await readRows(database, retention, { app, after, limit });
      const last = rows.at(-1);
      if (!last) break;
      app = last.appId;
      after = last.id;
      page.push(...rows.filter((row) => row.isOld));
    }
    return page;
  };
}

type Row = OldRequest & { isOld: boolean };

/**
 * Reads the next requests of the first app whose next request is old. Ids start with their creation time, so the index of app
 * and id finds the oldest; one look-up for each app, even if it has nothing to remove. The pairs are compared as a whole, because
 * PostgreSQL expects few rows of `app_id = a.id`, and would read and sort all of them for each page of a large app.
 */
async function readRows(
  database: Queryable,
  { retentionDays, isByDay }: Retention,
  { app, after, limit }: { app: string; after: string; limit: number },
): Promise<Row[]> {
  const { rows } = await database.query<Row>({
    text: `WITH due AS (
             SELECT a.id, a.retention_days, ${start} AS after
             FROM app a CROSS JOIN LATERAL (
               SELECT created_at FROM request WHERE app_id = a.id AND id > ${start} ORDER BY id LIMIT 1
             ) next
             WHERE a.id >= $1 AND ${isPastRetention('next.created_at', '$3', isByDay)}
             ORDER BY a.id LIMIT 1)
           SELECT r.id, r.app_id AS "appId", r.items,
             to_char(r.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day,
             ${isPastRetention('r.created_at', '$3', isByDay)} AS "isOld"
           FROM due a CROSS JOIN LATERAL (
             SELECT id, app_id, items, created_at FROM request
             WHERE (app_id, id) > (a.id, a.after) ORDER BY app_id, id LIMIT $4
           ) r WHERE r.app_id = a.id ORDER BY r.id`,
    values: [app, after, retentionDays, limit],
  });
  return rows;
}

const start = `CASE WHEN a.id = $1 THEN $2::uuid ELSE '${lowest}' END`;
