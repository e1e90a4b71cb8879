import { createHash, randomBytes } from 'node:crypto';
import type { PrismaClient } from './generated/client';

export type ResetLink = { token: string; expiresAt: Date };

const tokenBytes = 32;
const resetHours = 24;

/**
 * A token by which an operator gives a new password, once; undefined where there is no such operator. Sessions and
 * earlier tokens end: who asks for a reset may have been robbed.
 */
export async function resetOperator(
  prisma: PrismaClient,
  email: string,
): Promise<ResetLink | undefined> {
  const operator = await prisma.operator.findFirst({
    where: { email: { equals: email, mode: 'insensitive' }, disabledAt: null },
  });
  if (!operator) return undefined;
  const { id, accountId, role } = operator;
  const token = randomBytes(tokenBytes).toString('base64url');
  const tokenHash = new Uint8Array(createHash('sha256').update(token).digest());
  return prisma.$transaction(async (tx) => {
    await tx.invitation.updateMany({
      where: { email: operator.email, kind: 'reset', usedAt: null },
      data: { expiresAt: new Date(0) },
    });
    await tx.operatorSession.updateMany({
      where: { operatorId: id, revokedAt: null },
      data: { revokedAt: new Date() },
    });
    // By PostgreSQL's clock, which it is compared with.
    const [row] = await tx.$queryRaw<{ expires_at: Date }[]>`
      INSERT INTO invitation (token_hash, account_id, kind, email, role, expires_at)
      VALUES (${tokenHash}, ${accountId}::uuid, 'reset', ${operator.email}, ${role},
              now() + ${resetHours} * interval '1 hour')
      RETURNING expires_at`;
    if (!row) throw new Error('An inserted invitation was not returned');
    return { token, expiresAt: row.expires_at };
  });
}
