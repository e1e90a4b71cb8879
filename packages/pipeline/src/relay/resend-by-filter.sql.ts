import { inTransaction, type Queryable } from '@belfry/database';
import { formatErasedTarget, type ResendSkip } from '@belfry/shared';
import type pg from 'pg';
import { type NewGeneration, writeGenerations } from '../operate/write-generations.sql';

/** The next message of a run; undefined fields were removed since the run began. */
export type ResendCandidate = {
  id: string;
  stateThen: string;
  state: string | undefined;
  channel: string | undefined;
  versionId: string | undefined;
  isErased: boolean;
  isNewest: boolean;
};

export type ResendDecision =
  | { messageId: string; generation: NewGeneration }
  | { messageId: string; skip: ResendSkip };

export type ResendChunkApp = { appId: string; delivery: 'sandbox' | 'live' };

export type DecideResends = (
  app: ResendChunkApp,
  candidates: ResendCandidate[],
) => Promise<ResendDecision[]>;

export type ResendChunkResult = {
  resendId: string;
  resent: number;
  skipped: number;
  isFinished: boolean;
};

/** Maximum messages of one transaction. */
const maxChunk = 100;
/** If a process hangs within the transaction, this frees the run for others. */
const idleTimeoutMs = 5_000;

/**
 * Resends the next messages of one run, as many as its rate allows, in one transaction. A process that is killed within it
 * has resent none, and no other process has the run meanwhile. Undefined if no run is due.
 */
export async function carryOutResend(
  pool: pg.Pool,
  decide: DecideResends,
): Promise<ResendChunkResult | undefined> {
  return inTransaction(pool, async (client) => {
    await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${idleTimeoutMs}`);
    const run = await takeRun(client);
    if (!run) return undefined;
    const candidates = await listPending(client, run.id, Math.min(run.perSecond, maxChunk));
    const decisions = await decide(run, candidates);
    const resent = await writeDecisions(client, run, decisions);
    const skipped = decisions.length - resent;
    const isFinished = await moveOn(client, run, { resent, skipped });
    return { resendId: run.id, resent, skipped, isFinished };
  });
}

type RunRow = ResendChunkApp & { id: string; perSecond: number };

async function takeRun(client: Queryable): Promise<RunRow | undefined> {
  const { rows } = await client.query<RunRow>({
    name: 'take-resend',
    text: `SELECT r.id, r.app_id AS "appId", r.per_second AS "perSecond", a.delivery
           FROM resend r JOIN app a ON a.id = r.app_id
           WHERE r.finished_at IS NULL AND r.next_at <= now()
             AND NOT EXISTS (SELECT 1 FROM sending_pause p WHERE p.app_id = r.app_id)
           ORDER BY r.next_at LIMIT 1 FOR UPDATE OF r SKIP LOCKED`,
  });
  return rows[0];
}

async function listPending(
  client: Queryable,
  resendId: string,
  limit: number,
): Promise<ResendCandidate[]> {
  const { rows } = await client.query<PendingRow>({
    name: 'list-pending-resends',
    text: `SELECT t.message_id, t.state AS state_then, m.state, m.channel, m.target, q.version_id,
             NOT EXISTS (SELECT 1 FROM message n WHERE n.request_id = m.request_id AND n.item = m.item
               AND n.channel = m.channel AND n.target = m.target AND n.generation > m.generation) AS is_newest
           FROM (SELECT message_id, state FROM resend_message WHERE resend_id = $1 AND outcome IS NULL
                 ORDER BY message_id LIMIT $2) t
           LEFT JOIN message m ON m.id = t.message_id
           LEFT JOIN request q ON q.id = m.request_id
           ORDER BY t.message_id`,
    values: [resendId, limit],
  });
  return rows.map((row) => ({
    id: row.message_id,
    stateThen: row.state_then,
    state: row.state ?? undefined,
    channel: row.channel ?? undefined,
    versionId: row.version_id ?? undefined,
    isErased: row.target === formatErasedTarget(row.message_id),
    isNewest: row.is_newest,
  }));
}

type PendingRow = {
  message_id: string;
  state_then: string;
  state: string | null;
  channel: string | null;
  target: string | null;
  version_id: string | null;
  is_newest: boolean;
};

/** Returns how many were resent; a message that changed since it was read is not. */
async function writeDecisions(
  client: Queryable,
  { id, appId }: RunRow,
  decisions: ResendDecision[],
): Promise<number> {
  const generations = decisions.flatMap((each) => ('generation' in each ? [each.generation] : []));
  const writtenGenerations =
    generations.length === 0
      ? []
      : await writeGenerations(client, { appId, resendId: id }, generations);
  const newIds = new Map(writtenGenerations.map(({ resendOf, id: newId }) => [resendOf, newId]));
  const getOutcome = (each: ResendDecision) => {
    if ('skip' in each) return each.skip;
    return newIds.has(each.messageId) ? 'resent' : 'changed';
  };
  await client.query({
    name: 'settle-resends',
    text: `UPDATE resend_message rm SET outcome = t.outcome, new_message_id = t.new_id
           FROM unnest($2::uuid[], $3::text[], $4::uuid[]) t (message_id, outcome, new_id)
           WHERE rm.resend_id = $1 AND rm.message_id = t.message_id`,
    values: [
      id,
      decisions.map(({ messageId }) => messageId),
      decisions.map(getOutcome),
      decisions.map(({ messageId }) => newIds.get(messageId)),
    ],
  });
  return writtenGenerations.length;
}

async function moveOn(
  client: Queryable,
  { id, perSecond }: RunRow,
  { resent, skipped }: { resent: number; skipped: number },
): Promise<boolean> {
  // Skipped messages do not count against the rate.
  const waitMs = (resent * 1_000) / perSecond;
  const { rows } = await client.query<{ is_finished: boolean }>({
    name: 'move-resend-on',
    text: `UPDATE resend SET resent = resent + $2, skipped = skipped + $3, next_at = now() + $4::float8 * interval '1 ms',
             finished_at = CASE WHEN NOT EXISTS (
               SELECT 1 FROM resend_message WHERE resend_id = $1 AND outcome IS NULL) THEN now() END
           WHERE id = $1 RETURNING finished_at IS NOT NULL AS is_finished`,
    values: [id, resent, skipped, waitMs],
  });
  return rows[0]?.is_finished === true;
}
