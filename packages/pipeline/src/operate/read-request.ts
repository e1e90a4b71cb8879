import { toReadableKey } from '@belfry/database';
import type { StateGroup, VersionDefinition } from '@belfry/shared';
import type pg from 'pg';
import { countMessages } from './count-messages.sql';
import { countPlanned, isPlanned } from './is-planned.sql';

/** A request at acceptance. */
export type TimelineHead = {
  requestId: string;
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

export type TimelineItem = {
  recipient: string | null;
  data: string | null;
  override: string | null;
  locale: string | null;
  scheduleAt: string | null;
  skips: Record<string, { reason: string; detail?: string }> | null;
  isPlanned: boolean;
};

export type TimelineMessage = {
  id: string;
  channel: string;
  target: string;
  generation: number;
  state: string;
  reason: string | null;
  waits: string | null;
  dueAt: Date | null;
  expiresAt: Date;
  createdAt: Date;
  settledAt: Date | null;
  attempts: number;
  unknownCount: number;
  notes: Record<string, unknown> | null;
  resendOf: string | null;
  integrationId: string | null;
  integrationName: string | null;
  isIntegrationRemoved: boolean;
};

export type TimelineAttempt = {
  messageId: string;
  number: number;
  openedAt: Date;
  closedAt: Date | null;
  worker: string | null;
  provider: string | null;
  integrationName: string | null;
  outcome: 'accepted' | 'rejected' | 'retry' | 'unknown' | null;
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

export type ItemTimeline = {
  head: TimelineHead;
  item: TimelineItem | undefined;
  messages: TimelineMessage[];
  attempts: TimelineAttempt[];
  receipts: TimelineReceipt[];
  captures: TimelineCapture[];
  /** Counts over all items. */
  groups: StateGroup[];
  itemGroups: StateGroup[];
};

const maxMessages = 100;
const maxAttempts = 1_000;
const maxReceipts = 500;

export type TimelineAddress = { appId: string; requestId: string; item: number };

/** Reads everything stored about one item of a request; undefined if the app has no such request. */
export async function readItemTimeline(
  pool: pg.Pool,
  address: TimelineAddress,
): Promise<ItemTimeline | undefined> {
  const head = await readHead(pool, address);
  if (!head) return undefined;
  const [item, messages, groups, itemGroups] = await Promise.all([
    readItem(pool, address),
    readMessages(pool, address),
    countGroups(pool, address),
    countGroups(pool, address, address.item),
  ]);
  const ids = messages.map(({ id }) => id);
  const [attempts, receipts, captures] = await Promise.all([
    queryRows<TimelineAttempt>(pool, attemptStatement, ids),
    queryRows<TimelineReceipt>(pool, receiptStatement, ids),
    queryRows<TimelineCapture>(pool, captureStatement, ids),
  ]);
  return { head, item, messages, attempts, receipts, captures, groups, itemGroups };
}

async function countGroups(
  pool: pg.Pool,
  { appId, requestId }: TimelineAddress,
  item?: number,
): Promise<StateGroup[]> {
  const counted = { appId, requestIds: [requestId], ...(item === undefined ? {} : { item }) };
  return (await countMessages(pool, counted)).get(requestId) ?? [];
}

async function readHead(
  pool: pg.Pool,
  { appId, requestId }: TimelineAddress,
): Promise<TimelineHead | undefined> {
  const { rows } = await pool.query<TimelineHead>(
    `SELECT r.id AS "requestId", r.kind, r.items, ${countPlanned('r')} AS "plannedItems", r.created_at AS "acceptedAt",
       r.api_key_id AS "apiKeyId", r.idempotency_key AS "idempotencyKey", e.id AS "eventId", e.name AS "eventName",
       e.deleted_at IS NOT NULL AS "isEventDeleted", v.id AS "versionId", v.number AS "versionNumber",
       v.kind AS "versionKind", v.definition
     FROM request r JOIN event e ON e.id = r.event_id JOIN event_version v ON v.id = r.version_id
     WHERE r.id = $1 AND r.app_id = $2`,
    [requestId, appId],
  );
  const head = rows[0];
  return head?.idempotencyKey
    ? { ...head, idempotencyKey: toReadableKey(head.idempotencyKey) }
    : head;
}

async function readItem(
  pool: pg.Pool,
  { requestId, item }: TimelineAddress,
): Promise<TimelineItem | undefined> {
  const { rows } = await pool.query<TimelineItem>(
    `SELECT i.recipient, i.data, i.override, i.locale, i.schedule_at AS "scheduleAt", i.skips,
       ${isPlanned('i', 'r')} AS "isPlanned"
     FROM request_item i JOIN request r ON r.id = i.request_id WHERE i.request_id = $1 AND i.item = $2`,
    [requestId, item],
  );
  return rows[0];
}

async function readMessages(
  pool: pg.Pool,
  { requestId, item }: TimelineAddress,
): Promise<TimelineMessage[]> {
  const { rows } = await pool.query<TimelineMessage>(
    `SELECT m.id, m.channel, m.target, m.generation, m.state, m.reason, m.waits, m.due_at AS "dueAt",
       m.expires_at AS "expiresAt", m.created_at AS "createdAt", m.settled_at AS "settledAt", m.attempts,
       m.unknown_count AS "unknownCount", m.notes, m.resend_of AS "resendOf", m.integration_id AS "integrationId",
       i.name AS "integrationName", i.deleted_at IS NOT NULL AS "isIntegrationRemoved"
     FROM message m LEFT JOIN integration i ON i.id = m.integration_id
     WHERE m.request_id = $1 AND m.item = $2 ORDER BY m.channel, m.target, m.generation LIMIT ${maxMessages}`,
    [requestId, item],
  );
  return rows;
}

async function queryRows<Row extends object>(
  pool: pg.Pool,
  text: string,
  messageIds: string[],
): Promise<Row[]> {
  return messageIds.length === 0 ? [] : (await pool.query<Row>(text, [messageIds])).rows;
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
