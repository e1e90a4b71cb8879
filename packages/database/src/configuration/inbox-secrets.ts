import { randomBytes } from 'node:crypto';
import { newId, type Secrets } from '@belfry/runtime';
import type pg from 'pg';
import { type ActorInApp, writeAudit } from '../audit';
import { inboxSecretPlace } from '../look-ups';
import { inTransaction } from '../transaction';

export type InboxSecretRow = {
  /** The `kid` of tokens. */
  id: string;
  createdAt: Date;
  revokedAt: Date | null;
};

/** A secret can be replaced without a gap. */
export const maxActiveSecrets = 2;
const maxSecretsListed = 20;
const secretBytes = 32;

/** The secrets with which an app's backend signs the tokens of its inbox readers. They are revoked, never deleted. */
export function createInboxSecrets(pool: pg.Pool, secrets: Pick<Secrets, 'seal' | 'open'>) {
  return {
    /** Newest first. */
    async list(appId: string): Promise<InboxSecretRow[]> {
      const { rows } = await pool.query<InboxSecretRow>(
        `SELECT id, created_at AS "createdAt", revoked_at AS "revokedAt" FROM inbox_secret
         WHERE app_id = $1 ORDER BY created_at DESC, id DESC LIMIT ${maxSecretsListed}`,
        [appId],
      );
      return rows;
    },

    /** Returns the secret in plain text; undefined when `maxActiveSecrets` are active. */
    async create(actor: ActorInApp): Promise<{ id: string; secret: string } | undefined> {
      const id = newId();
      const secret = `bis_${randomBytes(secretBytes).toString('base64url')}`;
      return inTransaction(pool, async (client) => {
        // Two concurrent calls must see each other's secrets.
        await client.query('SELECT FROM app WHERE id = $1 AND account_id = $2 FOR UPDATE', [
          actor.appId,
          actor.accountId,
        ]);
        const { rowCount } = await client.query(
          `INSERT INTO inbox_secret (id, app_id, sealed)
           SELECT $1::uuid, app.id, $3::text FROM app
           WHERE app.id = $2 AND app.account_id = $4
             AND (SELECT count(*) FROM inbox_secret WHERE app_id = $2 AND revoked_at IS NULL) < ${maxActiveSecrets}`,
          [id, actor.appId, secrets.seal(secret, inboxSecretPlace(id)), actor.accountId],
        );
        if (rowCount !== 1) return undefined;
        await writeAudit(client, actor, { action: 'inbox_secret.created', subject: id });
        return { id, secret };
      });
    },

    /** The secret in plain text, with an audit entry. Undefined when the app has no such active secret. */
    async show(actor: ActorInApp, id: string): Promise<string | undefined> {
      return inTransaction(pool, async (client) => {
        const { rows } = await client.query<{ sealed: string }>(
          'SELECT sealed FROM inbox_secret WHERE id = $1 AND app_id = $2 AND revoked_at IS NULL',
          [id, actor.appId],
        );
        const [row] = rows;
        if (!row) return undefined;
        await writeAudit(client, actor, { action: 'inbox_secret.shown', subject: id });
        return secrets.open(row.sealed, inboxSecretPlace(id));
      });
    },

    /** False when the app has no such active secret. */
    async revoke(actor: ActorInApp, id: string): Promise<boolean> {
      return inTransaction(pool, async (client) => {
        const { rowCount } = await client.query(
          'UPDATE inbox_secret SET revoked_at = now() WHERE id = $1 AND app_id = $2 AND revoked_at IS NULL',
          [id, actor.appId],
        );
        if (rowCount !== 1) return false;
        await writeAudit(client, actor, { action: 'inbox_secret.revoked', subject: id });
        return true;
      });
    },
  };
}

export type InboxSecrets = ReturnType<typeof createInboxSecrets>;
