import type { Actor } from '@belfry/database';
import type { WaitReason } from '@belfry/shared';
import type pg from 'pg';
import { readLatency, readRates } from '../deliver/delivery-counts.sql';
import { countPlanned } from './is-planned.sql';
import { pauseChannel, pauseSending, resumeChannel, resumeSending } from './pause';

export type ChannelFacts = {
  channel: string;
  waiting: number;
  oldestAt: Date | null;
  inFlight: number;
  retrying: number;
  nextRetryAt: Date | null;
  needsAttention: number;
  scheduled: number;
  /** Messages that are due later because a worker could not send them now, by reason. */
  blocked: Record<BlockReason, number>;
};

/** Facts of a worker, not of the configuration. */
const blockReasons = ['circuit', 'limit', 'connections'] as const satisfies readonly WaitReason[];

type BlockReason = (typeof blockReasons)[number];

export type PauseRow = { appId: string; channel: string; pausedAt: Date; pausedBy: string | null };

export type BulkRow = {
  requestId: string;
  appId: string;
  event: string;
  acceptedAt: Date;
  items: number;
  plannedItems: number;
};

/** Counts stop here, because a higher number is not more useful. */
export const queueCountedTo = 10_000;
const bulksListed = 20;
const requestsScanned = 500;

/** Queue lengths and pauses for the dashboard; every query is bounded. */
export function createQueueFacts(pool: pg.Pool) {
  return {
    async readChannels(appIds: string[], channels: readonly string[]): Promise<ChannelFacts[]> {
      const { rows } = await pool.query<ChannelFacts>(channelStatement, [channels, appIds]);
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

// Filters by app, state and channel, to match the index of waiting messages; counts messages being sent by their state.
const channelStatement = `
SELECT c.channel, count(m.id) FILTER (WHERE m.due_at <= now() OR m.waits IS NULL)::int AS waiting,
  min(m.due_at) FILTER (WHERE m.due_at <= now()) AS "oldestAt",
  (SELECT count(*)::int FROM unnest($2::uuid[]) a (id) CROSS JOIN LATERAL (
     SELECT 1 FROM message s WHERE s.app_id = a.id AND s.channel = c.channel AND s.has_job AND s.state = 'sending' LIMIT 2000) s) AS "inFlight",
  count(m.id) FILTER (WHERE m.waits = 'retry')::int AS retrying,
  min(m.due_at) FILTER (WHERE m.waits = 'retry') AS "nextRetryAt",
  count(m.id) FILTER (WHERE m.waits = 'needs_attention')::int AS "needsAttention",
  count(m.id) FILTER (WHERE m.waits = 'schedule' AND m.due_at > now())::int AS scheduled,
  jsonb_build_object(${blockReasons.map((reason) => `'${reason}', count(m.id) FILTER (WHERE m.waits = '${reason}' AND m.due_at > now())`).join(', ')}) AS blocked
FROM unnest($1::text[]) c (channel)
LEFT JOIN LATERAL (
  SELECT w.id, w.due_at, w.waits FROM unnest($2::uuid[]) a (id) CROSS JOIN LATERAL (
    SELECT q.id, q.due_at, q.waits FROM message q
    WHERE q.app_id = a.id AND q.channel = c.channel AND q.log_state = 'open' AND q.state = 'queued'
    LIMIT ${queueCountedTo}) w
  LIMIT ${queueCountedTo}
) m ON true
GROUP BY c.channel`;
