import type { Actor } from '@belfry/database';
import type { QueueReason } from '@belfry/shared';
import type pg from 'pg';
import { readLatency, readRates } from '../deliver/delivery-counts.sql';
import { countPlanned } from './is-planned.sql';
import { pauseChannel, pauseSending, resumeChannel, resumeSending } from './pause';
import { waitReason } from './wait-reason.sql';

/** The queued messages of an app on a channel that wait for one reason, or its messages that are being sent. */
export type WaitRow = {
  appId: string;
  channel: string;
  reason: QueueReason | 'sending';
  messages: number;
  /** There are more messages than were counted. */
  isCapped: boolean;
  /** When the oldest became due, for `due`; when it was created, for the other reasons. */
  oldestAt: Date;
  /** When the next one becomes due or, while it is being sent, when its lease ends. */
  nextDueAt: Date | null;
};

export type PauseRow = { appId: string; channel: string; pausedAt: Date; pausedBy: string | null };

export type BulkRow = {
  requestId: string;
  appId: string;
  event: string;
  acceptedAt: Date;
  items: number;
  plannedItems: number;
};

/** Counts stop here, per app and channel, because a higher number is not more useful. */
const countedTo = 10_000;
const bulksListed = 20;
const requestsScanned = 500;

/** Queue lengths and pauses for the dashboard; every query is bounded. */
export function createQueueFacts(pool: pg.Pool) {
  return {
    async countWaits(appIds: string[], channels: readonly string[]): Promise<WaitRow[]> {
      const { rows } = await pool.query<WaitRow>(waitStatement, [appIds, channels]);
      return rows;
    },

    async listPauses(appIds: string[]): Promise<PauseRow[]> {
      const { rows } = await pool.query<PauseRow>(
        `SELECT p.app_id AS "appId", p.channel, p.paused_at AS "pausedAt", o.email AS "pausedBy"
         FROM channel_pause p LEFT JOIN operator o ON o.id = p.paused_by WHERE p.app_id = ANY ($1::uuid[]) AND p.is_own`,
        [appIds],
      );
      return rows;
    },

    /** Lists bulks with items that fan-out still has to plan. */
    async listBulks(appIds: string[]): Promise<BulkRow[]> {
      const { rows } = await pool.query<BulkRow>(
        `SELECT r.id AS "requestId", r.app_id AS "appId", e.name AS event, r.created_at AS "acceptedAt",
           r.items, ${countPlanned('r')} AS "plannedItems"
         FROM (SELECT * FROM request WHERE planned_items < items ORDER BY id LIMIT ${requestsScanned}) r
         JOIN event e ON e.id = r.event_id
         WHERE r.app_id = ANY ($1::uuid[]) ORDER BY r.id LIMIT ${bulksListed}`,
        [appIds],
      );
      return rows;
    },

    /** Messages that providers accepted, by channel, in the slots of the last 30 minutes. */
    readRates: (appIds: string[]) => readRates(pool, appIds),

    readLatency: (appIds: string[]) => readLatency(pool, appIds),

    async ping(): Promise<void> {
      await pool.query('SELECT 1');
    },

    pauseChannel: (actor: Actor, appId: string, channel: string) =>
      pauseChannel(pool, actor, { appId, channel }),

    resumeChannel: (actor: Actor, appId: string, channel: string) =>
      resumeChannel(pool, actor, { appId, channel }),

    /** Pauses all channels of the app. */
    pauseSending: (actor: Actor, appId: string, channels: readonly string[]) =>
      pauseSending(pool, actor, { appId, channels }),

    /** Channels that were paused individually stay paused. */
    resumeSending: (actor: Actor, appId: string) => resumeSending(pool, actor, appId),
  };
}

export type QueueFacts = ReturnType<typeof createQueueFacts>;

const waitColumns = 'app_id, channel, state, integration_id, due_at, waits, created_at';

// Messages without a job are read by the index of waiting messages: in each class first those that are due, oldest first, then
// the next ones. So a backlog of one class or of later messages hides no other. Messages with a job are read by their index.
// They are grouped first, so that pauses are looked up for a few groups instead of for each message.
export const waitStatement = `
SELECT g."appId", g.channel, g.reason, least(sum(g.messages), ${countedTo})::int AS messages,
  bool_or(g.is_cut) OR sum(g.messages) > ${countedTo} AS "isCapped", min(g.oldest_at) AS "oldestAt", min(g.next_due_at) AS "nextDueAt"
FROM (
  SELECT m.app_id AS "appId", m.channel, w.reason, sum(m.messages) AS messages,
    sum(sum(m.messages)) OVER (PARTITION BY m.app_id, m.channel, m.slice) > ${countedTo} AS is_cut,
    min(CASE WHEN w.reason = 'due' THEN m.due_at ELSE m.created_at END) AS oldest_at, min(m.next_due_at) AS next_due_at
  FROM unnest($1::uuid[]) a (id) CROSS JOIN unnest($2::text[]) c (channel)
  CROSS JOIN LATERAL (
    SELECT slice, app_id, channel, state, integration_id, waits, due_at > now() AS is_later, count(*) AS messages,
      min(due_at) AS due_at, min(created_at) AS created_at, min(due_at) FILTER (WHERE due_at > now()) AS next_due_at
    FROM (
      SELECT s.slice, q.* FROM (VALUES
        (1, false, '-infinity'::timestamptz, now()), (2, true, '-infinity', now()),
        (3, false, now(), 'infinity'), (4, true, now(), 'infinity')) s (slice, is_bulk, after, until)
      CROSS JOIN LATERAL (
        SELECT ${waitColumns} FROM message
        WHERE channel = c.channel AND is_bulk = s.is_bulk AND app_id = a.id
          AND waiting_at > s.after AND waiting_at <= s.until AND state = 'queued'
        ORDER BY waiting_at LIMIT ${countedTo + 1}) q
      UNION ALL
      (SELECT 5, ${waitColumns} FROM message
      WHERE channel = c.channel AND app_id = a.id AND has_job AND state IN ('queued', 'sending') LIMIT ${countedTo + 1})
    ) each GROUP BY 1, 2, 3, 4, 5, 6, 7
  ) m
  CROSS JOIN LATERAL (SELECT coalesce(${waitReason('m')}, 'sending') AS reason) w
  GROUP BY 1, 2, 3, m.slice
) g GROUP BY 1, 2, 3`;
