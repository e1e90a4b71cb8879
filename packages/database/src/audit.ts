import { newId } from '@belfry/runtime';
import { inTransaction, type Queryable } from './transaction';

/**
 * The author of a change, and the app that it belongs to. Without an operator, the audit page shows `by`, or else "the
 * command line".
 */
export type Actor = {
  accountId: string;
  operatorId: string | undefined;
  appId?: string;
  /** An API key, or Belfry itself. */
  by?: string;
};
export type ActorInApp = Actor & { appId: string };

/** For changes that no operator makes: the command line, the demo account, tests. */
export function createSystemActor(accountId: string): Actor {
  return { accountId, operatorId: undefined };
}

/** An entry never holds a secret. */
export type NewAuditEntry = {
  action: string;
  subject: string;
  change?: Record<string, unknown>;
  /** The old values of the fields in `change`. */
  before?: Record<string, unknown>;
};

/** Commits the change and its audit entry together, in SQL (docs/decisions/0006-batched-sql-and-prisma.md). `work` returns undefined when it changed nothing: then there is no entry. `entry` can depend on its result. */
export async function changeWithAudit<T>(
  pool: Queryable,
  actor: Actor,
  entry: NewAuditEntry | ((result: T) => NewAuditEntry),
  work: (client: Queryable) => Promise<T | undefined>,
): Promise<T | undefined> {
  return inTransaction(pool, async (client) => {
    const result = await work(client);
    if (result === undefined) return undefined;
    await writeAudit(client, actor, typeof entry === 'function' ? entry(result) : entry);
    return result;
  });
}

export async function writeAudit(
  client: Queryable,
  { accountId, operatorId, appId, by }: Actor,
  { action, subject, change: changedFields, before }: NewAuditEntry,
): Promise<void> {
  const change = by === undefined ? changedFields : { ...changedFields, by };
  await client.query(
    `INSERT INTO audit_entry (id, account_id, operator_id, app_id, action, subject, change, before)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      ...[newId(), accountId, operatorId, appId, action, subject],
      ...[change && JSON.stringify(change), before && JSON.stringify(before)],
    ],
  );
}
