import type { MessageState, OutcomeKind, QueueReason } from '@belfry/shared';
import type pg from 'pg';
import { waitReason } from './wait-reason.sql';

/** A stored message with its provider calls and receipts. */
export type TimelineMessage = {
  id: string;
  item: number;
  channel: string;
  target: string;
  generation: number;
  state: MessageState;
  reason: string | null;
  /** The stored reason, even after the message became due. */
  waits: string | null;
  /** Why it waits now; null unless it is queued. */
  waitsNow: QueueReason | null;
  dueAt: Date | null;
  expiresAt: Date;
  createdAt: Date;
  settledAt: Date | null;
  isQueued: boolean;
  attemptsMade: number;
  unknownCount: number;
  notes: Record<string, unknown> | null;
  resendOf: string | null;
  integrationId: string | null;
  integrationName: string | null;
  isIntegrationRemoved: boolean;
  attempts: TimelineAttempt[];
  receipts: TimelineReceipt[];
};

export type TimelineAttempt = {
  messageId: string;
  number: number;
  openedAt: Date;
  closedAt: Date | null;
  worker: string | null;
  provider: string | null;
  integrationName: string | null;
  outcome: OutcomeKind | null;
  reason: string | null;
  detail: string | null;
  isPossibleDuplicate: boolean;
  providerMessageId: string | null;
  request: string | null;
  response: string | null;
};

export type TimelineReceipt = {
  messageId: string;
  receivedAt: Date;
  state: string;
  errorCode: string | null;
  detail: string | null;
  body: string;
};

const maxAttempts = 1_000;
const maxReceipts = 500;

/** Reads messages of one item or of all items of a request, with attempts and receipts. */
export async function readMessages(
  pool: pg.Pool,
  requestId: string,
  { item, limit }: { item?: number; limit: number },
): Promise<TimelineMessage[]> {
  const { rows } = await pool.query<MessageRow>(
    `${selectMessages} WHERE m.request_id = $1 AND ${item === undefined ? 'true' : 'm.item = $3'}
     ORDER BY m.item, m.channel, m.target, m.generation LIMIT $2`,
    item === undefined ? [requestId, limit] : [requestId, limit, item],
  );
  return addHistory(pool, rows);
}

/** Reads messages of an app by their ids, in no order. */
export async function readMessagesById(
  pool: pg.Pool,
  appId: string,
  ids: readonly string[],
): Promise<TimelineMessage[]> {
  const { rows } = await pool.query<MessageRow>(
    `${selectMessages} WHERE m.id = ANY ($2::uuid[]) AND m.app_id = $1`,
    [appId, ids],
  );
  return addHistory(pool, rows);
}

type MessageRow = Omit<TimelineMessage, 'attempts' | 'receipts'>;

const selectMessages = `
SELECT m.id, m.item, m.channel, m.target, m.generation, m.state, m.reason, m.waits, m.due_at AS "dueAt",
  ${waitReason('m')} AS "waitsNow", m.expires_at AS "expiresAt", m.created_at AS "createdAt", m.settled_at AS "settledAt",
  m.job_id IS NOT NULL AS "isQueued", m.attempts AS "attemptsMade", m.unknown_count AS "unknownCount", m.notes,
  m.resend_of AS "resendOf", m.integration_id AS "integrationId", i.name AS "integrationName",
  i.deleted_at IS NOT NULL AS "isIntegrationRemoved"
FROM message m LEFT JOIN integration i ON i.id = m.integration_id`;

async function addHistory(pool: pg.Pool, rows: readonly MessageRow[]): Promise<TimelineMessage[]> {
  const [attempts, receipts] = await Promise.all([
    queryRows<TimelineAttempt>(pool, attemptStatement, rows),
    queryRows<TimelineReceipt>(pool, receiptStatement, rows),
  ]);
  return rows.map((row) => ({
    ...row,
    attempts: attempts.filter(({ messageId }) => messageId === row.id),
    receipts: receipts.filter(({ messageId }) => messageId === row.id),
  }));
}

/** Runs a statement about these messages. */
async function queryRows<Row extends object>(
  pool: pg.Pool,
  text: string,
  messages: readonly { id: string }[],
): Promise<Row[]> {
  if (messages.length === 0) return [];
  return (await pool.query<Row>(text, [messages.map(({ id }) => id)])).rows;
}

const attemptStatement = `
SELECT a.message_id AS "messageId", a.number, a.opened_at AS "openedAt", a.closed_at AS "closedAt", a.worker, a.provider,
  i.name AS "integrationName", a.outcome, a.reason, a.detail, a.is_possible_duplicate AS "isPossibleDuplicate",
  a.provider_message_id AS "providerMessageId", a.request, a.response
FROM attempt a LEFT JOIN integration i ON i.id = a.integration_id
WHERE a.message_id = ANY ($1::uuid[]) ORDER BY a.message_id, a.number LIMIT ${maxAttempts}`;

const receiptStatement = `
SELECT message_id AS "messageId", received_at AS "receivedAt", state, error_code AS "errorCode", detail, body
FROM receipt WHERE message_id = ANY ($1::uuid[]) ORDER BY received_at LIMIT ${maxReceipts}`;
