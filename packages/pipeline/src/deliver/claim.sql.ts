import { addressKey, hashToken } from '@belfry/database';
import type { FailureReason, SkipReason } from '@belfry/shared';
import type pg from 'pg';
import { buildFailoverNote } from './failover.sql';

/** A message that this worker may send now, with all that is needed to send it. */
export type ClaimedMessage = {
  id: string;
  requestId: string;
  item: number;
  appId: string;
  eventId: string;
  versionId: string;
  channel: string;
  target: string;
  /** The number of the attempt that the claim opened. */
  attempt: number;
  unknownCount: number;
  /** Calls in a row by its integration, this one included. */
  attemptsInRow: number;
  integrationId: string | undefined;
  /** See NextState.isLongWait. */
  hasWaitedLong: boolean;
  /** JSON of the wire's `user`, its token sealed. */
  recipient: string | undefined;
  data: string | undefined;
  override: string | undefined;
  locale: string | undefined;
};

export type Claim =
  | { kind: 'claimed'; message: ClaimedMessage }
  /** Settled or put back without an attempt. */
  | {
      kind: 'settled';
      state: 'failed' | 'skipped' | 'queued';
      reason: FailureReason | SkipReason | string;
    }
  /** Not ours: another worker has it, its time has not come, or it is final. */
  | { kind: 'stale' };

export type ClaimOptions = {
  ids: string[];
  /** Who claims, for the log. */
  worker: string;
  /** How long the message is ours; longer than an attempt may take. */
  leaseMs: number;
};

/**
 * queued -> sending for each id that is due, its attempt opened in the same statement: every provider
 * call is on record before it is made. Permission is checked here, not when the message was planned.
 */
