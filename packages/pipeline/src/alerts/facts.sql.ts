import { type IntegrationHealth, joinHealth, type Queryable, selectHealth } from '@belfry/database';
import { isPaused } from '../deliver/eligibility.sql';
import { firstIdAt } from '../relay/storage-slices.sql';

/** Facts for alert rules: each statement names the app, and reads what is counted or indexed already. */

type EndedCount = { failed: number; ended: number };

/** Messages by the minute in which their request was accepted; see `MessageMinute`. */
export async function countEnded(
  database: Queryable,
  { appId, channel, from }: { appId: string; channel: string | null; from: Date },
): Promise<EndedCount> {
  const { rows } = await database.query<EndedCount>(
    `SELECT coalesce(sum(failed), 0)::int AS failed, coalesce(sum(sent + delivered + read + failed + unknown), 0)::int AS ended
     FROM message_minute WHERE app_id = $1 AND minute > $2 AND ($3::text IS NULL OR channel = $3)`,
    [appId, from, channel],
  );
  return rows[0] ?? { failed: 0, ended: 0 };
}

type OldestWaiting = { channel: string; dueAt: Date };

/** Per channel and class. Older ones that are all paused can hide one that is not. */
const waitingRead = 1_000;
const waitingColumns = 'id, app_id, channel, integration_id, due_at';

/** The message that is due longest and not paused, if it was due before this time. */
export async function findOldestWaiting(
  database: Queryable,
  { appId, channels, before }: { appId: string; channels: readonly string[]; before: Date },
): Promise<OldestWaiting | undefined> {
  const { rows } = await database.query<OldestWaiting>(
    `SELECT m.channel, m.due_at AS "dueAt" FROM unnest($2::text[]) c (channel) CROSS JOIN LATERAL (
       SELECT q.* FROM (VALUES (false), (true)) s (is_bulk) CROSS JOIN LATERAL (
         SELECT ${waitingColumns} FROM message
         WHERE channel = c.channel AND is_bulk = s.is_bulk AND app_id = $1 AND waiting_at < $3 AND state = 'queued'
         ORDER BY waiting_at LIMIT ${waitingRead}) q
       UNION ALL
       (SELECT ${waitingColumns} FROM message
        WHERE channel = c.channel AND app_id = $1 AND has_job AND state = 'queued' AND due_at < $3 LIMIT ${waitingRead})
     ) m
     WHERE NOT ${isPaused('m')} ORDER BY m.due_at LIMIT 1`,
    [appId, channels, before],
  );
  return rows[0];
}

export type WatchedIntegration = IntegrationHealth & {
  id: string;
  name: string;
  provider: string;
  channel: string;
  state: 'active' | 'needs_attention' | 'paused';
};

const integrationsRead = 500;

/** The integrations of the app with their health, or only these. */
export async function listWatched(
  database: Queryable,
  { appId, ids }: { appId: string; ids: readonly string[] | null },
): Promise<WatchedIntegration[]> {
  const { rows } = await database.query<WatchedIntegration>(
    `SELECT i.id, i.name, i.provider, i.channel, i.state, ${selectHealth}
     FROM integration i ${joinHealth}
     WHERE i.app_id = $1 AND i.deleted_at IS NULL AND ($2::uuid[] IS NULL OR i.id = ANY ($2))
     ORDER BY i.name, i.id LIMIT ${integrationsRead}`,
    [appId, ids],
  );
  return rows;
}

/** Channels of the live events of the app. */
export async function listLiveChannels(database: Queryable, appId: string): Promise<string[]> {
  const { rows } = await database.query<{ channel: string }>(
    `SELECT DISTINCT c.channel FROM event e JOIN event_version v ON v.id = e.live_version_id
     CROSS JOIN LATERAL jsonb_object_keys(v.definition -> 'channels') c (channel)
     WHERE e.app_id = $1 AND e.deleted_at IS NULL ORDER BY 1`,
    [appId],
  );
  return rows.map(({ channel }) => channel);
}

type RoleHeartbeat = { role: string; heartbeatAt: Date };

/** The newest heartbeat of each role. */
export async function readRoleHeartbeats(database: Queryable): Promise<Map<string, Date>> {
  const { rows } = await database.query<RoleHeartbeat>(
    `SELECT r.role, max(w.heartbeat_at) AS "heartbeatAt" FROM worker_heartbeat w CROSS JOIN LATERAL unnest(w.roles) r (role)
     GROUP BY 1`,
  );
  return new Map(rows.map(({ role, heartbeatAt }) => [role, heartbeatAt]));
}

type AcceptedCount = { integrationId: string; accepted: number };

/** Messages that providers accepted, from counts of 5 minutes whose start is in the period. */
export async function countAccepted(
  database: Queryable,
  { appId, from, to }: { appId: string; from: Date; to: Date },
): Promise<Map<string, number>> {
  const { rows } = await database.query<AcceptedCount>(
    `SELECT c.integration_id AS "integrationId", sum(c.succeeded)::int AS accepted
     FROM integration i JOIN integration_count c ON c.integration_id = i.id
     WHERE i.app_id = $1 AND i.deleted_at IS NULL AND c.at >= $2 AND c.at < $3 GROUP BY 1`,
    [appId, from, to],
  );
  return new Map(rows.map(({ integrationId, accepted }) => [integrationId, accepted]));
}

type LastReceipt = { integrationId: string; at: Date };

/** The newest receipt of each integration since this time. Reads the newest receipts of all apps by primary key. */
export async function readLastReceipts(
  database: Queryable,
  { appId, from }: { appId: string; from: Date },
): Promise<LastReceipt[]> {
  const { rows } = await database.query<LastReceipt>(
    `SELECT integration_id AS "integrationId", max(received_at) AS at FROM receipt
     WHERE id >= $2::uuid AND app_id = $1 AND integration_id IS NOT NULL GROUP BY 1`,
    [appId, firstIdAt(from.getTime())],
  );
  return rows;
}
