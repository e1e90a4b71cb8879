import type { Secrets } from '@belfry/runtime';
import { createApiKey } from '@belfry/shared';
import type pg from 'pg';
import { type Actor, writeAudit } from './audit';
import { apiKeyPlace } from './look-ups';
import { inTransaction, type Queryable } from './transaction';

export type AccountKey = {
  id: string;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
};

export type KeyCreated = { id: string; key: string } | { refused: 'too_many_keys' };
export type KeyEnded = 'ended' | 'key_not_found' | 'last_key';

/** So that a key can be rotated without a gap. */
const maxActiveKeys = 2;

/** An account's API keys, as its operators handle them. */
export function createAccountKeys(pool: pg.Pool, secrets: Secrets) {
  return {
    listKeys: (accountId: string) => listActive(pool, accountId),

    /** The key in clear; that it was shown is written down. */
    async showKey(actor: Actor, id: string): Promise<string | undefined> {
      return inTransaction(pool, async (client) => {
        const { rows } = await client.query<{ sealed: string }>(
          `SELECT sealed FROM api_key WHERE account_id = $1 AND id = $2 AND ${isActive}`,
          [actor.accountId, id],
        );
        if (!rows[0]) return undefined;
        await writeAudit(client, actor, { action: 'api_key.show', subject: id });
        return secrets.open(rows[0].sealed, apiKeyPlace(id));
      });
    },

    /** A second key beside the first. */
    async createKey(actor: Actor): Promise<KeyCreated> {
      return inTransaction(pool, async (client) => {
        await lockAccount(client, actor.accountId);
        const active = await listActive(client, actor.accountId);
        if (active.length >= maxActiveKeys) return { refused: 'too_many_keys' };
        const { id, key, secretHash } = createApiKey();
        await client.query(
          'INSERT INTO api_key (id, account_id, secret_hash, sealed) VALUES ($1, $2, $3, $4)',
          [id, actor.accountId, secretHash, secrets.seal(key, apiKeyPlace(id))],
        );
        await writeAudit(client, actor, { action: 'api_key.create', subject: id });
        return { id, key };
      });
    },

    /** Never the last one: without a key the account is shut out. */
    async endKey(actor: Actor, id: string): Promise<KeyEnded> {
      return inTransaction(pool, async (client) => {
        await lockAccount(client, actor.accountId);
        const active = await listActive(client, actor.accountId);
        if (!active.some((key) => key.id === id)) return 'key_not_found';
        if (active.length === 1) return 'last_key';
        await client.query('UPDATE api_key SET revoked_at = now() WHERE id = $1', [id]);
        await writeAudit(client, actor, { action: 'api_key.end', subject: id });
        return 'ended';
      });
    },
  };
}

export type AccountKeys = ReturnType<typeof createAccountKeys>;

const isActive = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())';

async function listActive(client: Queryable, accountId: string): Promise<AccountKey[]> {
  const { rows } = await client.query<AccountKey>(
    `SELECT id, created_at AS "createdAt", expires_at AS "expiresAt", last_used_at AS "lastUsedAt"
     FROM api_key WHERE account_id = $1 AND ${isActive} ORDER BY created_at`,
    [accountId],
  );
  return rows;
}

/** The account's row is the lock that lets its keys be counted. */
async function lockAccount(client: Queryable, accountId: string): Promise<void> {
  await client.query('SELECT 1 FROM account WHERE id = $1 FOR UPDATE', [accountId]);
}
