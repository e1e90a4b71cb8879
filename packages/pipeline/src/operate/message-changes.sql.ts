import { type Actor, changeWithAudit } from '@belfry/database';
import type pg from 'pg';
import { dropSettledTexts } from '../accept/sealed-items';
import {
  type NewGeneration,
  type WrittenGeneration,
  writeGenerations,
} from './write-generations.sql';

/** Resends one message that an operator chose. Undefined if it changed, or another resend was first. */
export async function writeGeneration(
  pool: pg.Pool,
  actor: Actor,
  { appId, generation }: { appId: string; generation: NewGeneration },
): Promise<WrittenGeneration | undefined> {
  const { id, messageId } = generation;
  const entry = { action: 'message.resent', subject: messageId, change: { message: id } };
  return changeWithAudit(pool, { ...actor, appId }, entry, async (client) => {
    const generations = await writeGenerations(client, { appId, resendId: undefined }, [
      generation,
    ]);
    return generations[0];
  });
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
