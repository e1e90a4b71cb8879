import { addressKey, hashToken } from '@belfry/database';
import type { EventKind, OptOut } from '@belfry/shared';
import type pg from 'pg';
import { hasNoOptOut, type PreferenceFacts, selectOptOut } from './opt-out.sql';
import { type CurrentSuppression, selectSuppression } from './suppression.sql';

/** The message fails. */
export const failingObstacles = ['expired', 'integration_removed'] as const;
/** The message is skipped. */
export const skippingObstacles = ['suppressed', 'device_gone', 'opted_out'] as const;

/**
 * The reason why a message cannot be sent now. `failover`: its integration needs attention, and the next one of the chain
 * sends it. `paused` and `needs_attention`: the message waits.
 */
export type Obstacle =
  | (typeof failingObstacles)[number]
  | (typeof skippingObstacles)[number]
  | 'paused'
  | 'needs_attention'
  | 'failover';

/** SQL about a row `d` of the judged relation. Each is evaluated only where it decides. */
export type CandidateFacts = PreferenceFacts & {
  /** The sender that the call names, or NULL: then the integration's sender counts. */
  sender: string;
  /** The integrations of the channel in the event's version, in order, as a JSON array of ids. */
  chain: string;
};

/** The message has expired. */
const isExpired = (m: string) => `${m}.expires_at <= now()`;

/** Finds the pause of the app's channel. */
const selectPause = (m: string) =>
  `SELECT true FROM channel_pause WHERE app_id = ${m}.app_id AND channel = ${m}.channel`;

/** A condition: the channel of the message's app, or its integration, is paused. */
export const isPaused = (m: string) =>
  `(EXISTS (${selectPause(m)}) OR EXISTS (
      SELECT true FROM integration WHERE id = ${m}.integration_id AND app_id = ${m}.app_id AND state = 'paused' AND deleted_at IS NULL))`;

/** Which suppressions of `p` are for the address, whatever sender they are for. */
const isSuppression = (p: string, m: string) =>
  `${p}.app_id = ${m}.app_id AND ${p}.channel = ${m}.channel AND ${p}.recipient = ${addressKey(`${m}.channel`, `${m}.target`)}`;

/** Senders are compared without letter case, spaces, dots, brackets and hyphens. */
export const plainSender = (sender: string) =>
  `upper(regexp_replace(${sender}, '[[:space:]().-]', '', 'g'))`;

/** Whether a device can stop the message: every push, and a message to OneSignal that was planned for a device. */
const mayHaveDevice = (m: string, device: string) =>
  `(${m}.channel = 'push' OR ${m}.channel = 'onesignal' AND ${device} IS NOT NULL)`;

/** `notes.device` of a message: the device that it was planned for. */
export const plannedDevice = (m: string) => `${m}.notes ->> 'device'`;

/**
 * A condition: nothing can stop the message `m`. It is the verdict in short and says no where it would have to look closer
 * (a suppression of any sender, a device). Each subquery is a lookup by key, and no index serves a test IS TRUE or IS NULL,
 * so one plan is right whatever the tables hold.
 */
export function isClearlyEligible(m: string): string {
  return `(NOT ${isExpired(m)} AND NOT ${mayHaveDevice(m, plannedDevice(m))}) IS TRUE
    AND (SELECT true FROM integration WHERE id = ${m}.integration_id AND (state <> 'active' OR deleted_at IS NOT NULL)) IS NULL
    AND (${selectPause(m)}) IS NULL
    AND (SELECT true FROM suppression p WHERE ${isSuppression('p', m)} LIMIT 1) IS NULL
    AND ${hasNoOptOut(m)}`;
}

/**
 * The one verdict: a SELECT that adds `obstacle` to each row of a relation, in the order in which reasons are reported.
 * The relation has `id, app_id, channel, target, device, integration_id, expires_at`. The result also has `next_id` (the
 * integration that a failover goes to), `opt_out`, what `selectSuppression` reads, and columns of the current integration.
 */
