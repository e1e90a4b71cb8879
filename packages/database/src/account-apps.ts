import { newId } from '@belfry/runtime';
import type pg from 'pg';
import { type Actor, writeAudit } from './audit';
import { isUuid } from './look-ups';
import { inTransaction } from './transaction';

export type AccountApp = {
  id: string;
  name: string;
  delivery: 'sandbox' | 'live';
  openInboxCounters: boolean;
  createdAt: Date;
};

export type AppChange = Partial<Pick<AccountApp, 'name' | 'delivery' | 'openInboxCounters'>>;

const maxListed = 1_000;

/** An account's apps, as its operators handle them. */
export function createAccountApps(pool: pg.Pool) {
  return {
    async listApps(accountId: string): Promise<AccountApp[]> {
      const { rows } = await pool.query<AccountApp>(
        `SELECT ${columns} FROM app WHERE account_id = $1 AND deleted_at IS NULL
         ORDER BY name, id LIMIT ${maxListed}`,
        [accountId],
      );
      return rows;
    },

    /** Undefined for another account's app, as for none. */
    async findAppOf(accountId: string, id: string): Promise<AccountApp | undefined> {
      if (!isUuid(id)) return undefined;
      const { rows } = await pool.query<AccountApp>(
        `SELECT ${columns} FROM app WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL`,
        [accountId, id],
      );
      return rows[0];
    },

    async createApp(actor: Actor, app: Pick<AccountApp, 'name' | 'delivery'>): Promise<AccountApp> {
      return inTransaction(pool, async (client) => {
        const id = newId();
        const { rows } = await client.query<AccountApp>(
          `INSERT INTO app (id, account_id, name, delivery) VALUES ($1, $2, $3, $4)
           RETURNING ${columns}`,
          [id, actor.accountId, app.name, app.delivery],
        );
        await writeAudit(client, actor, {
          appId: id,
          action: 'app.create',
          subject: id,
          change: app,
        });
        return firstOf(rows);
      });
    },

    async changeApp(actor: Actor, id: string, change: AppChange): Promise<AccountApp> {
      return inTransaction(pool, async (client) => {
        const { name, delivery, openInboxCounters } = change;
        const { rows } = await client.query<AccountApp>(
          `UPDATE app SET name = coalesce($3, name), delivery = coalesce($4, delivery),
             open_inbox_counters = coalesce($5, open_inbox_counters)
           WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL RETURNING ${columns}`,
          [actor.accountId, id, name, delivery, openInboxCounters],
        );
        await writeAudit(client, actor, { appId: id, action: 'app.change', subject: id, change });
        return firstOf(rows);
      });
    },
  };
}

export type AccountApps = ReturnType<typeof createAccountApps>;

const columns = `id, name, delivery, open_inbox_counters AS "openInboxCounters", created_at AS "createdAt"`;

function firstOf<Row>([row]: Row[]): Row {
  if (!row) throw new Error('The app is gone');
  return row;
}