export async function claimMessages(
  pool: pg.Pool,
  { ids, worker, leaseMs }: ClaimOptions,
): Promise<Claim[]> {
  const { rows } = await pool.query<ClaimRow>({
    name: 'claim-messages',
    text: statement,
    values: [ids, worker, leaseMs, pausedRecheckMs, probeMarginMs],
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => toClaim(byId.get(id)));
}

/** Nobody else's, and due. */
export const isClaimable = "m.state = 'queued' AND m.due_at <= now()";

/** How often a message of a paused integration or channel looks whether it may go on. */
const pausedRecheckMs = 15_000;

/** How much longer than a lease the others wait for the one that probes. */
const probeMarginMs = 2_000;

/** As `override.sms.sender` or its old place, without what people write between digits. */
const overrideSender = `regexp_replace(
  coalesce(o.override::jsonb -> d.channel ->> 'sender', o.override::jsonb -> d.channel -> 'message' ->> 'sender'),
  '[[:space:]().-]', '', 'g')`;

/** Why a message is skipped when it is claimed. */
const skips = "'suppressed', 'device_gone', 'opted_out'";

/**
 * Of a push: the device that has its token now. A message that was planned for a device goes to that one alone, which
 * another one takes the place of when somebody else signs in on the phone; a token that the call named goes to nobody
 * else than whom the call named beside it.
 */
const deviceVerdict = `
    SELECT CASE
      WHEN d.device IS NOT NULL AND v.id::text IS DISTINCT FROM d.device THEN 'device_gone'
      WHEN v.id IS NOT NULL AND owner.user_id <> named.user_id THEN 'device_gone'
      WHEN v.notifications_disabled AND v.disabled_reason IS NULL THEN 'opted_out'
      WHEN v.notifications_disabled THEN 'suppressed'
    END AS obstacle
    FROM (SELECT WHERE d.channel = 'push') push
    LEFT JOIN device v ON v.app_id = d.app_id AND v.fcm_token = d.target
      AND ${hashToken('v.fcm_token')} = ${hashToken('d.target')}
    LEFT JOIN app_user owner ON owner.id = v.user_sid
    LEFT JOIN LATERAL (
      SELECT o.recipient::jsonb ->> 'user_id' AS user_id FROM request_item o
      WHERE o.request_id = d.request_id AND o.item = d.item AND v.id IS NOT NULL
    ) named ON true
    UNION ALL
    -- Of OneSignal: the device that the message was planned for, and whether the subscription is still its own.
    SELECT CASE
      WHEN v.id IS NULL OR 'subscription:' || lower(v.fields ->> 'onesignal_player_id') IS DISTINCT FROM d.target
        THEN 'device_gone'
      WHEN v.notifications_disabled AND v.disabled_reason IS NULL THEN 'opted_out'
    END AS obstacle
    FROM (SELECT WHERE d.channel = 'onesignal' AND d.device IS NOT NULL) planned
    LEFT JOIN device v ON v.id = d.device::uuid AND v.app_id = d.app_id`;

/** Who takes over from an integration that refuses us: behind it in the chain, then from the chain's begin. */
const nextActive = `
    SELECT t.id FROM jsonb_array_elements_text(e.definition #> ARRAY['channels', d.channel, 'integrationIds'])
      WITH ORDINALITY l (id, place)
    JOIN integration t ON t.id = l.id::uuid AND t.deleted_at IS NULL AND t.state = 'active'
    ORDER BY l.place < coalesce((
      SELECT own.place FROM jsonb_array_elements_text(e.definition #> ARRAY['channels', d.channel, 'integrationIds'])
        WITH ORDINALITY own (id, place) WHERE own.id = d.integration_id::text LIMIT 1), 0), l.place
    LIMIT 1`;

/** For the rows of `c`; $2 is who claims. */
export const openAttempts = `
  INSERT INTO attempt (message_id, number, worker, integration_id, is_possible_duplicate)
  SELECT id, attempts, $2, integration_id, unknown_count > 0 FROM c WHERE state = 'sending'`;

/**
 * The rows of `c`, with what they lack for sending: each is looked up by its key, whatever a plan that was made while the
 * tables were empty would rather do.
 */
export const readClaimed = `
SELECT c.*, r.event_id, r.version_id, i.recipient, i.data, i.override, i.locale,
  -- Of the first attempt nothing is to be counted.
  CASE WHEN c.attempts = 1 THEN 1 ELSE c.attempts - coalesce((
    SELECT max(p.number) FROM attempt p WHERE p.message_id = c.id AND p.integration_id IS DISTINCT FROM c.integration_id
  ), 0) END AS attempts_in_row
FROM c
CROSS JOIN LATERAL (SELECT event_id, version_id FROM request WHERE id = c.request_id LIMIT 1) r
CROSS JOIN LATERAL (
  SELECT recipient, data, override, locale FROM request_item WHERE request_id = c.request_id AND item = c.item LIMIT 1
) i`;

// What the verdict needs is read first; the outer WHERE is what makes the claim exclusive. The ids are named once: named
// twice, a table without statistics is joined to itself row by row, 200 x 200 look-ups.
const statement = `
WITH due AS MATERIALIZED (
  SELECT m.id, m.request_id, m.item, m.app_id, m.channel, m.target, m.expires_at, m.integration_id, i.deleted_at, i.state, i.name, i.state_reason, i.probe_at,
    cp.app_id IS NOT NULL AS is_channel_paused,
    i.settings ->> 'sender' AS sender, m.notes ->> 'device' AS device,
    row_number() OVER (PARTITION BY m.integration_id ORDER BY m.expires_at <= now(), m.is_bulk, m.id) AS place
  FROM message m
  LEFT JOIN integration i ON i.id = m.integration_id
  LEFT JOIN channel_pause cp ON cp.app_id = m.app_id AND cp.channel = m.channel
  WHERE m.id = ANY ($1::uuid[]) AND ${isClaimable}
), probe AS (
  -- Who moves the time on may try the integration; everybody else waits for what comes of it.
  UPDATE integration SET probe_at = now() + ($3::float8 + $5::float8) * interval '1 ms'
  WHERE id IN (
    SELECT i.id FROM integration i
    WHERE i.id IN (SELECT integration_id FROM due WHERE state = 'needs_attention' AND probe_at <= now() AND expires_at > now()
        AND NOT is_channel_paused)
      AND i.state = 'needs_attention' AND i.probe_at <= now()
    FOR UPDATE SKIP LOCKED)
  RETURNING id
), verdict AS (
  SELECT d.id, d.integration_id, d.name, d.state_reason, n.id AS next_id, CASE WHEN d.probe_at > now() THEN d.probe_at ELSE now() + ($3::float8 + $5::float8) * interval '1 ms' END AS probe_at,
    CASE
      WHEN d.expires_at <= now() THEN 'expired'
      WHEN d.deleted_at IS NOT NULL THEN 'integration_removed'
      WHEN s.suppressed THEN 'suppressed'
      WHEN g.obstacle IS NOT NULL THEN g.obstacle
      WHEN d.state = 'paused' OR d.is_channel_paused THEN 'paused'
      WHEN d.state = 'needs_attention' AND NOT (p.id IS NOT NULL AND d.place = 1) THEN
        CASE WHEN n.id IS NULL THEN 'needs_attention' ELSE 'passed_over' END
    END AS obstacle
  FROM due d
  LEFT JOIN probe p ON p.id = d.integration_id
  LEFT JOIN LATERAL (
    SELECT true AS suppressed FROM suppression p
    WHERE p.app_id = d.app_id AND p.channel = d.channel AND p.recipient = ${addressKey('d.channel', 'd.target')}
      -- The sender that the call names comes before the integration's; it is looked for only where there is a suppression.
      AND (p.sender = '' OR p.sender = coalesce(
        (SELECT ${overrideSender} FROM request_item o WHERE o.request_id = d.request_id AND o.item = d.item AND o.override IS NOT NULL),
        d.sender))
    LIMIT 1
  ) s ON true
  LEFT JOIN LATERAL (${deviceVerdict}) g ON true
  LEFT JOIN LATERAL (
    SELECT (${nextActive}) AS id
    FROM request r JOIN event_version e ON e.id = r.version_id
    WHERE r.id = d.request_id AND d.state = 'needs_attention'
    LIMIT 1
  ) n ON true
), c AS (
  UPDATE message m SET
    state = CASE
      WHEN v.obstacle IS NULL THEN 'sending'
      WHEN v.obstacle IN ('expired', 'integration_removed') THEN 'failed'
      WHEN v.obstacle IN (${skips}) THEN 'skipped'
      ELSE 'queued' END,
    reason = CASE WHEN v.obstacle IN ('expired', 'integration_removed', ${skips}) THEN v.obstacle END,
    waits = CASE WHEN v.obstacle IN ('paused', 'needs_attention') THEN v.obstacle END,
    integration_id = CASE WHEN v.obstacle = 'passed_over' THEN v.next_id ELSE m.integration_id END,
    notes = CASE WHEN v.obstacle = 'passed_over'
      THEN ${buildFailoverNote({ integrationId: 'v.integration_id', name: 'v.name', reason: 'needs_attention', detail: 'v.state_reason' })}
      ELSE m.notes END,
    attempts = m.attempts + CASE WHEN v.obstacle IS NULL THEN 1 ELSE 0 END,
    due_at = CASE
      WHEN v.obstacle IS NULL THEN now() + $3::float8 * interval '1 ms'
      WHEN v.obstacle = 'passed_over' THEN now()
      WHEN v.obstacle = 'paused' THEN least(now() + $4::float8 * interval '1 ms', m.expires_at)
      WHEN v.obstacle = 'needs_attention' THEN least(v.probe_at, m.expires_at) END,
    settled_at = CASE WHEN v.obstacle IN ('expired', 'integration_removed', ${skips}) THEN now() END,
    -- What is being sent has a job id, whoever claimed it: the relay finds leases among the messages that have one.
    job_id = CASE WHEN v.obstacle IN ('paused', 'needs_attention', 'passed_over') THEN NULL ELSE coalesce(m.job_id, m.id) END
  FROM verdict v
  WHERE m.id = v.id AND ${isClaimable}
  RETURNING m.id, m.request_id, m.item, m.app_id, m.channel, m.target, m.attempts, m.unknown_count,
    m.integration_id, m.state, coalesce(m.reason, m.waits, v.obstacle) AS obstacle, coalesce(m.notes ? 'waited_long', false) AS waited_long
), a AS (${openAttempts}
)${readClaimed}`;

export type ClaimRow = {
  id: string;
  request_id: string;
  item: number;
  app_id: string;
  event_id: string;
  version_id: string;
  channel: string;
  target: string;
  attempts: number;
  unknown_count: number;
  attempts_in_row: number;
  integration_id: string | null;
  waited_long: boolean;
  state: 'sending' | 'failed' | 'skipped' | 'queued';
  obstacle: string | null;
  recipient: string | null;
  data: string | null;
  override: string | null;
  locale: string | null;
};

export function toClaim(row: ClaimRow | undefined): Claim {
  if (!row) return { kind: 'stale' };
  if (row.state !== 'sending') {
    return { kind: 'settled', state: row.state, reason: row.obstacle ?? '' };
  }
  return {
    kind: 'claimed',
    message: {
      id: row.id,
      requestId: row.request_id,
      item: row.item,
      appId: row.app_id,
      eventId: row.event_id,
      versionId: row.version_id,
      channel: row.channel,
      target: row.target,
      attempt: row.attempts,
      unknownCount: row.unknown_count,
      attemptsInRow: row.attempts_in_row,
      integrationId: row.integration_id ?? undefined,
      hasWaitedLong: row.waited_long,
      recipient: row.recipient ?? undefined,
      data: row.data ?? undefined,
      override: row.override ?? undefined,
      locale: row.locale ?? undefined,
    },
  };
}
