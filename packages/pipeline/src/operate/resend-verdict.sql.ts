import { listOfTexts, type Queryable } from '@belfry/database';
import { type ResendObstacle, renderFailures, resendableStates } from '@belfry/shared';
import {
  canCarry,
  isWebPush,
  messageFacts,
  type Obstacle,
  plannedDevice,
  selectEligibility,
  skippingObstacles,
} from '../deliver/eligibility.sql';
import { type CurrentSuppression, selectSuppression } from '../deliver/suppression.sql';
import { isErased } from './is-erased.sql';
import { isResent } from './is-resent.sql';

/** SQL expression: where a version of an app delivers. A test version has its own setting. */
export const readDelivery = (version: string, app: string) =>
  `coalesce(${version}.definition ->> 'delivery', ${app}.delivery::text)`;

/** Whether and how a message may be resent. */
export type ResendVerdict = {
  id: string;
  requestId: string;
  channel: string;
  state: string;
  obstacle: ResendObstacle | null;
  /** The new message would wait: its app, channel or integration is paused, or the integration needs attention. */
  waits: WaitingObstacle | null;
  suppression: CurrentSuppression | null;
  /** The integration of the new message: the first of the pinned version that was not removed. Null in the sandbox. */
  integrationId: string | null;
  timeToLiveMs: number;
};

const waitingObstacles = ['paused', 'needs_attention'] as const satisfies readonly Obstacle[];
export type WaitingObstacle = (typeof waitingObstacles)[number];

type VerdictRow = Omit<ResendVerdict, 'waits'> & { claim: Obstacle | null };

/** The one answer to whether messages of an app may be resent. One that a claim would only skip again is not. */
export async function judgeResends(
  client: Queryable,
  appId: string,
  messageIds: readonly string[],
): Promise<ResendVerdict[]> {
  if (messageIds.length === 0) return [];
  const { rows } = await client.query<VerdictRow>(statement, [appId, messageIds]);
  return rows.map(({ claim, ...row }) => {
    const skip = skippingObstacles.find((obstacle) => obstacle === claim);
    const waits = waitingObstacles.find((obstacle) => obstacle === claim) ?? null;
    return { ...row, obstacle: row.obstacle ?? skip ?? null, waits };
  });
}

const statement = `
WITH m AS MATERIALIZED (
  SELECT m.id, m.request_id, m.item, m.app_id, m.channel, m.target, m.state, m.reason, ${plannedDevice('m')} AS device, q.version_id
  FROM message m JOIN request q ON q.id = m.request_id
  WHERE m.id = ANY ($2::uuid[]) AND m.app_id = $1
), pinned AS MATERIALIZED (
  -- Once per version, channel and provider of the target, because definitions are large.
  SELECT p.version_id, p.channel, p.is_web_push, coalesce((v.definition ->> 'isSensitive')::bool, false) AS is_sensitive,
    (c.version #>> '{policy,timeToLiveMs}')::float8 AS time_to_live_ms, t.id AS integration_id,
    c.is_live AND t.id IS NULL AND jsonb_array_length(c.version -> 'integrationIds') > 0 AS has_no_integration
  FROM (SELECT DISTINCT version_id, channel, ${isWebPush('m')} AS is_web_push FROM m) p
  JOIN app a ON a.id = $1
  JOIN event_version v ON v.id = p.version_id
  CROSS JOIN LATERAL (
    SELECT v.definition #> ARRAY['channels', p.channel] AS version, ${readDelivery('v', 'a')} = 'live' AS is_live
  ) c
  LEFT JOIN LATERAL (
    SELECT i.id FROM jsonb_array_elements_text(c.version -> 'integrationIds') WITH ORDINALITY l (id, place)
    JOIN integration i ON i.id = l.id::uuid AND i.app_id = $1 AND i.deleted_at IS NULL
    WHERE c.is_live AND ${canCarry('i', 'p.is_web_push')} ORDER BY l.place LIMIT 1
  ) t ON true
)
SELECT e.id, e.request_id AS "requestId", e.channel, e.state, e.integration_id AS "integrationId",
  e.time_to_live_ms AS "timeToLiveMs", e.obstacle AS claim, CASE
    WHEN ${isErased('e')} THEN 'erased'
    WHEN e.is_sensitive THEN 'sensitive'
    WHEN e.state NOT IN (${listOfTexts(resendableStates)}) THEN 'not_ended'
    WHEN ${isResent('e')} THEN 'resent'
    WHEN e.state = 'failed' AND e.reason IN (${listOfTexts(renderFailures)}) THEN 'unrenderable'
    WHEN e.has_no_integration THEN 'no_integration' END AS obstacle,
  ${selectSuppression('e')} AS suppression
FROM (${selectEligibility(
  `(SELECT m.*, p.is_sensitive, p.time_to_live_ms, p.integration_id, p.has_no_integration, 'infinity'::timestamptz AS expires_at
    FROM m JOIN pinned p ON p.version_id = m.version_id AND p.channel = m.channel AND p.is_web_push IS NOT DISTINCT FROM ${isWebPush('m')})`,
  messageFacts,
)}) e`;
