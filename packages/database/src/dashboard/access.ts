import { newId } from '@belfry/runtime';
import type pg from 'pg';
import { inTransaction, type Queryable } from '../transaction';
import { type Actor, changeWithAudit, writeAudit } from './audit';

/** Who may sign in. */
export type OperatorRow = {
  id: string;
  accountId: string;
  accountName: string;
  email: string;
  passwordHash: string;
  role: string;
};

export type SessionRow = {
  operator: OperatorRow;
  expiresAt: Date;
  endsAt: Date;
};

export type SessionTimes = { idleMs: number; longestMs: number };

export type InvitationRow = {
  accountId: string;
  accountName: string;
  kind: 'setup' | 'invite' | 'reset';
  email: string | null;
  role: string;
  expiresAt: Date;
};

const operatorColumns = `o.id, o.account_id AS "accountId", a.name AS "accountName", o.email,
  o.password_hash AS "passwordHash", o.role`;

/** Operators, their sessions, and the links by which they come to be. Tokens are given as their SHA-256. */
export function createAccess(pool: pg.Pool) {
  return {
    async hasOperator(): Promise<boolean> {
      const { rows } = await pool.query('SELECT 1 FROM operator LIMIT 1');
      return rows.length > 0;
    },

    /** One for each account that has the address, oldest first. */
    async listOperators(email: string): Promise<OperatorRow[]> {
      const { rows } = await pool.query<OperatorRow>(
        `SELECT ${operatorColumns} FROM operator o JOIN account a ON a.id = o.account_id
         WHERE o.email = $1 AND o.disabled_at IS NULL ORDER BY o.created_at, o.id LIMIT ${maxAccounts}`,
        [email],
      );
      return rows;
    },

    /** Whether the first account has, or had, the address. */
    async isInFirstAccount(email: string): Promise<boolean> {
      const accountId = await findFirstAccount(pool);
      const { rows } = await pool.query(
        'SELECT 1 FROM operator WHERE account_id = $1 AND email = $2',
        [accountId, email],
      );
      return rows.length > 0;
    },

    /** The salt of every password of an address; `salt` becomes it where there is none. */
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

    createSession: (operatorId: string, tokenHash: Buffer, times: SessionTimes) =>
      createSession(pool, { operatorId, tokenHash, ...times }),

    /** The session that a token is for, if it may still be used; its end moves on with use. */
    async useSession(tokenHash: Buffer, times: SessionTimes): Promise<SessionRow | undefined> {
      return useSession(pool, { tokenHash, ...times });
    },

    async endSession(tokenHash: Buffer): Promise<void> {
      await pool.query(
        'UPDATE operator_session SET revoked_at = now() WHERE token_hash = $1 AND revoked_at IS NULL',
        [tokenHash],
      );
    },

    /** Of this operator only; false when there is none of that id. */
    endSessionById: (actor: Actor & { operatorId: string }, sessionId: string) =>
      endSessionById(pool, actor, sessionId),

    async listSessions(operatorId: string): Promise<SessionListRow[]> {
      const { rows } = await pool.query<SessionListRow>(
        `SELECT encode(token_hash, 'hex') AS id, created_at AS "createdAt", last_seen_at AS "lastSeenAt",
           expires_at AS "expiresAt"
         FROM operator_session WHERE operator_id = $1 AND revoked_at IS NULL AND expires_at > now()
         ORDER BY created_at DESC LIMIT ${maxSessionsListed}`,
        [operatorId],
      );
      return rows;
    },

    /** Every other session of the operator ends. */
    changePassword: (change: PasswordChange) => changePassword(pool, change),

    /** Uses an invitation up and makes its operator, or gives it the new password; undefined when the link ended. */
    useInvitation: (use: InvitationUse) => useInvitation(pool, use),

    createInvitation: (invitation: NewInvitation) => createInvitation(pool, invitation),

    /** Makes the operator unless the first account has the address; that account is made when there is none. */
    ensureOperator: (operator: { email: string; passwordHash: string }) =>
      ensureOperator(pool, operator),
  };
}

export type Access = ReturnType<typeof createAccess>;

export type SessionListRow = { id: string; createdAt: Date; lastSeenAt: Date; expiresAt: Date };

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

const maxSessionsListed = 50;
/** Of one address. */
const maxAccounts = 1_000;
/** A session that is used all day is written once a minute. */
const seenEveryMs = 60_000;

