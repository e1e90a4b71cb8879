import { type Actor, inTransaction, type Queryable, writeAudit } from '@belfry/database';
import { newId } from '@belfry/runtime';
import { maxMessagesPerResend } from '@belfry/shared';
import type pg from 'pg';
import type { LogFilter } from './request-log.sql';
import { resendMatch } from './resend-match.sql';

export type MatchCount = {
  channel: string;
  state: string;
  obstacle: 'not_ended' | 'erased' | 'sensitive' | null;
  messages: number;
};

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
};

export type NewResendRun = {
  appId: string;
  filter: LogFilter;
  /** The filter in the form to show and store. */
  shown: Record<string, string>;
  /** The number of messages that the operator confirmed; more are not resent. */
  confirmed: number;
  perSecond: number;
};

export type StartedRun = { id: string; matched: number };

/** Messages listed on the page of a run. */
const messagesListed = 100;
const runsListed = 50;

/** Resends by filter. Confirming one fixes its messages; `carryOutResend` resends them. */
export function createResendRuns(pool: pg.Pool) {
  return {
    /** Counts the matching messages, up to one more than a run may have. */
    async count(filter: LogFilter): Promise<MatchCount[]> {
      const { text, values } = buildStatement(
        filter,
        (match) => `
WITH ${match} SELECT channel, state, obstacle, count(*)::int AS messages FROM judged GROUP BY channel, state, obstacle`,
      );
      return (await pool.query<MatchCount>(text, values)).rows;
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
        `${runColumns} WHERE r.app_id = $1 ORDER BY r.id DESC LIMIT ${runsListed}`,
        [appId],
      );
      return rows;
    },

    async find(appId: string, id: string): Promise<ResendRunRow | undefined> {
      const { rows } = await pool.query<ResendRunRow>(
        `${runColumns} WHERE r.app_id = $1 AND r.id = $2`,
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

function buildStatement(filter: LogFilter, write: (match: string, bind: BindMore) => string) {
  const values: unknown[] = [];
  const bind: BindMore = (value, type) => `$${values.push(value)}::${type}`;
  const match = resendMatch(filter, bind);
  return { text: write(match, bind), values };
}

type BindMore = (value: unknown, type: string) => string;

/** One statement, so that it counts, confirms and writes the same messages. */
async function startRun(
  pool: pg.Pool,
  actor: Actor,
  { appId, filter, shown, confirmed, perSecond }: NewResendRun,
): Promise<StartedRun | undefined> {
  const { text, values } = buildStatement(
    filter,
    (match, bind) => `
WITH ${match}, started AS (
  INSERT INTO resend (id, app_id, filter, matched, per_second, created_by)
  SELECT ${bind(newId(), 'uuid')}, ${bind(appId, 'uuid')}, ${bind(JSON.stringify(shown), 'jsonb')}, f.messages,
    ${bind(perSecond, 'int')}, ${bind(actor.operatorId, 'uuid')}
  FROM (SELECT count(*)::int AS messages FROM fit) f
  WHERE f.messages BETWEEN 1 AND ${bind(confirmed, 'int')}
    AND (SELECT count(*) FROM matched) <= ${maxMessagesPerResend}
  ON CONFLICT (app_id) WHERE finished_at IS NULL DO NOTHING
  RETURNING id, matched
), named AS (
  INSERT INTO resend_message (resend_id, message_id, state) SELECT s.id, f.id, f.state FROM started s CROSS JOIN fit f
)
SELECT id, matched FROM started`,
  );
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<StartedRun>(text, values);
    const [started] = rows;
    if (!started) return undefined;
    const change = { filter: shown, messages: started.matched, perSecond };
    const entry = { action: 'resend.started', subject: started.id, change };
    await writeAudit(client, { ...actor, appId }, entry);
    return started;
  });
}

const runColumns = `
SELECT r.id, r.filter, r.matched, r.resent, r.skipped, r.per_second AS "perSecond", r.created_at AS "createdAt",
  o.email AS "createdBy", r.finished_at AS "finishedAt", r.cancelled_at AS "cancelledAt", c.email AS "cancelledBy"
FROM resend r LEFT JOIN operator o ON o.id = r.created_by LEFT JOIN operator c ON c.id = r.cancelled_by`;

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
