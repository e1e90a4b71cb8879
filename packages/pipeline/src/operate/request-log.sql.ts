import { listStoredKeys, wentTo } from '@belfry/database';
import { waitReason } from './wait-reason.sql';

/** Filters of the log. Events and integrations are ids. An absent filter matches everything. */
export type LogFilter = {
  appId: string;
  /** Bounds of request ids: `before` is exclusive, `from` inclusive. */
  before?: string;
  from?: string;
  requestId?: string;
  /** In readable form; see listStoredKeys. */
  idempotencyKey?: string;
  eventIds?: string[];
  channels?: string[];
  states?: string[];
  /** Why a message failed or was skipped. */
  reason?: string;
  provider?: string;
  /** Channels that the provider supports. */
  providerChannels?: string[];
  recipient?: string;
  /** A key of `queueReasons`; then `states` is `queued`. */
  waits?: string;
};

export type LogStatement = { text: string; values: unknown[] };

const walkedPlain = 51;
const walkedWithMessages = 20;
/** A few messages may wait for one reason among a long queue that waits for another. */
const walkedWaiting = 1_000;

/** Requests that one statement scans; with their conditions it reads fewer than 500 buffers, or 10 for each that waits. */
export function requestsWalked(filter: LogFilter): number {
  if (filter.waits !== undefined) return walkedWaiting;
  return hasMessageFilter(filter) ? walkedWithMessages : walkedPlain;
}

function hasMessageFilter({ channels, states, reason, provider }: LogFilter): boolean {
  return [channels, states, reason, provider].some((filter) => filter !== undefined);
}

/**
 * Scans the newest requests that may match, in index order, and checks each. Every branch returns request ids in descending
 * order, so PostgreSQL merges them without a sort, however many requests there are.
 */
export function logStatement(filter: LogFilter, allStates: readonly string[]): LogStatement {
  const values: unknown[] = [];
  const bind = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  const branches = listBranches(filter, allStates, bind);
  const conditions = listConditions(filter, bind);
  const text = `
SELECT w.id, r.id IS NOT NULL AS "isMatch"
FROM (${buildWalk(filter, branches)}) w
LEFT JOIN LATERAL (
  SELECT q.id FROM request q WHERE q.id = w.id AND ${conditions.join(' AND ')} LIMIT 1
) r ON true`;
  return { text, values };
}

/** Removes repeated ids: a request may have several messages. A filter by request id gives at most one. */
function buildWalk(filter: LogFilter, branches: string[]): string {
  if (filter.requestId) return branches.join('');
  return `SELECT DISTINCT b.id FROM (${branches.map((branch) => `(${branch})`).join(' UNION ALL ')}) b
  ORDER BY b.id DESC LIMIT ${requestsWalked(filter)}`;
}

export type Bind = (value: unknown, type: string) => string;

function listBranches(filter: LogFilter, allStates: readonly string[], bind: Bind): string[] {
  const { requestId, idempotencyKey, recipient, eventIds } = filter;
  if (requestId) return [branch('request', 'id', [`id = ${bind(requestId, 'uuid')}`])];
  const app = `app_id = ${bind(filter.appId, 'uuid')}`;
  const range = (column: string) => buildRange(filter, column, bind);
  if (idempotencyKey !== undefined) {
    return listStoredKeys(idempotencyKey).map((key) =>
      branch('request', 'id', [app, `idempotency_key = ${bind(key, 'text')}`, ...range('id')]),
    );
  }
  if (recipient !== undefined) return recipientBranches(recipient, app, { range, bind });
  const byMessage = messageBranches(filter, allStates, { app, range, bind });
  if (byMessage) return byMessage;
  if (!eventIds) return [branch('request', 'id', [app, ...range('id')])];
  return eventIds.map((id) =>
    branch('request', 'id', [app, `event_id = ${bind(id, 'uuid')}`, ...range('id')]),
  );
}

function branch(table: string, column: string, conditions: string[]): string {
  return `SELECT ${column} AS id FROM ${table} WHERE ${conditions.join(' AND ')} ORDER BY ${column} DESC`;
}

type BranchContext = { range: (column: string) => string[]; bind: Bind };

/** Matches the address of a message, and the user id that the request named. */
function recipientBranches(
  recipient: string,
  app: string,
  { range, bind }: BranchContext,
): string[] {
  const value = bind(recipient, 'text');
  return [
    branch('message', 'request_id', [app, wentTo('message', value), ...range('request_id')]),
    branch('request_item', 'request_id', [
      // The index matches only this exact condition.
      `recipient LIKE '%"user_id"%'`,
      `recipient::jsonb ->> 'user_id' = ${value}`,
      ...range('request_id'),
    ]),
  ];
}

