import { createHash, randomBytes } from 'node:crypto';
import type { PrismaClient } from '../generated/client';

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
  prisma: PrismaClient,
  { email, accountId: requestedAccountId }: { email: string; accountId?: string | undefined },
): Promise<ResetLink | undefined> {
  const operators = await prisma.operator.findMany({
    where: {
      email: { equals: email, mode: 'insensitive' },
      disabledAt: null,
      ...(requestedAccountId === undefined ? {} : { accountId: requestedAccountId }),
    },
    include: { account: true },
    orderBy: { createdAt: 'asc' },
    take: maxAccounts,
  });
  const [operator, ...others] = operators;
  if (!operator) return undefined;
  if (others.length > 0) {
    return { accounts: operators.map(({ account: { id, name } }) => ({ id, name })) };
  }
  const { id, accountId, role, account } = operator;
  const token = randomBytes(tokenBytes).toString('base64url');
  const tokenHash = new Uint8Array(createHash('sha256').update(token).digest());
  return prisma.$transaction(async (tx) => {
    await tx.invitation.updateMany({
      where: { accountId, email: operator.email, kind: 'reset', usedAt: null },
      data: { expiresAt: new Date(0) },
    });
    await tx.operatorSession.updateMany({
      where: { operatorId: id, revokedAt: null },
      data: { revokedAt: new Date() },
    });
    // PostgreSQL's clock, because later checks compare with it.
    const [row] = await tx.$queryRaw<{ expires_at: Date }[]>`
      INSERT INTO invitation (token_hash, account_id, kind, email, role, expires_at)
      VALUES (${tokenHash}, ${accountId}::uuid, 'reset', ${operator.email}, ${role},
              now() + ${resetHours} * interval '1 hour')
      RETURNING expires_at`;
    if (!row) throw new Error('An inserted invitation was not returned');
    return { token, accountName: account.name, expiresAt: row.expires_at };
  });
}
