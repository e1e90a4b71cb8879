import { newId } from '@belfry/runtime';
import type pg from 'pg';
import { writeAudit } from '../audit';
import { insertAccount } from '../configuration/accounts';
import { inTransaction, type Queryable } from '../transaction';
import {
  createOperatorSessions,
  endOperatorSessions,
  type OperatorRow,
  operatorColumns,
} from './sessions';

export type InvitationRow = {
  accountId: string;
  accountName: string;
  kind: 'setup' | 'invite' | 'reset';
  email: string | null;
  role: string;
  expiresAt: Date;
};

/** Sign-in: operators, their sessions, and invitation links. Tokens are passed as their SHA-256. */
export function createAccess(pool: pg.Pool) {
  const sessions = createOperatorSessions(pool);
  return {
    async hasOperator(): Promise<boolean> {
      const { rows } = await pool.query('SELECT FROM operator LIMIT 1');
      return rows.length > 0;
    },

    /** One operator per account with this address, oldest first. */
    async listOperators(email: string): Promise<OperatorRow[]> {
      const { rows } = await pool.query<OperatorRow>(
        `SELECT ${operatorColumns} FROM operator o JOIN account a ON a.id = o.account_id
         WHERE o.email = $1 AND o.disabled_at IS NULL ORDER BY o.created_at, o.id LIMIT ${maxAccounts}`,
        [email],
      );
      return rows;
    },

    /** Whether the address is or was an operator of the first account. */
    async isInFirstAccount(email: string): Promise<boolean> {
      const accountId = await findFirstAccount(pool);
      const { rows } = await pool.query(
        'SELECT FROM operator WHERE account_id = $1 AND email = $2',
        [accountId, email],
      );
      return rows.length > 0;
    },

    /** The salt of every password of an address. Stores `salt` when there is none yet. */
    async readSalt(email: string, salt: Buffer): Promise<Buffer> {
      const { rows } = await pool.query<{ salt: Buffer }>(
        `INSERT INTO operator_salt (email, salt) VALUES ($1, $2)
         ON CONFLICT (email) DO UPDATE SET email = excluded.email RETURNING salt`,
        [email, salt],
      );
      return rows[0]?.salt ?? salt;
    },

    async findInvitation(tokenHash: Buffer): Promise<InvitationRow | undefined> {
      return findInvitation(pool, tokenHash, '');
    },

    ...sessions,

    /** Also ends every other session of the operator. */
    changePassword: (change: PasswordChange) => changePassword(pool, change),

    /** Uses the link: creates the operator or sets the new password. Undefined when the link was used or has expired. */
    useInvitation: (use: InvitationUse) => useInvitation(pool, use),

    createInvitation: (invitation: NewInvitation) => createInvitation(pool, invitation),

    /** Creates the operator unless the first account has the address. Creates that account when there is none. */
    ensureOperator: (operator: { email: string; passwordHash: string }) =>
      ensureOperator(pool, operator),
  };
}

export type Access = ReturnType<typeof createAccess>;

export type PasswordChange = {
  accountId: string;
  operatorId: string;
  passwordHash: string;
  keptTokenHash: Buffer;
};

export type InvitationUse = { tokenHash: Buffer; email: string; passwordHash: string };

export type NewInvitation = {
  tokenHash: Buffer;
  accountId: string;
  kind: 'setup' | 'invite';
  role: string;
  livesMs: number;
};

/** Per address. */
const maxAccounts = 1_000;
async function changePassword(pool: pg.Pool, change: PasswordChange): Promise<void> {
  const { accountId, operatorId, passwordHash, keptTokenHash } = change;
  await inTransaction(pool, async (client) => {
    await client.query('UPDATE operator SET password_hash = $2 WHERE id = $1', [
      operatorId,
      passwordHash,
    ]);
    await endOperatorSessions(client, operatorId, keptTokenHash);
    const entry = { action: 'operator.password_changed', subject: operatorId };
    await writeAudit(client, { accountId, operatorId }, entry);
  });
}

async function findInvitation(
  client: Queryable,
  tokenHash: Buffer,
  lock: '' | 'FOR UPDATE OF i',
): Promise<InvitationRow | undefined> {
  const { rows } = await client.query<InvitationRow>(
    `SELECT i.account_id AS "accountId", a.name AS "accountName", i.kind, i.email, i.role, i.expires_at AS "expiresAt"
     FROM invitation i JOIN account a ON a.id = i.account_id
     WHERE i.token_hash = $1 AND i.used_at IS NULL AND i.expires_at > now()
       AND (i.kind <> 'setup' OR NOT EXISTS (SELECT 1 FROM operator o WHERE o.account_id = i.account_id)) ${lock}`,
    [tokenHash],
  );
  return rows[0];
}

