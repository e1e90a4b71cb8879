import type pg from 'pg';
import { type Actor, changeWithAudit } from '../audit';
import { clearHealth } from './integration-health';
import { buildChanges, nextRevision, wakeMessages } from './integration-state';

/** The data that an installation of the Slack app provides. */
export type SlackInstall = {
  integrationId: string;
  /** Sealed; see `integrationPlace`. */
  credentials: string;
  settings: { team_id: string; app_id: string; bot_user_id: string };
};

/** Stores the installation; waiting messages become due now. False when the account has no such Slack integration. */
export async function fillSlackIntegration(
  pool: pg.Pool,
  actor: Actor,
  { integrationId, credentials, settings }: SlackInstall,
): Promise<boolean> {
  const entry = { action: 'integration.installed', subject: integrationId, change: settings };
  const filled = await changeWithAudit(pool, actor, entry, async (client) => {
    const { rows } = await client.query<{ channel: string; appId: string }>(
      `UPDATE integration i SET credentials = $3, settings = i.settings || $4::jsonb,
         credential_changes = i.credential_changes || ${buildChanges('$5')},
         updated_at = ${nextRevision},
         state = CASE WHEN i.state = 'needs_attention' THEN 'active' ELSE i.state END,
         state_reason = CASE WHEN i.state = 'needs_attention' THEN NULL ELSE i.state_reason END, probe_at = NULL
       FROM app a
       WHERE i.id = $1 AND a.id = i.app_id AND a.account_id = $2 AND a.deleted_at IS NULL
         AND i.provider = 'slack' AND i.deleted_at IS NULL
       RETURNING i.channel, i.app_id AS "appId"`,
      [integrationId, actor.accountId, credentials, JSON.stringify(settings), ['access_token']],
    );
    const [row] = rows;
    if (row) {
      await clearHealth(client, integrationId);
      await wakeMessages(client, { ...row, integrationId });
    }
    return row;
  });
  return filled !== undefined;
}

export type SlackRevocation = {
  teamId: string;
  appId: string;
  /** Undefined when the whole app was uninstalled. */
  botUserIds: string[] | undefined;
  reason: string;
};

/** Marks the integrations whose token Slack revoked, and returns their ids. A paused integration stays paused. */
export async function markSlackRevoked(
  pool: pg.Pool,
  { teamId, appId, botUserIds, reason }: SlackRevocation,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `UPDATE integration SET state = 'needs_attention', state_reason = $4, probe_at = now() + interval '15 minutes'
     WHERE provider = 'slack' AND deleted_at IS NULL AND state IN ('active', 'needs_attention')
       AND settings ->> 'team_id' = $1 AND settings ->> 'app_id' = $2
       AND ($3::text[] IS NULL OR settings ->> 'bot_user_id' = ANY ($3::text[]))
     RETURNING id`,
    [teamId, appId, botUserIds, reason],
  );
  return rows.map(({ id }) => id);
}
