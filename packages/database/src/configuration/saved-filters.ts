import { newId } from '@belfry/runtime';
import type pg from 'pg';
import { type Actor, type ActorInApp, changeWithAudit, writeAudit } from '../audit';
import { inTransaction, type Queryable } from '../transaction';
import { unlessTaken } from './unless-taken';

export type SavedFilterRow = {
  id: string;
  name: string;
  filters: Record<string, string>;
  savedBy: string | null;
  updatedAt: Date;
};

export type NewSavedFilter = { name: string; filters: Record<string, string> };
export type SavedFilterChange = { id: string } & Partial<NewSavedFilter>;

/** Per app. A longer list would be hard to use. */
export const maxSavedFilters = 50;

/** The named filters of an app's log. Names are unique without regard to case. */
export function createSavedFilters(pool: pg.Pool) {
  return {
    async list(appId: string): Promise<SavedFilterRow[]> {
      const { rows } = await pool.query<SavedFilterRow>(
        `SELECT f.id, f.name, f.filters, o.email AS "savedBy", f.updated_at AS "updatedAt"
         FROM saved_filter f LEFT JOIN operator o ON o.id = f.saved_by
         WHERE f.app_id = $1 ORDER BY lower(f.name) LIMIT ${maxSavedFilters}`,
        [appId],
      );
      return rows;
    },

    create: (actor: Actor, appId: string, filter: NewSavedFilter) =>
      unlessTaken(() =>
        inTransaction(pool, (client) => insertFilter(client, { ...actor, appId }, filter)),
      ),

    /** A field that is left out stays as it is. */
    change: (actor: Actor, appId: string, { id, ...change }: SavedFilterChange) =>
      unlessTaken(async () => {
        const createEntry = ({ name, filters }: OldFilter) => {
          const before = { ...(change.name && { name }), ...(change.filters && { filters }) };
          return { action: 'filter.changed', subject: id, change, before };
        };
        const changed = await changeWithAudit(pool, { ...actor, appId }, createEntry, (client) =>
          updateFilter(client, { ...actor, appId }, { id, ...change }),
        );
        return changed ? { id } : 'not_found';
      }),

    /** False when the app has no filter with this id. */
    async remove(actor: Actor, appId: string, id: string): Promise<boolean> {
      const createEntry = (before: OldFilter) => {
        return { action: 'filter.removed', subject: id, before };
      };
      const removed = await changeWithAudit(
        pool,
        { ...actor, appId },
        createEntry,
        async (client) => {
          const { rows } = await client.query<OldFilter>(
            'DELETE FROM saved_filter WHERE id = $1 AND app_id = $2 RETURNING name, filters',
            [id, appId],
          );
          return rows[0];
        },
      );
      return removed !== undefined;
    },
  };
}

export type AppSavedFilters = ReturnType<typeof createSavedFilters>;

/** Locks the app's row while it counts the filters. */
async function insertFilter(
  client: Queryable,
  actor: ActorInApp,
  { name, filters }: NewSavedFilter,
): Promise<{ id: string } | 'full'> {
  const { appId, operatorId } = actor;
  await client.query('SELECT 1 FROM app WHERE id = $1 FOR NO KEY UPDATE', [appId]);
  const id = newId();
  const { rowCount } = await client.query(
    `INSERT INTO saved_filter (id, app_id, name, filters, saved_by)
     SELECT $1, $2, $3, $4, $5 WHERE (SELECT count(*) FROM saved_filter WHERE app_id = $2) < ${maxSavedFilters}`,
    [id, appId, name, JSON.stringify(filters), operatorId],
  );
  if (rowCount !== 1) return 'full';
  await writeAudit(client, actor, { action: 'filter.saved', subject: id, change: { name } });
  return { id };
}

type OldFilter = Pick<SavedFilterRow, 'name' | 'filters'>;

async function updateFilter(
  client: Queryable,
  { appId, operatorId }: ActorInApp,
  { id, name, filters }: SavedFilterChange,
): Promise<OldFilter | undefined> {
  const { rows } = await client.query<OldFilter>(
    `UPDATE saved_filter f SET name = coalesce($3, f.name), filters = coalesce($4, f.filters), saved_by = $5, updated_at = now()
     FROM (SELECT id, name, filters FROM saved_filter WHERE id = $1 AND app_id = $2 FOR UPDATE) old
     WHERE f.id = old.id RETURNING old.name, old.filters`,
    [id, appId, name, filters && JSON.stringify(filters), operatorId],
  );
  return rows[0];
}