export function selectEligibility(relation: string, facts: CandidateFacts): string {
  return `
  SELECT d.*, i.name, i.state_reason, i.probe_at, n.id AS next_id, c.is_paused AS is_channel_paused,
    CASE WHEN s.stops THEN s.id END AS suppression_id, CASE WHEN NOT s.stops THEN s.reason END AS passed_suppression,
    t.opt_out, g.obstacle AS device_obstacle, g.disabled_reason AS device_reason, g.web_push,
    CASE
      WHEN ${isExpired('d')} THEN 'expired'
      WHEN i.deleted_at IS NOT NULL THEN 'integration_removed'
      WHEN s.stops THEN 'suppressed'
      WHEN t.opt_out IS NOT NULL THEN 'opted_out'
      WHEN g.obstacle IS NOT NULL THEN g.obstacle
      WHEN i.state = 'paused' OR c.is_paused THEN 'paused'
      WHEN i.state = 'needs_attention' AND n.id IS NULL THEN 'needs_attention'
      WHEN i.state = 'needs_attention' THEN 'failover'
    END AS obstacle
  FROM ${relation} d
  LEFT JOIN integration i ON i.id = d.integration_id AND i.app_id = d.app_id
  LEFT JOIN LATERAL (SELECT (${selectPause('d')}) IS TRUE AS is_paused) c ON true
  LEFT JOIN LATERAL (
    -- A kind is read only where a suppression is for optional events.
    SELECT p.id, p.reason, p.scope = 'all' OR (${facts.kind}) IS DISTINCT FROM 'mandatory' AS stops FROM suppression p
    WHERE ${isSuppression('p', 'd')}
      AND (p.sender = '' OR ${plainSender('p.sender')} = ${plainSender(`coalesce(${facts.sender}, i.settings ->> 'sender')`)})
    ORDER BY p.scope, p.sender LIMIT 1
  ) s ON true
  LEFT JOIN LATERAL (${selectOptOut(facts)}) t ON true
  LEFT JOIN LATERAL (${selectDeviceObstacle(facts.userId)}) g ON true
  LEFT JOIN LATERAL (${selectNextIntegration({ chain: facts.chain, from: 'd', when: "i.state = 'needs_attention'" })}) n ON true`;
}

/** `override.sms.sender`, or its old place `override.sms.message.sender`. */
const overrideSender =
  "coalesce(o.override::jsonb -> d.channel ->> 'sender', o.override::jsonb -> d.channel -> 'message' ->> 'sender')";

const isItem = 'o.request_id = d.request_id AND o.item = d.item';

/** A part of the definition of the message's version. */
const ofVersion = (part: string) => `(SELECT e.definition ${part}
      FROM request r JOIN event_version e ON e.id = r.version_id WHERE r.id = d.request_id LIMIT 1)`;

/** The facts about a stored message, for a relation that also has `request_id, item`. Read only where they decide. */
export const messageFacts: CandidateFacts = {
  sender: `(SELECT ${overrideSender} FROM request_item o WHERE ${isItem} AND o.override IS NOT NULL)`,
  userId: `(SELECT o.recipient::jsonb ->> 'user_id' FROM request_item o WHERE ${isItem})`,
  chain: ofVersion("#> ARRAY['channels', d.channel, 'integrationIds']"),
  kind: ofVersion("->> 'kind'"),
  category: ofVersion("->> 'category'"),
  preferences: `(SELECT o.recipient::jsonb -> 'preferences' FROM request_item o WHERE ${isItem})`,
};

/** The columns of the judged relation, for stored messages `m`. */
export const messageColumns = `m.id, m.request_id, m.item, m.app_id, m.channel, m.target, m.expires_at, m.integration_id,
    ${plannedDevice('m')} AS device`;

export type CurrentVerdict = {
  obstacle: Obstacle | null;
  suppression: CurrentSuppression | null;
  optOut: OptOut | null;
};

/** The verdict that a claim would give now on each of these messages of an app, by id. Changes nothing. */
export async function readObstacles(
  pool: pg.Pool,
  appId: string,
  messageIds: readonly string[],
): Promise<Map<string, CurrentVerdict>> {
  const { rows } = await pool.query<CurrentVerdict & { id: string }>(
    `SELECT id, obstacle, opt_out AS "optOut", ${selectSuppression('e')} AS suppression FROM (${selectEligibility(
      `(SELECT ${messageColumns} FROM message m WHERE m.id = ANY ($2::uuid[]) AND m.app_id = $1)`,
      messageFacts,
    )}) e`,
    [appId, messageIds],
  );
  return new Map(rows.map(({ id, ...verdict }) => [id, verdict]));
}

/**
 * A push to a device that has another owner or token by now, or is switched off. A message that was planned for a device
 * goes to that device only, unless another user has since registered its token; a token that the call names goes only to the user
 * whom the call names beside it.
 */
function selectDeviceObstacle(userId: string): string {
  return `
    SELECT CASE
      WHEN d.device IS NOT NULL AND v.id::text IS DISTINCT FROM d.device THEN 'device_gone'
      WHEN v.id IS NOT NULL AND owner.user_id <> ${userId} THEN 'device_gone'
      WHEN v.notifications_disabled AND v.disabled_reason IS NULL THEN 'opted_out'
      WHEN v.notifications_disabled THEN 'suppressed'
    END AS obstacle, v.disabled_reason, v.push_subscription || jsonb_build_object(
      'expiresAtMs', floor(extract(epoch FROM d.expires_at) * 1000)) AS web_push
    FROM (SELECT WHERE d.channel = 'push') push
    LEFT JOIN device v ON v.app_id = d.app_id AND v.fcm_token = d.target
      AND ${hashToken('v.fcm_token')} = ${hashToken('d.target')}
    LEFT JOIN app_user owner ON owner.id = v.user_sid
    UNION ALL
    -- OneSignal: the device that the message was planned for, while the subscription is still its own.
    SELECT CASE
      WHEN v.id IS NULL OR 'subscription:' || lower(v.fields ->> 'onesignal_player_id') IS DISTINCT FROM d.target
        THEN 'device_gone'
      WHEN v.notifications_disabled AND v.disabled_reason IS NULL THEN 'opted_out'
    END AS obstacle, NULL AS disabled_reason, NULL AS web_push
    FROM (SELECT WHERE d.channel = 'onesignal' AND d.device IS NOT NULL) planned
    LEFT JOIN device v ON v.id = d.device::uuid AND v.app_id = d.app_id`;
}

