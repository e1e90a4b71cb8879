import { newId } from '@belfry/runtime';
import type pg from 'pg';
import { inTransaction, type Queryable } from './transaction';

/** The author of a change, and the app that it belongs to. Without an operator, the audit page shows "the command line". */
export type Actor = { accountId: string; operatorId: string | undefined; appId?: string };
export type ActorInApp = Actor & { appId: string };

/** For changes that no operator makes: the command line, the demo account, tests. */
export function createSystemActor(accountId: string): Actor {
  return { accountId, operatorId: undefined };
}

/** An entry never holds a secret. */
export type NewAuditEntry = { action: string; subject: string; change?: Record<string, unknown> };

/** Commits the change and its audit entry together, in SQL (docs/decisions/0006-batched-sql-and-prisma.md). `work` returns undefined when it changed nothing: then there is no entry. */
export async function changeWithAudit<T>(
  pool: pg.Pool,
  actor: Actor,
  entry: NewAuditEntry,
  work: (client: Queryable) => Promise<T | undefined>,
): Promise<T | undefined> {
  return inTransaction(pool, async (client) => {
    const result = await work(client);
    if (result !== undefined) await writeAudit(client, actor, entry);
    return result;
  });
}

export async function writeAudit(
  client: Queryable,
  { accountId, operatorId, appId }: Actor,
  { action, subject, change }: NewAuditEntry,
): Promise<void> {
  await client.query(
    `INSERT INTO audit_entry (id, account_id, operator_id, app_id, action, subject, change)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [newId(), accountId, operatorId, appId, action, subject, change && JSON.stringify(change)],
  );
}

export type AuditEntryRow = {
  id: string;
  at: Date;
  operator: string | null;
  appId: string | null;
  action: string;
  subject: string;
  change: unknown;
};

/** Newest first; `before` is the id of the entry after the page. */
export async function listAuditEntries(
  pool: pg.Pool,
  accountId: string,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<AuditEntryRow[]> {
  const { rows } = await pool.query<AuditEntryRow>(
    `SELECT a.id, a.created_at AS at, o.email AS operator, a.app_id AS "appId", a.action, a.subject, a.change
     FROM audit_entry a LEFT JOIN operator o ON o.id = a.operator_id
     WHERE a.account_id = $1 AND ($2::uuid IS NULL OR a.id < $2)
     ORDER BY a.id DESC LIMIT $3`,
    [accountId, before, limit],
  );
  return rows;
}
