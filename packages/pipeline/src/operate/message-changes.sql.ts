import { type Actor, changeWithAudit, type Queryable } from '@belfry/database';
import type pg from 'pg';
import { dropSettledTexts } from '../accept/sealed-items';

/**
 * Keeps a message as it is until the transaction ends: no result, erasure or other resend changes it meanwhile. Locks its
 * request too, in the order of `writeGenerations`.
 */
export async function lockMessage(
  client: Queryable,
  { messageId, appId }: { messageId: string; appId: string },
): Promise<void> {
  await client.query(
    `SELECT FROM message m JOIN request r ON r.id = m.request_id
     WHERE m.id = $1 AND m.app_id = $2 FOR KEY SHARE OF r FOR NO KEY UPDATE OF m`,
    [messageId, appId],
  );
}

/** Changes a queued message to skipped with the reason `cancelled`. False if it was no longer queued. */
export async function cancelMessage(
  pool: pg.Pool,
  actor: Actor,
  { messageId, appId }: { messageId: string; appId: string },
): Promise<boolean> {
  const entry = { action: 'message.cancelled', subject: messageId };
  const cancelled = await changeWithAudit(pool, { ...actor, appId }, entry, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `UPDATE message SET state = 'skipped', reason = 'cancelled', due_at = NULL, waits = NULL, settled_at = now()
       WHERE id = $1 AND app_id = $2 AND state = 'queued' RETURNING id`,
      [messageId, appId],
    );
    if (rows[0]) await dropSettledTexts(client, [messageId]);
    return rows[0];
  });
  return cancelled !== undefined;
}