/** Whether the target of a push is the endpoint of a web push subscription; NULL on other channels. */
export const isWebPush = (m: string) =>
  `CASE WHEN ${m}.channel = 'push' THEN ${m}.target LIKE 'https://%' END`;

/**
 * A condition: the provider of the integration `i` can carry a message. On push the target decides the provider, so a failover
 * stays within it. `getPushProvider` in packages/channels/src/push/target.ts says the same.
 */
export const canCarry = (i: string, isWebPushMessage: string) =>
  `((${i}.provider = 'web_push') = (${isWebPushMessage})) IS NOT FALSE`;

/**
 * The next integration of a chain that can send a message of the relation `from`: behind the current one, then from the start
 * of the chain. A removed one would fail the message, and a paused one would let it wait. `is_later` is false after the end of
 * the chain. Looks only if `when` is true of the message.
 */
export function selectNextIntegration({
  chain,
  from,
  when,
}: {
  chain: string;
  from: string;
  when: string;
}): string {
  // Without OFFSET 0 the chain is read once for each use.
  return `
    SELECT active.id, l.place > own.place AS is_later
    FROM (SELECT ${chain} AS ids OFFSET 0) chain
    CROSS JOIN LATERAL (SELECT coalesce((
      SELECT place FROM jsonb_array_elements_text(chain.ids) WITH ORDINALITY l (id, place)
      WHERE l.id = ${from}.integration_id::text LIMIT 1), 0) AS place) own
    CROSS JOIN LATERAL jsonb_array_elements_text(chain.ids) WITH ORDINALITY l (id, place)
    JOIN integration active ON active.id = l.id::uuid AND active.app_id = ${from}.app_id
      AND active.deleted_at IS NULL AND active.state = 'active'
    WHERE ${when} AND ${canCarry('active', isWebPush(from))}
    ORDER BY l.place <= own.place, l.place
    LIMIT 1`;
}

/** A message that is not stored, such as that of a dry run. */
export type Candidate = {
  channel: string;
  target: string;
  /** The device that it is planned for. */
  deviceId: string | undefined;
  /** The sender that the call names. */
  sender: string | undefined;
  /** The `user_id` that the call names. */
  userId: string | undefined;
  integrationId: string | undefined;
  /** The ids of the channel's integrations, in order. */
  chain: readonly string[];
  /** Kind of the event's version. */
  kind: EventKind | undefined;
  category: string | undefined;
  /** `user.preferences` of the call. */
  preferences: object | undefined;
};

export type Eligibility = CurrentVerdict & {
  isChannelPaused: boolean;
  /** The integration that a failover goes to. */
  nextIntegrationId: string | null;
};

/** The verdict that a claim would give now, for each candidate of an app in order. Changes nothing. */
export async function readEligibility(
  pool: pg.Pool,
  appId: string,
  candidates: readonly Candidate[],
): Promise<Eligibility[]> {
  const { rows } = await pool.query<Eligibility>({
    name: 'read-eligibility',
    text: readStatement,
    values: [
      appId,
      candidates.map(({ channel }) => channel),
      candidates.map(({ target }) => target),
      candidates.map(({ deviceId }) => deviceId),
      candidates.map(({ sender }) => sender),
      candidates.map(({ userId }) => userId),
      candidates.map(({ integrationId }) => integrationId),
      candidates.map(({ chain }) => JSON.stringify(chain)),
      candidates.map(({ kind }) => kind),
      candidates.map(({ category }) => category),
      candidates.map(({ preferences }) => preferences && JSON.stringify(preferences)),
    ],
  });
  return rows;
}

const readStatement = `
SELECT e.obstacle, e.is_channel_paused AS "isChannelPaused", e.next_id AS "nextIntegrationId",
  e.opt_out AS "optOut", ${selectSuppression('e')} AS suppression
FROM (${selectEligibility(
  `(
    SELECT t.place AS id, $1::uuid AS app_id, t.channel, t.target, t.device, t.sender, t.user_id, t.integration_id, t.chain,
      t.kind, t.category, t.preferences, 'infinity'::timestamptz AS expires_at
    FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::uuid[], $8::jsonb[], $9::text[], $10::text[], $11::jsonb[])
      WITH ORDINALITY t (channel, target, device, sender, user_id, integration_id, chain, kind, category, preferences, place)
  )`,
  {
    ...{ sender: 'd.sender', userId: 'd.user_id', chain: 'd.chain' },
    ...{ kind: 'd.kind', category: 'd.category', preferences: 'd.preferences' },
  },
)}
) e ORDER BY e.id`;
