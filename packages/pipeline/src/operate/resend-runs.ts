import { type Actor, inTransaction, type Queryable, writeAudit } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { maxMessagesPerResend } from '@belfry/shared';
import type pg from 'pg';
import type { LogFilter } from './log-conditions.sql';
import { listMatches } from './resend-match.sql';
import { judgeResends, type ResendVerdict } from './resend-verdict.sql';

export type ResendRunRow = {
  id: string;
  filter: Record<string, string>;
  matched: number;
  resent: number;
  skipped: number;
  perSecond: number;
  createdAt: Date;
  createdBy: string | null;
  finishedAt: Date | null;
  cancelledAt: Date | null;
  cancelledBy: string | null;
  /** Resent messages by their state now; null in a list that had read enough messages before. */
  open: number | null;
  accepted: number | null;
  notDelivered: number | null;
};

export type NewResendRun = {
  appId: string;
  filter: LogFilter;
  /** The filter in the form to show and store. */
  shown: Record<string, string>;
  /** The number of messages that the operator confirmed; more are not resent. */
  confirmed: number;
  /** How many of them were in each state, because a resend of a delivered message is another matter than of a failed one. */
  confirmedStates?: Readonly<Record<string, number>> | undefined;
  perSecond: number;
};

export type StartedRun = { id: string; matched: number };

/** Messages listed on the page of a run. */
const messagesListed = 100;
const runsListed = 50;
/** Messages whose states a list reads, from the newest run on; the run that reaches the limit is still read. */
const maxStatesListed = 20_000;

/** Resends by filter. Confirming one fixes its messages; `carryOutResend` resends them. */
export function createResendRuns(pool: pg.Pool) {
  return {
    /** Judges the matching messages, up to one more than a run may have. */
    async count(filter: LogFilter): Promise<ResendVerdict[]> {
      return judgeResends(pool, filter.appId, await listMatches(pool, filter));
    },

    /** Undefined if a run is active already, or the matches are not what was confirmed. */
    start: (actor: Actor, run: NewResendRun) => startRun(pool, actor, run),

    async hasRunning(appId: string): Promise<boolean> {
      const { rows } = await pool.query(
        'SELECT FROM resend WHERE app_id = $1 AND finished_at IS NULL',
        [appId],
      );
      return rows.length > 0;
    },

    async list(appId: string): Promise<ResendRunRow[]> {
      const { rows } = await pool.query<ResendRunRow>(
        `${runColumns}
         ${selectNewest} r ${runTables} ORDER BY r.id DESC`,
        [appId],
      );
      return rows;
    },

    async find(appId: string, id: string): Promise<ResendRunRow | undefined> {
      const { rows } = await pool.query<ResendRunRow>(
        `${runColumns}
         FROM (SELECT *, 0 AS messages_before FROM resend WHERE app_id = $1 AND id = $2) r ${runTables}`,
        [appId, id],
      );
      return rows[0];
    },

    readProgress: (id: string) => readProgress(pool, id),

    /** Returns how many messages were cancelled; undefined if the run was finished. */
    cancel: (actor: Actor, run: { appId: string; id: string }) => cancelRun(pool, actor, run),
  };
}

export type ResendRuns = ReturnType<typeof createResendRuns>;

/** One transaction, and the ids fix the messages that are counted, confirmed and written. */
async function startRun(
  pool: pg.Pool,
  actor: Actor,
  { appId, filter, shown, perSecond, ...confirmation }: NewResendRun,
): Promise<StartedRun | undefined> {
  return inTransaction(pool, async (client) => {
    const matches = await judgeResends(client, appId, await listMatches(client, filter));
    const fit = matches.filter(({ obstacle }) => obstacle === null);
    const isTooMany = matches.length > maxMessagesPerResend;
    if (isTooMany || !isConfirmed(fit, confirmation)) return undefined;
    const { rows } = await client.query<StartedRun>(startStatement, [
      ...[newId(), appId, JSON.stringify(shown), perSecond, actor.operatorId],
      ...[fit.map(({ id }) => id), fit.map(({ state }) => state)],
    ]);
    const [started] = rows;
    if (!started) return undefined;
    const change = { filter: shown, messages: started.matched, perSecond };
    const entry = { action: 'resend.started', subject: started.id, change };
    await writeAudit(client, { ...actor, appId }, entry);
    return started;
  });
}

function isConfirmed(
  fit: readonly ResendVerdict[],
  { confirmed, confirmedStates }: Pick<NewResendRun, 'confirmed' | 'confirmedStates'>,
): boolean {
  if (fit.length === 0 || fit.length > confirmed) return false;
  if (!confirmedStates) return true;
  const counts = new Map<string, number>();
  for (const { state } of fit) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].every(([state, messages]) => messages <= (confirmedStates[state] ?? 0));
}

