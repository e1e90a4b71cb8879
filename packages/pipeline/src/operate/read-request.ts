import { toReadableKey } from '@belfry/database';
import type { StateGroup, VersionDefinition } from '@belfry/shared';
import type pg from 'pg';
import { type CurrentVerdict, readObstacles } from '../deliver/eligibility.sql';
import { type CountMessages, countMessages } from './count-messages.sql';
import { countPlanned } from './is-planned.sql';
import { readMessages, type TimelineMessage } from './read-messages';
import { judgeResends, type ResendVerdict, readDelivery } from './resend-verdict.sql';

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
  /** Null if the call had no trace. */
  traceId: string | null;
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
  /** JSON. */
  metadata: string | null;
  cancelKey: string | null;
  skips: Skips | null;
};

export type TimelineCapture = {
  id: string;
  messageId: string;
  content: unknown;
  request: unknown;
};

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
    readCaptures(pool, messages),
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
  r.created_at AS "acceptedAt", substr(r.traceparent, 4, 32) AS "traceId"`;
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
SELECT recipient, data, override, locale, schedule_at AS "scheduleAt", metadata, cancel_key AS "cancelKey", skips
FROM request_item WHERE request_id = $1 AND item = $2`;

const skipStatement = `
SELECT item, skips FROM (
  SELECT item, skips FROM request_item WHERE request_id = $1 ORDER BY item LIMIT ${maxRequestItems}
) i WHERE skips IS NOT NULL`;

async function readCaptures(
  pool: pg.Pool,
  messages: readonly TimelineMessage[],
): Promise<TimelineCapture[]> {
  if (messages.length === 0) return [];
  const ids = messages.map(({ id }) => id);
  return (await pool.query<TimelineCapture>(captureStatement, [ids])).rows;
}

const captureStatement = `
SELECT DISTINCT ON (message_id) id, message_id AS "messageId", content, request
FROM capture WHERE message_id = ANY ($1::uuid[]) ORDER BY message_id, attempt DESC`;
