import { inTransaction, type Queryable } from '@belfry/database';
import { newId } from '@belfry/runtime';
import type { ResendSkip } from '@belfry/shared';
import type pg from 'pg';
import { judgeResends, type ResendVerdict } from '../operate/resend-verdict.sql';
import { type NewGeneration, writeGenerations } from '../operate/write-generations.sql';

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
export async function carryOutResend(pool: pg.Pool): Promise<ResendChunkResult | undefined> {
  // One statement instead of a transaction of four each second, as almost always none is due.
  const { rows: due } = await pool.query(
    'SELECT FROM resend WHERE finished_at IS NULL AND next_at <= now() LIMIT 1',
  );
  if (due.length === 0) return undefined;
  return inTransaction(pool, async (client) => {
    await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${idleTimeoutMs}`);
    const run = await takeRun(client);
    if (!run) return undefined;
    const pending = await listPending(client, run.id, Math.min(run.perSecond, maxChunk));
    const resent = await resendPending(client, run, pending);
    const skipped = pending.length - resent;
    const isFinished = await moveOn(client, run, { resent, skipped });
    return { resendId: run.id, resent, skipped, isFinished };
  });
}

type RunRow = { id: string; appId: string; perSecond: number };

async function takeRun(client: Queryable): Promise<RunRow | undefined> {
  const { rows } = await client.query<RunRow>({
    name: 'take-resend',
    text: `SELECT r.id, r.app_id AS "appId", r.per_second AS "perSecond"
           FROM resend r
           WHERE r.finished_at IS NULL AND r.next_at <= now()
             AND NOT EXISTS (SELECT 1 FROM sending_pause p WHERE p.app_id = r.app_id)
           ORDER BY r.next_at LIMIT 1 FOR UPDATE OF r SKIP LOCKED`,
  });
  return rows[0];
}

/** The next message of a run, as it was when the operator confirmed it. */
type PendingRow = { messageId: string; state: string };

async function listPending(
  client: Queryable,
  resendId: string,
  limit: number,
): Promise<PendingRow[]> {
  const { rows } = await client.query<PendingRow>({
    name: 'list-pending-resends',
    text: `SELECT message_id AS "messageId", state FROM resend_message WHERE resend_id = $1 AND outcome IS NULL
           ORDER BY message_id LIMIT $2`,
    values: [resendId, limit],
  });
  return rows;
}

/** Returns how many were resent; a message that changed since it was read is not. */
async function resendPending(
  client: Queryable,
  { id: resendId, appId }: RunRow,
  pending: PendingRow[],
): Promise<number> {
  const ids = pending.map(({ messageId }) => messageId);
  const verdicts = await judgeResends(client, appId, ids);
  const byId = new Map(verdicts.map((verdict) => [verdict.id, verdict]));
  const decisions = pending.map((row) => decide(row, byId.get(row.messageId)));
  const generations = decisions.filter((decision) => typeof decision !== 'string');
  const written =
    generations.length === 0
      ? []
      : await writeGenerations(client, { appId, resendId }, generations);
  const newIds = new Map(written.map(({ resendOf, id }) => [resendOf, id]));
  const getOutcome = (decision: Decision) => {
    if (typeof decision === 'string') return decision;
    return newIds.has(decision.messageId) ? 'resent' : 'changed';
  };
  await client.query({
    name: 'settle-resends',
    text: `UPDATE resend_message rm SET outcome = t.outcome, new_message_id = t.new_id
           FROM unnest($2::uuid[], $3::text[], $4::uuid[]) t (message_id, outcome, new_id)
           WHERE rm.resend_id = $1 AND rm.message_id = t.message_id`,
    values: [resendId, ids, decisions.map(getOutcome), ids.map((id) => newIds.get(id))],
  });
  return written.length;
}

type Decision = ResendSkip | NewGeneration;

/** The operator confirmed a message in a certain state, so one whose state changed is skipped. */
function decide(
  { messageId, state: stateThen }: PendingRow,
  verdict: ResendVerdict | undefined,
): Decision {
  if (!verdict) return 'gone';
  const { obstacle, state, integrationId, timeToLiveMs } = verdict;
  if (obstacle === 'erased' || obstacle === 'sensitive') return obstacle;
  if (obstacle === 'resent' || state !== stateThen) return 'changed';
  return obstacle ?? { id: newId(), messageId, state, integrationId, timeToLiveMs };
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
