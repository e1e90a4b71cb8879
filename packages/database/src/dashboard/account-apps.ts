import { newId } from '@belfry/runtime';
import { type AppSettings, listAppSettings } from '@belfry/shared';
import type pg from 'pg';
import { type Actor, changeWithAudit } from './audit';

export type AccountAppRow = AppSettings & {
  id: string;
  name: string;
  createdAt: Date;
  needsAttention: number;
  /** Since when an operator holds up all that it sends; null while nobody does. */
  sendingPausedAt: Date | null;
  sendingPausedBy: string | null;
  /** The account stores as much as it may. */
  isStorageFull: boolean;
};

/** What is left out stays as it is. */
export type AppChange = Partial<AppSettings> & { name?: string };

const maxAppsListed = 500;

/** The columns that a change may name, by the name in code. */
const columns: Record<string, string> = {
  name: 'name',
  ...Object.fromEntries(listAppSettings().map(([key, { name }]) => [key, name])),
};
const settingColumns = listAppSettings().map(([key, { name }]) => `a.${name} AS "${key}"`);

/** The apps of an account. */
export function createAccountApps(pool: pg.Pool) {
  async function list(accountId: string, id: string | null = null): Promise<AccountAppRow[]> {
    const { rows } = await pool.query<AccountAppRow>(
      `SELECT a.id, a.name, ${settingColumns.join(', ')}, a.created_at AS "createdAt",
         (SELECT count(*)::int FROM integration i
          WHERE i.app_id = a.id AND i.deleted_at IS NULL AND i.state = 'needs_attention') AS "needsAttention",
         p.paused_at AS "sendingPausedAt", o.email AS "sendingPausedBy", c.is_storage_full AS "isStorageFull"
       FROM app a
       JOIN account c ON c.id = a.account_id
       LEFT JOIN sending_pause p ON p.app_id = a.id
       LEFT JOIN operator o ON o.id = p.paused_by
       WHERE a.account_id = $1 AND a.deleted_at IS NULL AND ($2::uuid IS NULL OR a.id = $2)
       ORDER BY a.created_at, a.id LIMIT ${maxAppsListed}`,
      [accountId, id],
    );
    return rows;
  }

  return {
    list: (accountId: string) => list(accountId),

    async find(accountId: string, id: string): Promise<AccountAppRow | undefined> {
      return (await list(accountId, id))[0];
    },

    /** Settings that are left out have their defaults. */
    async create(actor: Actor, app: AppChange & { name: string }): Promise<string> {
      const id = newId();
      const appWithDefaults = { ...defaults, ...app };
      const columnValues = listColumnValues(appWithDefaults);
      const entry = { action: 'app.created', subject: id, change: appWithDefaults };
      await changeWithAudit(pool, { ...actor, appId: id }, entry, (client) =>
        client.query(
          `INSERT INTO app (id, account_id, ${columnValues.map(({ column }) => column).join(', ')})
           VALUES ($1, $2, ${columnValues.map((_, index) => `$${index + 3}`).join(', ')})`,
          [id, actor.accountId, ...columnValues.map(({ value }) => value)],
        ),
      );
      return id;
    },

    async change(actor: Actor, id: string, change: AppChange): Promise<void> {
      const columnValues = listColumnValues(change);
      if (columnValues.length === 0) return;
      const entry = { action: 'app.changed', subject: id, change };
      await changeWithAudit(pool, { ...actor, appId: id }, entry, (client) =>
        client.query(
          `UPDATE app SET ${columnValues.map(({ column }, index) => `${column} = $${index + 3}`).join(', ')}
           WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL`,
          [id, actor.accountId, ...columnValues.map(({ value }) => value)],
        ),
      );
    },

    async remove(actor: Actor, id: string): Promise<void> {
      const entry = { action: 'app.removed', subject: id };
      await changeWithAudit(pool, { ...actor, appId: id }, entry, (client) =>
        client.query(
          'UPDATE app SET deleted_at = now() WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL',
          [id, actor.accountId],
        ),
      );
    },
  };
}

const defaults = Object.fromEntries(
  listAppSettings().map(([key, setting]) => [key, setting.default]),
);

function listColumnValues(change: AppChange): { column: string; value: unknown }[] {
  return Object.entries(change).flatMap(([key, value]) => {
    const column = columns[key];
    return column === undefined || value === undefined ? [] : [{ column, value }];
  });
}

export type AccountApps = ReturnType<typeof createAccountApps>;
