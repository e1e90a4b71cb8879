import { newId } from '@belfry/runtime';
import type { Queryable } from './transaction';

/** Who changes something. */
export type Actor = { accountId: string; operatorId: string | undefined };

export type AuditedChange = {
  appId?: string;
  /** Noun and verb, such as `integration.pause`. */
  action: string;
  /** The id of what was changed. */
  subject: string;
  /** What it became; never a secret. */
  change?: Record<string, unknown>;
};

/** Goes into the transaction of the change itself, so that there is never one without the other. */
export async function writeAudit(
  client: Queryable,
  { accountId, operatorId }: Actor,
  { appId, action, subject, change }: AuditedChange,
): Promise<void> {
  await client.query(
    `INSERT INTO audit_entry (id, account_id, operator_id, app_id, action, subject, change)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [newId(), accountId, operatorId ?? null, appId ?? null, action, subject, change ?? null],
  );
}