async function useInvitation(
  pool: pg.Pool,
  { tokenHash, email, passwordHash }: InvitationUse,
): Promise<{ operatorId: string } | undefined> {
  return inTransaction(pool, async (client) => {
    const invitation = await findInvitation(client, tokenHash, 'FOR UPDATE OF i');
    if (!invitation) return undefined;
    const { accountId, kind, role } = invitation;
    const address = invitation.email ?? email;
    const operatorId =
      kind === 'reset'
        ? await resetPassword(client, { accountId, email: address, passwordHash })
        : await admitOperator(client, { accountId, email: address, passwordHash, role });
    if (operatorId === undefined) return undefined;
    await client.query('UPDATE invitation SET used_at = now() WHERE token_hash = $1', [tokenHash]);
    const entry = {
      ...{ action: 'operator.link_used', subject: operatorId },
      change: { kind, email: address, role },
    };
    await writeAudit(client, { accountId, operatorId }, entry);
    return { operatorId };
  });
}

async function resetPassword(
  client: Queryable,
  { accountId, email, passwordHash }: Omit<NewOperator, 'role'>,
): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>(
    `UPDATE operator SET password_hash = $3
     WHERE account_id = $1 AND email = $2 AND disabled_at IS NULL RETURNING id`,
    [accountId, email, passwordHash],
  );
  const id = rows[0]?.id;
  // If the password was stolen, a session may have been stolen too.
  if (id !== undefined) await endOperatorSessions(client, id);
  return id;
}

type NewOperator = { accountId: string; email: string; passwordHash: string; role: string };

/** Undefined when the account has the address. A removed operator is enabled again and keeps the id. */
async function admitOperator(
  client: Queryable,
  operator: NewOperator,
): Promise<string | undefined> {
  const inserted = await insertOperator(client, operator);
  if (inserted !== undefined) return inserted;
  const { accountId, email, passwordHash, role } = operator;
  const { rows } = await client.query<{ id: string }>(
    `UPDATE operator SET password_hash = $3, role = $4, disabled_at = NULL, created_at = now()
     WHERE account_id = $1 AND email = $2 AND disabled_at IS NOT NULL RETURNING id`,
    [accountId, email, passwordHash, role],
  );
  return rows[0]?.id;
}

/** Undefined when the address is or was an operator of the account. */
async function insertOperator(
  client: Queryable,
  { accountId, email, passwordHash, role }: NewOperator,
): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>(
    `INSERT INTO operator (id, account_id, email, password_hash, role) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (account_id, email) DO NOTHING RETURNING id`,
    [newId(), accountId, email, passwordHash, role],
  );
  return rows[0]?.id;
}

async function createInvitation(pool: pg.Pool, invitation: NewInvitation): Promise<Date> {
  const { tokenHash, accountId, kind, role, livesMs } = invitation;
  return inTransaction(pool, async (client) => {
    // Only the newest set-up link of an account works.
    await client.query(
      `UPDATE invitation SET expires_at = now()
       WHERE account_id = $1 AND kind = $2 AND kind = 'setup' AND used_at IS NULL AND expires_at > now()`,
      [accountId, kind],
    );
    const { rows } = await client.query<{ expires_at: Date }>(
      `INSERT INTO invitation (token_hash, account_id, kind, role, expires_at)
       VALUES ($1, $2, $3, $4, now() + $5::float8 * interval '1 ms') RETURNING expires_at`,
      [tokenHash, accountId, kind, role, livesMs],
    );
    return rows[0]?.expires_at ?? new Date(0);
  });
}

async function ensureOperator(
  pool: pg.Pool,
  { email, passwordHash }: { email: string; passwordHash: string },
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    // Two processes that start at once create one account.
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('belfry:first-operator'))`);
    const accountId = (await findFirstAccount(client)) ?? (await insertAccount(client, 'Account'));
    const operator = { accountId, email, passwordHash, role: 'owner' };
    const operatorId = await insertOperator(client, operator);
    if (operatorId === undefined) return false;
    const entry = { action: 'operator.setup', subject: operatorId };
    await writeAudit(client, { accountId, operatorId }, entry);
    return true;
  });
}

async function findFirstAccount(client: Queryable): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>(
    'SELECT id FROM account ORDER BY created_at, id LIMIT 1',
  );
  return rows[0]?.id;
}
