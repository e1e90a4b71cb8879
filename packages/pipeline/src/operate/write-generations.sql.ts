import type { Queryable } from '@belfry/database';
import { isErased } from './is-erased.sql';

export type NewGeneration = {
  /** The id of the new message. */
  id: string;
  /** The message to resend. */
  messageId: string;
  /** Its state when the resend was decided; if it changed, the message is not resent. */
  state: string;
  /** The integration to send with; null in the sandbox. */
  integrationId: string | null;
  timeToLiveMs: number;
};

export type WrittenGeneration = {
  id: string;
  resendOf: string;
  requestId: string;
  generation: number;
};

export type GenerationContext = {
  appId: string;
  /** The run that resends the messages, with bulk priority; undefined for a single resend by an operator. */
  resendId: string | undefined;
};

/**
 * Creates new messages for the same requests and items with the next generation number; the old messages keep their states.
 * A message is missing from the result if it changed, another resend was first, or its request is being removed or its user
 * erased. Locks prevent both at once.
 */
export async function writeGenerations(
  client: Queryable,
  { appId, resendId }: GenerationContext,
  generations: readonly NewGeneration[],
): Promise<WrittenGeneration[]> {
  const { rows } = await client.query<WrittenGeneration>(statement, [
    generations.map(({ id }) => id),
    generations.map(({ messageId }) => messageId),
    generations.map(({ state }) => state),
    generations.map(({ integrationId }) => integrationId),
    generations.map(({ timeToLiveMs }) => timeToLiveMs),
    appId,
    resendId,
  ]);
  return rows;
}

// Drops notes about the previous attempts. The lock prevents removing a request while a message is added to it.
const statement = `
INSERT INTO message (id, request_id, item, app_id, channel, target, generation, integration_id, due_at, expires_at,
  is_bulk, notes, resend_of, unknown_count)
SELECT t.id, m.request_id, m.item, m.app_id, m.channel, m.target, m.generation + 1, t.integration_id, now(),
  now() + t.time_to_live_ms * interval '1 ms', $7::uuid IS NOT NULL,
  nullif(coalesce(m.notes, '{}') - ARRAY['missing', 'failovers', 'waited_long', 'resend_run', 'cancelled_by', 'opt_out', 'passed_suppression']
    || CASE WHEN $7::uuid IS NULL THEN '{}' ELSE jsonb_build_object('resend_run', $7::uuid) END, '{}'),
  m.id, CASE WHEN m.state = 'unknown' THEN 1 ELSE 0 END
FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::float8[]) t (id, message_id, state, integration_id, time_to_live_ms)
JOIN message m ON m.id = t.message_id AND m.state = t.state
JOIN request r ON r.id = m.request_id
WHERE m.id = ANY ($2::uuid[]) AND m.app_id = $6 AND NOT ${isErased('m')}
FOR KEY SHARE OF r FOR SHARE OF m
ON CONFLICT (request_id, item, channel, target, generation) DO NOTHING
RETURNING id, resend_of AS "resendOf", request_id AS "requestId", generation`;