const startStatement = `
WITH started AS (
  INSERT INTO resend (id, app_id, filter, matched, per_second, created_by)
  VALUES ($1, $2, $3, cardinality($6::uuid[]), $4, $5)
  ON CONFLICT (app_id) WHERE finished_at IS NULL DO NOTHING
  RETURNING id, matched
), named AS (
  INSERT INTO resend_message (resend_id, message_id, state)
  SELECT s.id, f.id, f.state FROM started s CROSS JOIN unnest($6::uuid[], $7::text[]) f (id, state)
)
SELECT id, matched FROM started`;

const runColumns = `
SELECT r.id, r.filter, r.matched, r.resent, r.skipped, r.per_second AS "perSecond", r.created_at AS "createdAt",
  o.email AS "createdBy", r.finished_at AS "finishedAt", r.cancelled_at AS "cancelledAt", c.email AS "cancelledBy",
  s.open, s.accepted, s."notDelivered"`;

/** The newest runs, each with the number of messages of newer ones. Follows resend_app_id_idx. */
const selectNewest = `FROM (
  SELECT n.*, coalesce(sum(n.resent) OVER (ORDER BY n.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS messages_before
  FROM (SELECT * FROM resend WHERE app_id = $1 ORDER BY id DESC LIMIT ${runsListed}) n)`;

// A run has at most 10,000 messages; each state is a look-up by the key of the message.
const runTables = `LEFT JOIN operator o ON o.id = r.created_by LEFT JOIN operator c ON c.id = r.cancelled_by
LEFT JOIN LATERAL (
  SELECT count(*) FILTER (WHERE n.state IN ('queued', 'sending'))::int AS open,
    count(*) FILTER (WHERE n.state IN ('sent', 'delivered', 'read'))::int AS accepted,
    count(*) FILTER (WHERE n.state IN ('failed', 'skipped', 'unknown'))::int AS "notDelivered"
  FROM resend_message rm JOIN message n ON n.id = rm.new_message_id
  WHERE rm.resend_id = r.id AND r.messages_before < ${maxStatesListed}
) s ON r.messages_before < ${maxStatesListed}`;

export type ResendProgress = {
  /** Counts by outcome; `outcome` is null for messages that are still to be resent. */
  outcomes: { outcome: string | null; messages: number }[];
  /** States of the resent messages. */
  states: { channel: string; state: string; messages: number }[];
  /** The first 100 messages. */
  messages: ResendMessageRow[];
};

export type ResendMessageRow = {
  messageId: string;
  requestId: string | null;
  channel: string | null;
  target: string | null;
  /** The state when the run was confirmed. */
  stateThen: string;
  outcome: string | null;
  newMessageId: string | null;
  newState: string | null;
};

async function readProgress(client: Queryable, id: string): Promise<ResendProgress> {
  const [outcomes, states, messages] = await Promise.all([
    client.query<ResendProgress['outcomes'][number]>(outcomeStatement, [id]),
    client.query<ResendProgress['states'][number]>(stateStatement, [id]),
    client.query<ResendMessageRow>(messageStatement, [id]),
  ]);
  return { outcomes: outcomes.rows, states: states.rows, messages: messages.rows };
}

const outcomeStatement = `
SELECT outcome, count(*)::int AS messages FROM resend_message WHERE resend_id = $1 GROUP BY outcome ORDER BY outcome`;

const stateStatement = `
SELECT n.channel, n.state, count(*)::int AS messages
FROM resend_message rm JOIN message n ON n.id = rm.new_message_id
WHERE rm.resend_id = $1 GROUP BY n.channel, n.state ORDER BY n.channel, n.state`;

// Skipped messages and those that failed again come first, because operators look for these.
const messageStatement = `
SELECT rm.message_id AS "messageId", m.request_id AS "requestId", m.channel, m.target, rm.state AS "stateThen", rm.outcome,
  rm.new_message_id AS "newMessageId", n.state AS "newState"
FROM resend_message rm LEFT JOIN message m ON m.id = rm.message_id LEFT JOIN message n ON n.id = rm.new_message_id
WHERE rm.resend_id = $1
ORDER BY (rm.outcome IS NOT NULL AND rm.outcome NOT IN ('resent', 'cancelled')) DESC, (n.state IN ('failed', 'unknown')) DESC NULLS LAST,
  rm.message_id
LIMIT ${messagesListed}`;

async function cancelRun(
  pool: pg.Pool,
  actor: Actor,
  { appId, id }: { appId: string; id: string },
): Promise<number | undefined> {
  return inTransaction(pool, async (client) => {
    // Waits for a chunk that is being written, which locks the row.
    const { rowCount } = await client.query(
      `UPDATE resend SET finished_at = now(), cancelled_at = now(), cancelled_by = $3
       WHERE id = $1 AND app_id = $2 AND finished_at IS NULL`,
      [id, appId, actor.operatorId],
    );
    if (rowCount !== 1) return undefined;
    const result = await client.query(
      `UPDATE resend_message SET outcome = 'cancelled' WHERE resend_id = $1 AND outcome IS NULL`,
      [id],
    );
    const change = { messages: result.rowCount ?? 0 };
    await writeAudit(
      client,
      { ...actor, appId },
      { action: 'resend.cancelled', subject: id, change },
    );
    return change.messages;
  });
}
