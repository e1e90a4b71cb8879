import { type ActorInApp, writeAudit } from '../audit';
import { inTransaction, type Queryable } from '../transaction';
import { type IntegrationRevision, writeTestResult } from './integration-health';

const probeEveryMs = 15 * 60_000;

/**
 * Marks an integration whose provider refused its credentials, unless others were saved since. Its messages wait until it
 * works again or is probed.
 */
export async function markNeedsAttention(
  pool: Queryable,
  { integrationId, updatedAt, reason }: IntegrationRevision & { reason: string },
): Promise<void> {
  await pool.query(
    `UPDATE integration SET state = 'needs_attention', state_reason = $2, probe_at = now() + $3::float8 * interval '1 ms'
     WHERE id = $1 AND updated_at = $4 AND state IN ('active', 'needs_attention')`,
    [integrationId, reason, probeEveryMs, updatedAt],
  );
}

/** Marks an integration that works again, unless it was saved since. Its waiting messages become due now. */
export async function markActive(pool: Queryable, revision: IntegrationRevision): Promise<void> {
  await inTransaction(pool, (client) => activate(client, revision));
}

/** Records a test of the stored integration, unless it was saved since. A passed test reactivates it. */
export async function recordTestResult(
  pool: Queryable,
  actor: ActorInApp,
  revision: IntegrationRevision,
  result: { isWorking: boolean; detail: string },
): Promise<void> {
  await inTransaction(pool, async (client) => {
    // Before the shared lock of the result, or two tests could wait for each other.
    const isActivated = result.isWorking && (await activate(client, revision));
    await writeTestResult(client, revision, result);
    if (!isActivated) return;
    const entry = { action: 'integration.activated', subject: revision.integrationId };
    await writeAudit(client, actor, entry);
  });
}

/** Whether the integration needed attention before. */
async function activate(
  client: Queryable,
  { integrationId, updatedAt }: IntegrationRevision,
): Promise<boolean> {
  const { rows } = await client.query<WokenIntegration>(
    `UPDATE integration SET state = 'active', state_reason = NULL, probe_at = NULL
     WHERE id = $1 AND updated_at = $2 AND state = 'needs_attention' AND deleted_at IS NULL
     RETURNING id AS "integrationId", channel, app_id AS "appId"`,
    [integrationId, updatedAt],
  );
  for (const row of rows) await wakeMessages(client, row);
  return rows.length > 0;
}

type WokenIntegration = { integrationId: string; channel: string; appId: string };

/**
 * Makes the messages that wait for this integration due now. The same for messages that wait for another integration that
 * needs attention, when this one is in their chain. Uses the index of waiting messages.
 */
export async function wakeMessages(
  client: Queryable,
  { integrationId, channel, appId }: WokenIntegration,
): Promise<void> {
  await client.query(
    `UPDATE message SET due_at = now(), waits = NULL
     WHERE channel = $2 AND is_bulk IN (false, true) AND app_id = $3 AND waiting_at IS NOT NULL
       AND state = 'queued' AND waits IN ('paused', 'needs_attention')
       AND (integration_id = $1 OR (waits = 'needs_attention' AND EXISTS (
         SELECT 1 FROM request r JOIN event_version v ON v.id = r.version_id
         WHERE r.id = request_id AND v.definition #> ARRAY['channels', $2::text, 'integrationIds'] ? $1::text)))`,
    [integrationId, channel, appId],
  );
}

/** SQL: the next `updated_at` of integration `i`. It is the revision, so it always increases, also if the clock was set back. */
export const nextRevision = "greatest(now(), i.updated_at + interval '1 ms')";

/** SQL: the entered credentials, a text[] parameter, as the object that `credential_changes` stores. */
export function buildChanges(entered: string): string {
  return `(SELECT coalesce(jsonb_object_agg(name, (extract(epoch FROM now()) * 1000)::bigint), '{}')
    FROM unnest(${entered}::text[]) AS entered (name))`;
}
