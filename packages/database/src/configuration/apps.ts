import { newId } from '@belfry/runtime';
import { type AppSettings, listAppSettings } from '@belfry/shared';
import { type Actor, changeWithAudit, writeAudit } from '../audit';
import { inTransaction, type Queryable } from '../transaction';

export type AccountAppRow = AppSettings & {
  id: string;
  name: string;
  createdAt: Date;
  needsAttention: number;
  /** Webhook endpoints that Belfry disabled. */
  disabledWebhooks: number;
  /** When an operator paused sending; null when sending is not paused. */
  sendingPausedAt: Date | null;
  sendingPausedBy: string | null;
  /** The account has reached its storage limit. */
  isStorageFull: boolean;
};

/** A setting that is left out stays as it is. */
export type AppChange = Partial<AppSettings> & { name?: string };
/** A setting that is left out has its default. */
export type NewApp = Partial<AppSettings> & { name: string };

const maxAppsListed = 500;

type OldApp = AppSettings & { name: string };

/** The columns of a change, by the name in code. */
const columns: Record<string, string> = {
  name: 'name',
  ...Object.fromEntries(listAppSettings().map(([key, { name }]) => [key, name])),
};
const settingColumns = listAppSettings().map(([key, { name }]) => `a.${name} AS "${key}"`);

/** The apps of an account. */
export function createAccountApps(pool: Queryable) {
  async function list(accountId: string, id: string | null = null): Promise<AccountAppRow[]> {
    const { rows } = await pool.query<AccountAppRow>(
      `SELECT a.id, a.name, ${settingColumns.join(', ')}, a.created_at AS "createdAt",
         (SELECT count(*)::int FROM integration i
          WHERE i.app_id = a.id AND i.deleted_at IS NULL AND i.state = 'needs_attention') AS "needsAttention",
         (SELECT count(*)::int FROM webhook_endpoint w
          WHERE w.app_id = a.id AND w.disabled_reason IN ('gone', 'failing')) AS "disabledWebhooks",
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

    create: (actor: Actor, app: NewApp) =>
      inTransaction(pool, (client) => insertApp(client, actor, app)),

    async change(actor: Actor, id: string, change: AppChange): Promise<void> {
      const columnValues = listColumnValues(change);
      if (columnValues.length === 0) return;
      const createEntry = (old: OldApp) => {
        const isChanged = ([name]: [string, unknown]) =>
          columnValues.some(({ key }) => key === name);
        const before = Object.fromEntries(Object.entries(old).filter(isChanged));
        return { action: 'app.changed', subject: id, change, before };
      };
      await changeWithAudit(pool, { ...actor, appId: id }, createEntry, async (client) => {
        const { rows } = await client.query<OldApp>(
          `UPDATE app SET ${columnValues.map(({ column }, index) => `${column} = $${index + 3}`).join(', ')}
           FROM (SELECT * FROM app WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL FOR UPDATE) a
           WHERE app.id = a.id RETURNING a.name, ${settingColumns.join(', ')}`,
          [id, actor.accountId, ...columnValues.map(({ value }) => value)],
        );
        return rows[0];
      });
    },

    async remove(actor: Actor, id: string): Promise<void> {
      const entry = { action: 'app.removed', subject: id };
      await changeWithAudit(pool, { ...actor, appId: id }, entry, async (client) => {
        const { rows } = await client.query<{ id: string }>(
          `UPDATE app SET deleted_at = now() WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL RETURNING id`,
          [id, actor.accountId],
        );
        // Otherwise its webhooks would still be sent.
        await client.query(
          `DELETE FROM webhook_endpoint WHERE app_id IN (
             SELECT id FROM app WHERE id = $1 AND account_id = $2 AND deleted_at IS NOT NULL)`,
          [id, actor.accountId],
        );
        return rows[0];
      });
    },
  };
}

/** Returns the id of the new app. */
export async function insertApp(client: Queryable, actor: Actor, app: NewApp): Promise<string> {
  const id = newId();
  const appWithDefaults = { ...defaults, ...app };
  const columnValues = listColumnValues(appWithDefaults);
  await client.query(
    `INSERT INTO app (id, account_id, ${columnValues.map(({ column }) => column).join(', ')})
     VALUES ($1, $2, ${columnValues.map((_, index) => `$${index + 3}`).join(', ')})`,
    [id, actor.accountId, ...columnValues.map(({ value }) => value)],
  );
  const entry = { action: 'app.created', subject: id, change: appWithDefaults };
  await writeAudit(client, { ...actor, appId: id }, entry);
  return id;
}

const defaults = Object.fromEntries(
  listAppSettings().map(([key, setting]) => [key, setting.default]),
);

function listColumnValues(change: AppChange): { key: string; column: string; value: unknown }[] {
  return Object.entries(change).flatMap(([key, value]) => {
    const column = columns[key];
    return column === undefined || value === undefined ? [] : [{ key, column, value }];
  });
}

export type AccountApps = ReturnType<typeof createAccountApps>;
