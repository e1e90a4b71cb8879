import type { Secrets } from '@belfry/runtime';
import { createApiKey } from '@belfry/shared';
import type pg from 'pg';
import { type Actor, changeWithAudit, writeAudit } from '../audit';
import { apiKeyPlace } from '../look-ups';
import { inTransaction, type Queryable } from '../transaction';

export type AccountKeyRow = {
  id: string;
  /** Null for keys from before keys had names. */
  name: string | null;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  state: 'active' | 'ending' | 'ended';
};

export const maxActiveKeys = 2;
const maxKeysListed = 20;
const shownAfterEndDays = 30;

const stateColumn = `CASE
  WHEN revoked_at IS NOT NULL OR expires_at <= now() THEN 'ended'
  WHEN expires_at IS NOT NULL THEN 'ending' ELSE 'active' END`;

/** The API keys of an account. Keys are ended, never deleted. */
export function createAccountKeys(pool: pg.Pool, secrets: Secrets) {
  return {
    async list(accountId: string): Promise<AccountKeyRow[]> {
      const { rows } = await pool.query<AccountKeyRow>(
        `SELECT id, name, created_at AS "createdAt", last_used_at AS "lastUsedAt",
           coalesce(revoked_at, expires_at) AS "expiresAt", ${stateColumn} AS state
         FROM api_key
         WHERE account_id = $1
           AND coalesce(revoked_at, expires_at, now()) > now() - interval '${shownAfterEndDays} days'
         ORDER BY created_at DESC LIMIT ${maxKeysListed}`,
        [accountId],
      );
      return rows;
    },

    /** The key in plain text, with an audit entry. Undefined when the account has no usable key with this id. */
    async show(actor: Actor, id: string): Promise<string | undefined> {
      return inTransaction(pool, async (client) => {
        const { rows } = await client.query<{ sealed: string }>(
          `SELECT sealed FROM api_key WHERE id = $1 AND account_id = $2 AND ${stateColumn} <> 'ended'`,
          [id, actor.accountId],
        );
        const [row] = rows;
        if (!row) return undefined;
        await writeAudit(client, actor, { action: 'key.shown', subject: id });
        return secrets.open(row.sealed, apiKeyPlace(id));
      });
    },

    /** Undefined when `maxActiveKeys` are active. */
    async create(actor: Actor, name?: string): Promise<{ id: string; key: string } | undefined> {
      return inTransaction(pool, async (client) => {
        const active = await countActive(client, actor.accountId);
        return active < maxActiveKeys ? insertApiKey(client, actor, secrets, name) : undefined;
      });
    },

    /** False when the account has no usable key with this id. */
    async rename(actor: Actor, { id, name }: { id: string; name: string }): Promise<boolean> {
      const createEntry = (before: { name: string | null }) => {
        return { action: 'key.renamed', subject: id, change: { name }, before };
      };
      const renamed = await changeWithAudit(pool, actor, createEntry, async (client) => {
        const { rows } = await client.query<{ name: string | null }>(
          `UPDATE api_key k SET name = $3
           FROM (SELECT id, name FROM api_key WHERE id = $1 AND account_id = $2 AND ${stateColumn} <> 'ended' FOR UPDATE) old
           WHERE k.id = old.id RETURNING old.name`,
          [id, actor.accountId, name],
        );
        return rows[0];
      });
      return renamed !== undefined;
    },

    async end(actor: Actor, { id, afterMs, isConfirmed }: KeyEnd): Promise<KeyEndResult> {
      return inTransaction(pool, async (client) => {
        const active = await countActive(client, actor.accountId, id);
        if (active === 0 && !isConfirmed) return 'last_one';
        const { rowCount } = await client.query(
          `UPDATE api_key SET expires_at = least(coalesce(expires_at, 'infinity'), now() + $3::float8 * interval '1 ms')
           WHERE id = $1 AND account_id = $2 AND ${stateColumn} <> 'ended'`,
          [id, actor.accountId, afterMs],
        );
        if (rowCount !== 1) return 'not_found';
        const change = { after_ms: afterMs };
        await writeAudit(client, actor, { action: 'key.ended', subject: id, change });
        return 'ended';
      });
    },
  };
}

export type AccountKeys = ReturnType<typeof createAccountKeys>;
export type KeyEnd = { id: string; afterMs: number; isConfirmed: boolean };
export type KeyEndResult = 'ended' | 'not_found' | 'last_one';

/** Returns the key in plain text. It is stored as a hash, and sealed so that it can be shown again. */
export async function insertApiKey(
  client: Queryable,
  actor: Actor,
  secrets: Pick<Secrets, 'seal'>,
  name?: string,
): Promise<{ id: string; key: string }> {
  const { id, key, secretHash } = createApiKey();
  await client.query(
    'INSERT INTO api_key (id, account_id, secret_hash, sealed, name) VALUES ($1, $2, $3, $4, $5)',
    [id, actor.accountId, secretHash, secrets.seal(key, apiKeyPlace(id)), name],
  );
  const change = name === undefined ? {} : { change: { name } };
  await writeAudit(client, actor, { action: 'key.created', subject: id, ...change });
  return { id, key };
}

/** Locks the account, so that two concurrent rotations see each other's keys. */
async function countActive(
  client: Queryable,
  accountId: string,
  butNot: string | null = null,
): Promise<number> {
  await client.query('SELECT 1 FROM account WHERE id = $1 FOR UPDATE', [accountId]);
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM api_key
     WHERE account_id = $1 AND ${stateColumn} = 'active' AND id IS DISTINCT FROM $2`,
    [accountId, butNot],
  );
  return rows[0]?.count ?? 0;
}

/** Sets the last use of keys to now, unless it was less than 5 s ago. */
export async function writeKeyUses(pool: pg.Pool, ids: string[]): Promise<void> {
  await pool.query(
    `UPDATE api_key SET last_used_at = now()
     WHERE id = ANY ($1) AND (last_used_at IS NULL OR last_used_at < now() - interval '5 s')`,
    [ids],
  );
}
