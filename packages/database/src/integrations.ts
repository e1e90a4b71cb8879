import type pg from 'pg';
import type { Queryable } from './transaction';

const probeEveryMs = 15 * 60_000;

/** Marks an integration whose provider refused it; its messages wait until it works again or is probed. */
export async function markNeedsAttention(
  pool: pg.Pool,
  { integrationId, reason }: { integrationId: string; reason: string },
): Promise<void> {
  await pool.query(
    `UPDATE integration SET state = 'needs_attention', state_reason = $2, probe_at = now() + $3::float8 * interval '1 ms'
     WHERE id = $1 AND state IN ('active', 'needs_attention')`,
    [integrationId, reason, probeEveryMs],
  );
}

/** An integration that works again: its messages go on at once. */
export async function markActive(pool: pg.Pool, integrationId: string): Promise<void> {
  await letGoOn(pool, integrationId, 'needs_attention');
}

/** Active again, and what waits for it is due at once; found by the index of what waits. */
export async function letGoOn(
  client: Queryable,
  integrationId: string,
  state: 'paused' | 'needs_attention',
): Promise<void> {
  await client.query(
    `WITH i AS (
       UPDATE integration SET state = 'active', state_reason = NULL, probe_at = NULL
       WHERE id = $1 AND state = $2 AND deleted_at IS NULL RETURNING id, channel, app_id
     )
     UPDATE message m SET due_at = now(), waits = NULL FROM i
     WHERE m.channel = i.channel AND m.is_bulk IN (false, true) AND m.app_id = i.app_id
       AND m.due_at IS NOT NULL AND m.job_id IS NULL
       AND m.integration_id = i.id AND m.state = 'queued' AND m.waits = $2`,
    [integrationId, state],
  );
}
