import { toReadableKey } from '@belfry/database';
import type {
  MessageState,
  OutcomeKind,
  QueueReason,
  StateGroup,
  VersionDefinition,
} from '@belfry/shared';
import type pg from 'pg';
import { type CurrentVerdict, readObstacles } from '../deliver/eligibility.sql';
import { type CountMessages, countMessages } from './count-messages.sql';
import { countPlanned } from './is-planned.sql';
import { judgeResends, type ResendVerdict, readDelivery } from './resend-verdict.sql';
import { waitReason } from './wait-reason.sql';

/** A request at acceptance. */
export type TimelineHead = {
  requestId: string;
  appId: string;
  appName: string;
  delivery: 'sandbox' | 'live';
  kind: 'single' | 'bulk' | 'test' | 'resend';
  items: number;
  plannedItems: number;
  acceptedAt: Date;
  apiKeyId: string | null;
  idempotencyKey: string | null;
  eventId: string;
  eventName: string;
  isEventDeleted: boolean;
  versionId: string;
  versionNumber: number;
  versionKind: 'live' | 'test';
  definition: VersionDefinition;
};

type Skips = Record<string, { reason: string; detail?: string }>;

export type TimelineItem = {
  recipient: string | null;
  data: string | null;
  override: string | null;
  locale: string | null;
  scheduleAt: string | null;
  skips: Skips | null;
};

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

export type TimelineCapture = { messageId: string; content: unknown; request: unknown };

/** Everything stored about one item of a request. */
export type ItemTimeline = {
  head: TimelineHead;
  item: TimelineItem | undefined;
  messages: TimelineMessage[];
  /** Whether a message can be resent, by message. */
  verdicts: Map<string, ResendVerdict>;
  captures: TimelineCapture[];
  /** Counts over all items. */
  groups: StateGroup[];
  itemGroups: StateGroup[];
};

/** The messages of all items of a request, without its content. */
export type RequestTimeline = {
  head: TimelineHead;
  skips: { item: number; skips: Skips }[];
  messages: TimelineMessage[];
  /** The verdict of a claim now on each message that is queued or was skipped as suppressed, by message. */
  verdicts: Map<string, CurrentVerdict>;
  /** There are more messages than these. */
  isCut: boolean;
};

const maxItemMessages = 100;
const maxRequestMessages = 50;
const maxRequestItems = 1_000;
const maxAttempts = 1_000;
const maxReceipts = 500;

export type TimelineAddress = { appId: string; requestId: string; item: number };

/** Undefined if the app has no such request. */
export async function readItemTimeline(
  pool: pg.Pool,
  { appId, requestId, item }: TimelineAddress,
): Promise<ItemTimeline | undefined> {
  const head = await readHead(pool, requestId, appId);
  if (!head) return undefined;
  const [items, messages, groups, itemGroups] = await Promise.all([
    pool.query<TimelineItem>(itemStatement, [requestId, item]),
    readMessages(pool, requestId, { item, limit: maxItemMessages }),
    countGroups(pool, { appId, requestIds: [requestId] }),
    countGroups(pool, { appId, requestIds: [requestId], item }),
  ]);
  const [captures, verdicts] = await Promise.all([
    queryRows<TimelineCapture>(pool, captureStatement, messages),
    judgeResends(
      pool,
      appId,
      messages.map(({ id }) => id),
    ),
  ]);
  return {
    head,
    item: items.rows[0],
    messages,
    verdicts: new Map(verdicts.map((verdict) => [verdict.id, verdict])),
    captures,
    groups,
    itemGroups,
  };
}

/** Undefined if there is no such request; with `appId`, if the app has none. */
export async function readRequestTimeline(
  pool: pg.Pool,
  requestId: string,
  appId?: string,
): Promise<RequestTimeline | undefined> {
  const head = await readHead(pool, requestId, appId);
  if (!head) return undefined;
  const [{ rows: skips }, messages] = await Promise.all([
    pool.query<RequestTimeline['skips'][number]>(skipStatement, [requestId]),
    readMessages(pool, requestId, { limit: maxRequestMessages + 1 }),
  ]);
  const judged = messages
    .filter(({ state, reason }) => state === 'queued' || reason === 'suppressed')
    .map(({ id }) => id);
  return {
    head,
    skips,
    messages: messages.slice(0, maxRequestMessages),
    verdicts: judged.length === 0 ? new Map() : await readObstacles(pool, head.appId, judged),
    isCut: messages.length > maxRequestMessages || head.items > maxRequestItems,
  };
}

async function countGroups(pool: pg.Pool, count: CountMessages): Promise<StateGroup[]> {
  const [groups] = (await countMessages(pool, count)).values();
  return groups ?? [];
}

/** SQL of what every reader of a request returns about it, and of its tables. */
export const headColumns = `r.id AS "requestId", r.kind, r.items, ${countPlanned('r')} AS "plannedItems",
  r.created_at AS "acceptedAt"`;
export const headTables = `FROM request r JOIN event e ON e.id = r.event_id JOIN event_version v ON v.id = r.version_id`;

async function readHead(
  pool: pg.Pool,
  requestId: string,
  appId: string | undefined,
): Promise<TimelineHead | undefined> {
  const { rows } = await pool.query<TimelineHead>(
    `SELECT ${headColumns}, a.id AS "appId", a.name AS "appName", ${readDelivery('v', 'a')} AS delivery, r.api_key_id AS "apiKeyId",
       r.idempotency_key AS "idempotencyKey", e.id AS "eventId", e.name AS "eventName",
       e.deleted_at IS NOT NULL AS "isEventDeleted", v.id AS "versionId", v.number AS "versionNumber",
       v.kind AS "versionKind", v.definition
     ${headTables} JOIN app a ON a.id = r.app_id
     WHERE r.id = $1 AND ${appId === undefined ? 'true' : 'r.app_id = $2'}`,
    appId === undefined ? [requestId] : [requestId, appId],
  );
  const [head] = rows;
  return head?.idempotencyKey
    ? { ...head, idempotencyKey: toReadableKey(head.idempotencyKey) }
    : head;
}

const itemStatement = `
SELECT recipient, data, override, locale, schedule_at AS "scheduleAt", skips
FROM request_item WHERE request_id = $1 AND item = $2`;

const skipStatement = `
SELECT item, skips FROM (
  SELECT item, skips FROM request_item WHERE request_id = $1 ORDER BY item LIMIT ${maxRequestItems}
) i WHERE skips IS NOT NULL`;

async function readMessages(
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

const captureStatement = `
SELECT DISTINCT ON (message_id) message_id AS "messageId", content, request
FROM capture WHERE message_id = ANY ($1::uuid[]) ORDER BY message_id, attempt DESC`;