/** One branch for each channel and state: within these the index is ordered by request. */
function messageBranches(
  filter: LogFilter,
  allStates: readonly string[],
  { app, range, bind }: BranchContext & { app: string },
): string[] | undefined {
  const { channels, states, providerChannels } = filter;
  if (states?.includes('skipped')) return undefined;
  if (!channels && !states && !providerChannels) return undefined;
  const both = channels ?? providerChannels ?? [];
  const stateConditions = listStateConditions(states ?? allStates, bind);
  return both.flatMap((channel) =>
    stateConditions.map((stateCondition) =>
      branch('message', 'request_id', [
        app,
        `channel = ${bind(channel, 'text')}`,
        stateCondition,
        ...range('request_id'),
      ]),
    ),
  );
}

/**
 * One condition for each branch, to match the indexes. The index by state combines queued and sending. If only sending is
 * wanted, it uses the index of messages with a job, whose number is bounded.
 */
function listStateConditions(states: readonly string[], bind: Bind): string[] {
  const settled = states.filter((state) => !openStates.includes(state));
  const open = openStates.filter((state) => states.includes(state));
  return [
    ...settled.map((state) => `log_state = ${bind(state, 'text')}`),
    ...(open.length === 2 ? ["log_state = 'open'"] : open.map(openCondition)),
  ];
}

const openStates = ['queued', 'sending'];

/** The value of `message.log_state`. */
export function toLogState(state: string): string {
  return openStates.includes(state) ? 'open' : state;
}

function openCondition(state: string): string {
  return state === 'sending'
    ? "has_job AND state = 'sending'"
    : "log_state = 'open' AND state = 'queued'";
}

export function buildRange({ before, from }: LogFilter, column: string, bind: Bind): string[] {
  return [
    ...(before ? [`${column} < ${bind(before, 'uuid')}`] : []),
    ...(from ? [`${column} >= ${bind(from, 'uuid')}`] : []),
  ];
}

function listConditions(filter: LogFilter, bind: Bind): string[] {
  return [...listRequestConditions(filter, bind), ...messageCondition(filter, bind)];
}

/** Conditions on the request `q`. */
export function listRequestConditions(filter: LogFilter, bind: Bind): string[] {
  const { eventIds, idempotencyKey } = filter;
  return [
    `q.app_id = ${bind(filter.appId, 'uuid')}`,
    ...buildRange(filter, 'q.id', bind),
    ...(eventIds ? [`q.event_id = ANY (${bind(eventIds, 'uuid[]')})`] : []),
    ...(idempotencyKey !== undefined
      ? [`q.idempotency_key = ANY (${bind(listStoredKeys(idempotencyKey), 'text[]')})`]
      : []),
  ];
}

function messageCondition(filter: LogFilter, bind: Bind): string[] {
  const { channels, states, reason, provider } = filter;
  if (!hasMessageFilter(filter)) return [];
  const channelList = channels && bind(channels, 'text[]');
  const message = `EXISTS (SELECT 1 FROM message m WHERE ${[
    'm.request_id = q.id',
    ...(channelList ? [`m.channel = ANY (${channelList})`] : []),
    ...(states ? [`m.state = ANY (${bind(states, 'text[]')})`] : []),
    ...listDeliveryConditions(filter, bind),
  ].join(' AND ')})`;
  const mayBeSkip = provider === undefined && (!states || states.includes('skipped'));
  if (!mayBeSkip) return [message];
  const skip = skipCondition(channelList, reason === undefined ? undefined : bind(reason, 'text'));
  return [`(${message} OR ${skip})`];
}

/** Conditions on the delivery of the message `m`. */
export function listDeliveryConditions(
  { reason, provider, waits }: LogFilter,
  bind: Bind,
): string[] {
  return [
    ...(reason === undefined ? [] : [`m.reason = ${bind(reason, 'text')}`]),
    ...(provider === undefined
      ? []
      : [
          `EXISTS (SELECT 1 FROM attempt a WHERE a.message_id = m.id AND a.provider = ${bind(provider, 'text')})`,
        ]),
    ...(waits === undefined ? [] : [`${waitReason('m')} = ${bind(waits, 'text')}`]),
  ];
}

/** An item of the request `q` with a skip on one of the channels, for the reason. */
function skipCondition(channelList: string | undefined, reason: string | undefined): string {
  const onChannel = channelList ? `i.skips ?| ${channelList}` : 'i.skips IS NOT NULL';
  const forReason = `EXISTS (SELECT 1 FROM jsonb_each(i.skips) s (channel, skip) WHERE s.skip ->> 'reason' = ${reason}${
    channelList ? ` AND s.channel = ANY (${channelList})` : ''
  })`;
  const conditions = ['i.request_id = q.id', onChannel, ...(reason ? [forReason] : [])];
  return `EXISTS (SELECT 1 FROM request_item i WHERE ${conditions.join(' AND ')})`;
}