async function createSession(
  client: Queryable,
  session: SessionTimes & { operatorId: string; tokenHash: Buffer },
): Promise<void> {
  const { operatorId, tokenHash, idleMs, longestMs } = session;
  // Whoever signs in takes their own old ones away, so that the table does not grow for ever.
  await client.query(
    `DELETE FROM operator_session
     WHERE operator_id = $1 AND expires_at < now() - $2::float8 * interval '1 ms'`,
    [operatorId, longestMs],
  );
  await client.query(
    `INSERT INTO operator_session (token_hash, operator_id, expires_at)
     VALUES ($1, $2, now() + least($3::float8, $4::float8) * interval '1 ms')`,
    [tokenHash, operatorId, idleMs, longestMs],
  );
}

async function useSession(
  pool: pg.Pool,
  { tokenHash, idleMs, longestMs }: SessionTimes & { tokenHash: Buffer },
): Promise<SessionRow | undefined> {
  const { rows } = await pool.query<
    OperatorRow & { expiresAt: Date; endsAt: Date; isOld: boolean }
  >(
    `SELECT ${operatorColumns}, s.expires_at AS "expiresAt",
       s.created_at + $2::float8 * interval '1 ms' AS "endsAt",
       s.last_seen_at < now() - $3::float8 * interval '1 ms' AS "isOld"
     FROM operator_session s JOIN operator o ON o.id = s.operator_id JOIN account a ON a.id = o.account_id
     WHERE s.token_hash = $1 AND s.revoked_at IS NULL AND s.expires_at > now() AND o.disabled_at IS NULL`,
    [tokenHash, longestMs, seenEveryMs],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { expiresAt, endsAt, isOld, ...operator } = row;
  if (!isOld) return { operator, expiresAt, endsAt };
  const { rows: updatedRows } = await pool.query<{ expiresAt: Date }>(
    `UPDATE operator_session SET last_seen_at = now(),
       expires_at = least(now() + $2::float8 * interval '1 ms', created_at + $3::float8 * interval '1 ms')
     WHERE token_hash = $1 AND revoked_at IS NULL RETURNING expires_at AS "expiresAt"`,
    [tokenHash, idleMs, longestMs],
  );
  return { operator, expiresAt: updatedRows[0]?.expiresAt ?? expiresAt, endsAt };
}

async function endSessionById(
  pool: pg.Pool,
  actor: Actor & { operatorId: string },
  sessionId: string,
): Promise<boolean> {
  const entry = { action: 'session.ended', subject: actor.operatorId };
  const ended = await changeWithAudit(pool, actor, entry, async (client) => {
    const { rows } = await client.query(
      `UPDATE operator_session SET revoked_at = now()
       WHERE operator_id = $1 AND encode(token_hash, 'hex') = $2 AND revoked_at IS NULL RETURNING 1`,
      [actor.operatorId, sessionId],
    );
    return rows[0];
  });
  return ended !== undefined;
}

async function changePassword(pool: pg.Pool, change: PasswordChange): Promise<void> {
  const { accountId, operatorId, passwordHash, keptTokenHash } = change;
  await inTransaction(pool, async (client) => {
    await client.query('UPDATE operator SET password_hash = $2 WHERE id = $1', [
      operatorId,
      passwordHash,
    ]);
    await client.query(
      `UPDATE operator_session SET revoked_at = now()
       WHERE operator_id = $1 AND token_hash <> $2 AND revoked_at IS NULL`,
      [operatorId, keptTokenHash],
    );
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
    const change = { email: address, role };
    const action = kind === 'invite' ? 'operator.joined' : `operator.${kind}`;
    await writeAudit(client, { accountId, operatorId }, { action, subject: operatorId, change });
    return { operatorId };
  });
}

export async function endOperatorSessions(client: Queryable, operatorId: string): Promise<void> {
  await client.query(
    'UPDATE operator_session SET revoked_at = now() WHERE operator_id = $1 AND revoked_at IS NULL',
    [operatorId],
  );
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
  // Whoever lost the password may have lost a session with it.
  if (id !== undefined) await endOperatorSessions(client, id);
  return id;
}

type NewOperator = { accountId: string; email: string; passwordHash: string; role: string };

/** Undefined where the account has the address. Who was removed and is invited again comes back, as the same one. */
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

/** Undefined where the account has, or had, the address. */
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
    // One set-up link at a time: the newest that was printed.
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
    // Two processes that start at once make one account.
    await client.query(`SELECT pg_advisory_xact_lock(hashtext('belfry:first-operator'))`);
    const accountId = (await findFirstAccount(client)) ?? (await createFirstAccount(client));
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

async function createFirstAccount(client: Queryable): Promise<string> {
  const id = newId();
  await client.query('INSERT INTO account (id, name) VALUES ($1, $2)', [id, 'Account']);
  return id;
}
