import { newId } from '@belfry/runtime';
import type pg from 'pg';
import type { VersionRow } from '../look-ups';
import { dropSettledTexts } from '../sealed-items';
import { type Actor, changeWithAudit } from './audit';

/** A message as far as it decides whether it may be sent again. */
export type ResendableRow = {
  id: string;
  requestId: string;
  item: number;
  channel: string;
  target: string;
  generation: number;
  state: string;
  isNewest: boolean;
};

/** Of this app only. */
export async function findResendable(
  pool: pg.Pool,
  appId: string,
  messageId: string,
): Promise<ResendableRow | undefined> {
  const { rows } = await pool.query<ResendableRow>(
    `SELECT m.id, m.request_id AS "requestId", m.item, m.channel, m.target, m.generation, m.state,
       NOT EXISTS (SELECT 1 FROM message n WHERE n.request_id = m.request_id AND n.item = m.item
         AND n.channel = m.channel AND n.target = m.target AND n.generation > m.generation) AS "isNewest"
     FROM message m WHERE m.id = $1 AND m.app_id = $2`,
    [messageId, appId],
  );
  return rows[0];
}

export type NewGeneration = {
  /** The message that is sent again. */
  messageId: string;
  appId: string;
  /** Who carries it; undefined in the sandbox. */
  integrationId: string | undefined;
  timeToLiveMs: number;
};

/**
 * A new message of the same request and item, one generation on; the old one keeps its state. Undefined when another
 * resend was faster, or the request is being removed: its lock keeps both from happening at once.
 */
export async function writeGeneration(
  pool: pg.Pool,
  actor: Actor,
  { messageId, appId, integrationId, timeToLiveMs }: NewGeneration,
): Promise<{ id: string; requestId: string; generation: number } | undefined> {
  const id = newId();
  const entry = { action: 'message.resent', subject: messageId, change: { message: id } };
  return changeWithAudit(pool, { ...actor, appId }, entry, async (client) => {
    const { rows } = await client.query<{ id: string; requestId: string; generation: number }>(
      `INSERT INTO message (id, request_id, item, app_id, channel, target, generation, integration_id, due_at, expires_at,
         is_bulk, notes, resend_of, unknown_count)
       SELECT $1, m.request_id, m.item, m.app_id, m.channel, m.target, m.generation + 1, $4, now(),
         now() + $5::float8 * interval '1 ms', false, m.notes - 'missing', m.id,
         CASE WHEN m.state = 'unknown' THEN 1 ELSE 0 END
       FROM message m JOIN request r ON r.id = m.request_id WHERE m.id = $2 AND m.app_id = $3
       FOR KEY SHARE OF r
       ON CONFLICT (request_id, item, channel, target, generation) DO NOTHING
       RETURNING id, request_id AS "requestId", generation`,
      [id, messageId, appId, integrationId, timeToLiveMs],
    );
    return rows[0];
  });
}

/** queued -> skipped: cancelled. False when it was no longer waiting. */
export async function cancelMessage(
  pool: pg.Pool,
  actor: Actor,
  { messageId, appId }: { messageId: string; appId: string },
): Promise<boolean> {
  const entry = { action: 'message.cancelled', subject: messageId };
  const cancelled = await changeWithAudit(pool, { ...actor, appId }, entry, async (client) => {
    const { rows } = await client.query(
      `UPDATE message SET state = 'skipped', reason = 'cancelled', due_at = NULL, waits = NULL, settled_at = now()
       WHERE id = $1 AND app_id = $2 AND state = 'queued' RETURNING id`,
      [messageId, appId],
    );
    if (rows[0]) await dropSettledTexts(client, [messageId]);
    return rows[0];
  });
  return cancelled !== undefined;
}

/** The version that a request is pinned to. */
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
