import type { WebPushFacts } from '@belfry/channels';
import { listOfTexts, plainArray } from '@belfry/database';
import type { FailureReason, SkipReason } from '@belfry/shared';
import type pg from 'pg';
import {
  failingObstacles,
  isClearlyEligible,
  messageColumns,
  messageFacts,
  selectEligibility,
  skippingObstacles,
} from './eligibility.sql';
import { buildFailoverNote } from './failover.sql';
import { addVerdictNotes } from './opt-out.sql';
import { isDue } from './waiting-message.sql';

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
  /** W3C Trace Context of the request. */
  traceparent?: string | undefined;
  /** Present if the target is the endpoint of a stored web push subscription. */
  webPush?: WebPushFacts;
};

export type Claim =
  | { kind: 'claimed'; message: ClaimedMessage }
  /** Settled or requeued without an attempt. */
  | {
      kind: 'settled';
      state: 'failed' | 'skipped' | 'queued';
      reason: FailureReason | SkipReason | string;
      traceparent?: string | undefined;
    }
  /** Not ours: another worker has it, its time has not come, or it is final. */
  | { kind: 'stale' };

export type ClaimOptions = {
  ids: string[];
  /** The name of the worker, for the log. */
  worker: string;
  /** How long the message is ours; longer than an attempt may take. */
  leaseMs: number;
};

/**
 * queued -> sending for each id that is due, its attempt opened in the same statement: every provider
 * call is on record before it is made. Eligibility is judged here, not when the message was planned.
 */
export async function claimMessages(
  pool: Pick<pg.Pool, 'query'>,
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

/**
 * Claims the messages that nothing can stop: nearly all, nearly always, at a third of the price of `claimMessages`, which
 * looks at the others. The result has undefined for each message that it does not claim.
 */
export async function claimEligibleMessages(
  pool: Pick<pg.Pool, 'query'>,
  { ids, worker, leaseMs }: ClaimOptions,
): Promise<(Claim | undefined)[]> {
  const { rows } = await pool.query<ClaimRow>({
    name: 'claim-eligible-messages',
    text: eligibleStatement,
    values: [plainArray(ids), worker, leaseMs],
  });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    return row && toClaim(row);
  });
}

/** Nobody else's, and due. */
const isClaimable = `m.state = 'queued' AND ${isDue('m')}`;

/** How often a message of a paused integration or channel is looked at again. */
const pausedRecheckMs = 15_000;

/** How much longer than a lease the other messages wait for the one that probes an integration. */
const probeMarginMs = 2_000;

const failures = listOfTexts(failingObstacles);
const skips = listOfTexts(skippingObstacles);

/** For the rows of `c`; $2 is who claims. */
const openAttempts = `
  INSERT INTO attempt (message_id, number, worker, integration_id, is_possible_duplicate)
  SELECT id, attempts, $2, integration_id, unknown_count > 0 FROM c WHERE state = 'sending'`;

/**
 * The rows of `c`, with what they lack for sending: each is looked up by its key, whatever a plan that was made while the
 * tables were empty would rather do.
 */
const readClaimed = `
SELECT c.*, r.event_id, r.version_id, r.traceparent, i.recipient, i.data, i.override, i.locale,
  -- Of the first attempt nothing is to be counted.
  CASE WHEN c.attempts = 1 THEN 1 ELSE c.attempts - coalesce((
    SELECT max(p.number) FROM attempt p WHERE p.message_id = c.id AND p.integration_id IS DISTINCT FROM c.integration_id
  ), 0) END AS attempts_in_row
FROM c
CROSS JOIN LATERAL (SELECT event_id, version_id, traceparent FROM request WHERE id = c.request_id LIMIT 1) r
CROSS JOIN LATERAL (
  SELECT recipient, data, override, locale FROM request_item WHERE request_id = c.request_id AND item = c.item LIMIT 1
) i`;

