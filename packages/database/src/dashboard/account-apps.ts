import { newId } from '@belfry/runtime';
import type pg from 'pg';
import { type Actor, changeWithAudit } from './audit';

export type AccountAppRow = {
  id: string;
  name: string;
  delivery: 'sandbox' | 'live';
  /** Phone numbers without country code are read in it; null where there is none. */
  defaultRegion: string | null;
  createdAt: Date;
  needsAttention: number;
  /** Since when an operator holds up all that it sends; null while nobody does. */
  sendingPausedAt: Date | null;
  sendingPausedBy: string | null;
  /** The account stores as much as it may. */
  isStorageFull: boolean;
};

export type AppChange = {
  name?: string | undefined;
  delivery?: 'sandbox' | 'live' | undefined;
  /** An empty text takes it away. */
  defaultRegion?: string | undefined;
};

type NewApp = { name: string; delivery: string; defaultRegion?: string };

const maxAppsListed = 500;

/** The apps of an account. */
export function createAccountApps(pool: pg.Pool) {
  async function list(accountId: string, id: string | null = null): Promise<AccountAppRow[]> {
    const { rows } = await pool.query<AccountAppRow>(
      `SELECT a.id, a.name, a.delivery, a.default_region AS "defaultRegion", a.created_at AS "createdAt",
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

    async create(actor: Actor, app: NewApp): Promise<string> {
      const id = newId();
      const entry = { action: 'app.created', subject: id, change: app };
      await changeWithAudit(pool, { ...actor, appId: id }, entry, (client) =>
        client.query(
          `INSERT INTO app (id, account_id, name, delivery, default_region) VALUES ($1, $2, $3, $4, nullif($5::text, ''))`,
          [id, actor.accountId, app.name, app.delivery, app.defaultRegion],
        ),
      );
      return id;
    },

    async change(actor: Actor, id: string, change: AppChange): Promise<void> {
      const entry = { action: 'app.changed', subject: id, change };
      await changeWithAudit(pool, { ...actor, appId: id }, entry, (client) =>
        client.query(
          `UPDATE app SET name = coalesce($3, name), delivery = coalesce($4, delivery),
             default_region = nullif(coalesce($5, default_region), '')
           WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL`,
          [id, actor.accountId, change.name, change.delivery, change.defaultRegion],
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

export type AccountApps = ReturnType<typeof createAccountApps>;
