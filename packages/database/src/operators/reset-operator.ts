import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { createSystemActor, writeAudit } from '../audit';
import { inTransaction } from '../transaction';
import { endOperatorSessions, type OperatorRow, operatorColumns } from './sessions';

/** `accounts` lists the accounts with this address when there are several and none was chosen. */
export type ResetLink =
  | { token: string; accountName: string; expiresAt: Date }
  | { accounts: { id: string; name: string }[] };

const tokenBytes = 32;
const resetHours = 24;

/** Maximum accounts listed for one address. */
const maxAccounts = 100;

/**
 * Creates a token that sets a new password once. Undefined when there is no such operator. Ends the operator's sessions and
 * earlier tokens, because the password may have been stolen. `accountId` chooses one of several accounts with the address.
 */
export async function resetOperator(
  pool: pg.Pool,
  { email, accountId }: { email: string; accountId?: string | undefined },
): Promise<ResetLink | undefined> {
  const { rows } = await pool.query<OperatorRow>(
    `SELECT ${operatorColumns} FROM operator o JOIN account a ON a.id = o.account_id
     WHERE lower(o.email) = lower($1) AND o.disabled_at IS NULL AND ($2::uuid IS NULL OR o.account_id = $2)
     ORDER BY o.created_at LIMIT ${maxAccounts}`,
    [email, accountId],
  );
  const [operator, ...others] = rows;
  if (!operator) return undefined;
  if (others.length === 0) return createResetLink(pool, operator);
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