// The verdict is read first; the outer WHERE makes the claim exclusive. The ids are named once: named twice, a table without
// statistics is joined to itself row by row, 200 x 200 look-ups.
const statement = `
WITH due AS MATERIALIZED (
  SELECT ${messageColumns}, m.is_bulk FROM message m
  WHERE m.id = ANY ($1::uuid[]) AND ${isClaimable}
), eligibility AS MATERIALIZED (${selectEligibility('due', messageFacts)}
), waiting AS (
  -- One message of each integration that needs attention may probe it.
  SELECT e.id, e.integration_id, e.probe_at, row_number() OVER (PARTITION BY e.integration_id ORDER BY e.is_bulk, e.id) AS place
  FROM eligibility e
  WHERE e.obstacle IN ('needs_attention', 'failover')
), probe AS (
  -- The claim that moves the time on probes the integration; every other message waits for the result.
  UPDATE integration SET probe_at = now() + ($3::float8 + $5::float8) * interval '1 ms'
  WHERE id IN (
    SELECT i.id FROM integration i
    WHERE i.id IN (SELECT integration_id FROM waiting WHERE probe_at <= now())
      AND i.state = 'needs_attention' AND i.probe_at <= now()
    FOR UPDATE SKIP LOCKED)
  RETURNING id
), verdict AS (
  SELECT e.id, e.integration_id, e.name, e.state_reason, e.next_id, e.web_push, e.opt_out, e.passed_suppression,
    CASE WHEN e.probe_at > now() THEN e.probe_at ELSE now() + ($3::float8 + $5::float8) * interval '1 ms' END AS probe_at,
    CASE WHEN p.id IS NULL THEN e.obstacle END AS obstacle
  FROM eligibility e
  LEFT JOIN waiting w ON w.id = e.id AND w.place = 1
  LEFT JOIN probe p ON p.id = w.integration_id
), c AS (
  UPDATE message m SET
    state = CASE
      WHEN v.obstacle IS NULL THEN 'sending'
      WHEN v.obstacle IN (${failures}) THEN 'failed'
      WHEN v.obstacle IN (${skips}) THEN 'skipped'
      ELSE 'queued' END,
    reason = CASE WHEN v.obstacle IN (${failures}, ${skips}) THEN v.obstacle END,
    waits = CASE WHEN v.obstacle IN ('paused', 'needs_attention') THEN v.obstacle END,
    integration_id = CASE WHEN v.obstacle = 'failover' THEN v.next_id ELSE m.integration_id END,
    notes = CASE WHEN v.obstacle = 'failover'
      THEN ${buildFailoverNote({ integrationId: 'v.integration_id', name: 'v.name', reason: 'needs_attention', detail: 'v.state_reason' })}
      WHEN v.obstacle = 'opted_out' OR v.obstacle IS NULL THEN ${addVerdictNotes('m.notes', 'v')}
      ELSE m.notes END,
    attempts = m.attempts + CASE WHEN v.obstacle IS NULL THEN 1 ELSE 0 END,
    due_at = CASE
      WHEN v.obstacle IS NULL THEN now() + $3::float8 * interval '1 ms'
      WHEN v.obstacle = 'failover' THEN now()
      WHEN v.obstacle = 'paused' THEN least(now() + $4::float8 * interval '1 ms', m.expires_at)
      WHEN v.obstacle = 'needs_attention' THEN least(v.probe_at, m.expires_at) END,
    settled_at = CASE WHEN v.obstacle IN (${failures}, ${skips}) THEN now() END,
    -- A message that is being sent has a job id: the relay finds leases among the messages that have one.
    job_id = CASE WHEN v.obstacle IN ('paused', 'needs_attention', 'failover') THEN NULL ELSE coalesce(m.job_id, m.id) END
  FROM verdict v
  WHERE m.id = v.id AND ${isClaimable}
  RETURNING m.id, m.request_id, m.item, m.app_id, m.channel, m.target, m.attempts, m.unknown_count,
    m.integration_id, m.state, coalesce(m.reason, m.waits, v.obstacle) AS obstacle, coalesce(m.notes ? 'waited_long', false) AS waited_long, v.web_push
), a AS (${openAttempts}
)${readClaimed}`;

const eligibleStatement = `
WITH c AS (
  UPDATE message m SET state = 'sending', reason = NULL, waits = NULL, attempts = m.attempts + 1,
    due_at = now() + $3::float8 * interval '1 ms', settled_at = NULL, job_id = coalesce(m.job_id, m.id)
  WHERE m.id = ANY ($1::uuid[]) AND (${isClaimable}) IS TRUE AND ${isClearlyEligible('m')}
  RETURNING m.id, m.request_id, m.item, m.app_id, m.channel, m.target, m.attempts, m.unknown_count,
    m.integration_id, m.state, NULL AS obstacle, coalesce(m.notes ? 'waited_long', false) AS waited_long, NULL::jsonb AS web_push
), a AS (${openAttempts}
)${readClaimed}`;

type ClaimRow = {
  id: string;
  request_id: string;
  item: number;
  app_id: string;
  event_id: string;
  version_id: string;
  traceparent: string | null;
  channel: string;
  target: string;
  attempts: number;
  unknown_count: number;
  attempts_in_row: number;
  integration_id: string | null;
  waited_long: boolean;
  state: 'sending' | 'failed' | 'skipped' | 'queued';
  obstacle: string | null;
  web_push: WebPushFacts | null;
  recipient: string | null;
  data: string | null;
  override: string | null;
  locale: string | null;
};

function toClaim(row: ClaimRow | undefined): Claim {
  if (!row) return { kind: 'stale' };
  const traceparent = row.traceparent ?? undefined;
  if (row.state !== 'sending') {
    return { kind: 'settled', state: row.state, reason: row.obstacle ?? '', traceparent };
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
      traceparent,
      ...(row.web_push ? { webPush: row.web_push } : {}),
    },
  };
}
