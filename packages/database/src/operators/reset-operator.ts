import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { createSystemActor, writeAudit } from '../audit';
import { inTransaction } from '../transaction';
import { endOperatorSessions, type OperatorRow, operatorColumns } from './sessions';
import { deleteTotp } from './totp';

/** `accountId` chooses one of several accounts with the address. */
export type OperatorChoice = { email: string; accountId?: string | undefined };

/** The accounts with this address when there are several and none was chosen. */
type SeveralAccounts = { accounts: { id: string; name: string }[] };

export type ResetLink = { token: string; accountName: string; expiresAt: Date } | SeveralAccounts;

export type TotpReset = { accountName: string; wasOn: boolean } | SeveralAccounts;

const tokenBytes = 32;
const resetHours = 24;

/** Maximum accounts listed for one address. */
const maxAccounts = 100;

/**
 * Creates a token that sets a new password once. Undefined when there is no such operator. Ends the operator's sessions and
 * earlier tokens, because the password may have been stolen. Two-step sign-in stays on.
 */
export async function resetOperator(
  pool: pg.Pool,
  choice: OperatorChoice,
): Promise<ResetLink | undefined> {
  const operator = await findOperator(pool, choice);
  return operator && 'id' in operator ? createResetLink(pool, operator) : operator;
}

/** Turns two-step sign-in off, and ends the operator's sessions. Undefined when there is no such operator. */
export async function resetOperatorTotp(
  pool: pg.Pool,
  choice: OperatorChoice,
): Promise<TotpReset | undefined> {
  const operator = await findOperator(pool, choice);
  if (!operator || 'accounts' in operator) return operator;
  const { id, accountId, accountName, email } = operator;
  return inTransaction(pool, async (client) => {
    const wasOn = await deleteTotp(client, id);
    if (!wasOn) return { accountName, wasOn };
    await endOperatorSessions(client, id);
    const entry = { action: 'operator.totp_reset', subject: id, change: { email } };
    await writeAudit(client, createSystemActor(accountId), entry);
    return { accountName, wasOn };
  });
}

async function findOperator(
  pool: pg.Pool,
  { email, accountId }: OperatorChoice,
): Promise<OperatorRow | SeveralAccounts | undefined> {
  const { rows } = await pool.query<OperatorRow>(
    `SELECT ${operatorColumns} FROM operator o JOIN account a ON a.id = o.account_id
     WHERE lower(o.email) = lower($1) AND o.disabled_at IS NULL AND ($2::uuid IS NULL OR o.account_id = $2)
     ORDER BY o.created_at LIMIT ${maxAccounts}`,
    [email, accountId],
  );
  if (rows.length <= 1) return rows[0];
  return { accounts: rows.map((row) => ({ id: row.accountId, name: row.accountName })) };
}

async function createResetLink(pool: pg.Pool, operator: OperatorRow): Promise<ResetLink> {
  const { id, accountId, accountName, email, role } = operator;
  const token = randomBytes(tokenBytes).toString('base64url');
  const tokenHash = createHash('sha256').update(token).digest();
  return inTransaction(pool, async (client) => {
    await client.query(
      `UPDATE invitation SET expires_at = now()
       WHERE account_id = $1 AND email = $2 AND kind = 'reset' AND used_at IS NULL AND expires_at > now()`,
      [accountId, email],
    );
    await endOperatorSessions(client, id);
    const { rows } = await client.query<{ expiresAt: Date }>(
      `INSERT INTO invitation (token_hash, account_id, kind, email, role, expires_at)
       VALUES ($1, $2, 'reset', $3, $4, now() + interval '${resetHours} hours') RETURNING expires_at AS "expiresAt"`,
      [tokenHash, accountId, email, role],
    );
    const [row] = rows;
    if (!row) throw new Error('An inserted invitation was not returned');
    const entry = { action: 'operator.reset_link_created', subject: id, change: { email } };
    await writeAudit(client, createSystemActor(accountId), entry);
    return { token, accountName, expiresAt: row.expiresAt };
  });
}
