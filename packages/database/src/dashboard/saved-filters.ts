import { newId } from '@belfry/runtime';
import type pg from 'pg';
import { getSqlState, inTransaction, type Queryable } from '../transaction';
import { type Actor, changeWithAudit, writeAudit } from './audit';

export type SavedFilterRow = {
  id: string;
  name: string;
  filters: Record<string, string>;
  savedBy: string | null;
  updatedAt: Date;
};

export type NewSavedFilter = { name: string; filters: Record<string, string> };
export type SavedFilterChange = { id: string } & Partial<NewSavedFilter>;

/** Beyond it a list is no help any more. */
export const maxSavedFilters = 50;

/** The named filters of an app's log. Names are told apart without regard to case. */
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

    /** What is left out stays as it is. */
    change: (actor: Actor, appId: string, { id, ...change }: SavedFilterChange) =>
      unlessTaken(async () => {
        const entry = { action: 'filter.changed', subject: id, change };
        const changed = await changeWithAudit(pool, { ...actor, appId }, entry, (client) =>
          updateFilter(client, { ...actor, appId }, { id, ...change }),
        );
        return changed ?? 'not_found';
      }),

    /** False when it is not there. */
    async remove(actor: Actor, appId: string, id: string): Promise<boolean> {
      const entry = { action: 'filter.removed', subject: id };
      const removed = await changeWithAudit(pool, { ...actor, appId }, entry, async (client) => {
        const { rowCount } = await client.query(
          'DELETE FROM saved_filter WHERE id = $1 AND app_id = $2',
          [id, appId],
        );
        return rowCount === 1 ? true : undefined;
      });
      return removed === true;
    },
  };
}

export type AppSavedFilters = ReturnType<typeof createSavedFilters>;

type ActorInApp = Actor & { appId: string };

/** The app's row is the lock under which its filters are counted. */
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

async function updateFilter(
  client: Queryable,
  { appId, operatorId }: ActorInApp,
  { id, name, filters }: SavedFilterChange,
): Promise<{ id: string } | undefined> {
  const { rowCount } = await client.query(
    `UPDATE saved_filter SET name = coalesce($3, name), filters = coalesce($4, filters), saved_by = $5, updated_at = now()
     WHERE id = $1 AND app_id = $2`,
    [id, appId, name, filters && JSON.stringify(filters), operatorId],
  );
  return rowCount === 1 ? { id } : undefined;
}

const uniqueViolation = '23505';

async function unlessTaken<T>(work: () => Promise<T>): Promise<T | 'taken'> {
  try {
    return await work();
  } catch (error) {
    if (getSqlState(error) === uniqueViolation) return 'taken';
    throw error;
  }
}
