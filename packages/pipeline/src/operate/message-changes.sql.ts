import type { VersionRow } from '@belfry/database';
import { type Actor, changeWithAudit } from '@belfry/database';
import { formatErasedTarget } from '@belfry/shared';
import type pg from 'pg';
import { dropSettledTexts } from '../accept/sealed-items';
import { isResent } from './is-resent.sql';
import {
  type NewGeneration,
  type WrittenGeneration,
  writeGenerations,
} from './write-generations.sql';

/** The fields of a message that decide whether it may be resent. */
export type ResendableRow = {
  id: string;
  requestId: string;
  item: number;
  channel: string;
  target: string;
  generation: number;
  state: string;
  isNewest: boolean;
  /** The message of an erased user: its content and recipient are gone. */
  isErased: boolean;
};

/** Finds a message of this app. */
export async function findResendable(
  pool: pg.Pool,
  appId: string,
  messageId: string,
): Promise<ResendableRow | undefined> {
  const { rows } = await pool.query<Omit<ResendableRow, 'isErased'>>(
    `SELECT m.id, m.request_id AS "requestId", m.item, m.channel, m.target, m.generation, m.state,
       NOT ${isResent('m')} AS "isNewest"
     FROM message m WHERE m.id = $1 AND m.app_id = $2`,
    [messageId, appId],
  );
  const [row] = rows;
  return row && { ...row, isErased: row.target === formatErasedTarget(row.id) };
}

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

/** Finds the version that a request is pinned to. */
export async function findVersionOfRequest(
  pool: pg.Pool,
  requestId: string,
): Promise<VersionRow | undefined> {
  const { rows } = await pool.query<VersionRow>(
    `SELECT v.id, v.event_id AS "eventId", v.definition FROM request r JOIN event_version v ON v.id = r.version_id
     WHERE r.id = $1`,
    [requestId],
  );
  return rows[0];
}
