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

/**
 * SQL of a cancel: an UPDATE of `m` that has no FROM and no WHERE. A message may wait for a resend after an unknown outcome.
 * It ends as `unknown`, because `cancelled` would say that it was not sent.
 */
export function setCancelled(notes = 'm.notes'): string {
  const ifCancelled = (value: string, otherwise: string) =>
    `CASE WHEN ${mayBeSent} THEN ${otherwise} ELSE ${value} END`;
  return `UPDATE message m SET state = ${ifCancelled("'skipped'", "'unknown'")}, reason = ${ifCancelled("'cancelled'", 'NULL')},
    due_at = NULL, waits = NULL, settled_at = ${ifCancelled('now()', 'NULL')}, notes = ${ifCancelled(notes, 'm.notes')}`;
}

const mayBeSent = `(m.unknown_count > 0 AND EXISTS (
      SELECT 1 FROM attempt a WHERE a.message_id = m.id AND a.outcome = 'unknown'))`;

/** Cancels a queued message for an operator. False if it was no longer queued. */
export async function cancelMessage(
  pool: pg.Pool,
  actor: Actor,
  { messageId, appId }: { messageId: string; appId: string },
): Promise<boolean> {
  const entry = { action: 'message.cancelled', subject: messageId };
  const cancelled = await changeWithAudit(pool, { ...actor, appId }, entry, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `${setCancelled()} WHERE m.id = $1 AND m.app_id = $2 AND m.state = 'queued' RETURNING m.id`,
      [messageId, appId],
    );
    if (rows[0]) await dropSettledTexts(client, [messageId]);
    return rows[0];
  });
  return cancelled !== undefined;
}
