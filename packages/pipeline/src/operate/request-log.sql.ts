import { listStoredKeys, metadataTerm, wentTo } from '@belfry/database';
import {
  type Bind,
  buildRange,
  canBeSkip,
  hasMessageFilter,
  type LogFilter,
  listConditions,
  namesUser,
  skipCondition,
} from './log-conditions.sql';

export type LogStatement = { text: string; values: unknown[] };

const walkedPlain = 51;
const walkedWithMessages = 20;
/** A few messages may wait for one reason or integration among a long queue that waits for another. */
const walkedWaiting = 1_000;

/**
 * Requests that the first statement of a page scans; with their conditions it reads fewer than 500 buffers, or 11 for each
 * that waits. One recipient has no long queue.
 */
export function requestsWalked(filter: LogFilter): number {
  if (isOfQueue(filter) && filter.recipient === undefined) return walkedWaiting;
  return hasMessageFilter(filter) ? walkedWithMessages : walkedPlain;
}

function isOfQueue({ waits, integrationIds, states }: LogFilter): boolean {
  const isOpen = states?.every((state) => openStates.includes(state)) ?? false;
  return waits !== undefined || (integrationIds !== undefined && isOpen);
}

/**
 * Scans the newest requests that may match, in index order, and checks each. Every branch returns request ids in descending
 * order, so PostgreSQL merges them without a sort, however many requests there are.
 */
export function logStatement(
  filter: LogFilter,
  allStates: readonly string[],
  requests = requestsWalked(filter),
): LogStatement {
  const values: unknown[] = [];
  const bind = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  const branches = listBranches(filter, allStates, bind);
  const conditions = listConditions(filter, bind);
  const text = `
SELECT w.id, r.id IS NOT NULL AS "isMatch"
FROM (${buildWalk(filter, branches, requests)}) w
LEFT JOIN LATERAL (
  SELECT q.id FROM request q WHERE q.id = w.id AND ${conditions.join(' AND ')} LIMIT 1
) r ON true`;
  return { text, values };
}

/** Removes repeated ids: a request may have several messages. A filter by request id gives at most one. */
function buildWalk(filter: LogFilter, branches: string[], requests: number): string {
  if (filter.requestId) return branches.join('');
  return `SELECT DISTINCT b.id FROM (${branches.map((branch) => `(${branch})`).join(' UNION ALL ')}) b
  ORDER BY b.id DESC LIMIT ${requests}`;
}

function listBranches(filter: LogFilter, allStates: readonly string[], bind: Bind): string[] {
  const { requestId, idempotencyKey, metadata, eventIds } = filter;
  if (requestId) return [branch('request', 'id', [`id = ${bind(requestId, 'uuid')}`])];
  const app = `app_id = ${bind(filter.appId, 'uuid')}`;
  const range = (column: string) => buildRange(filter, column, bind);
  if (idempotencyKey !== undefined) {
    return listStoredKeys(idempotencyKey).map((key) =>
      branch('request', 'id', [app, `idempotency_key = ${bind(key, 'text')}`, ...range('id')]),
    );
  }
  if (metadata !== undefined) {
    const term = `term = ${metadataTerm(bind(metadata, 'text'))}`;
    return [branch('request_term', 'request_id', [app, term, ...range('request_id')])];
  }
  if (filter.recipient !== undefined) return recipientBranches(filter, app, { range, bind });
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

/** Matches the address of a message, and the user id that the request named. One branch per user keeps the order. */
function recipientBranches(
  filter: LogFilter,
  app: string,
  { range, bind }: BranchContext,
): string[] {
  const { recipient = '', recipientUserIds = [] } = filter;
  const value = bind(recipient, 'text');
  const others = canBeSkip(filter) ? recipientUserIds : [];
  return [
    branch('message', 'request_id', [app, wentTo('message', value), ...range('request_id')]),
    ...[value, ...others.map((userId) => bind(userId, 'text'))].map((userId) =>
      branch('request_item', 'request_id', [
        namesUser('request_item', userId),
        ...range('request_id'),
      ]),
    ),
  ];
}

/** Requests that the first statement of a search for skipped channels scans. */
export const skipsWalked = 100;

/**
 * Checks the newest requests of the app and event, in index order, for a skipped channel of the recipient. Addresses in
 * calls have no index, because only skipped channels need it. request_item_skipped_idx leads past requests without one.
 */
export function skipStatement(filter: LogFilter, requests = skipsWalked): LogStatement {
  const values: unknown[] = [];
  const bind: Bind = (value, type) => `$${values.push(value)}::${type}`;
  const { appId, eventIds, before, from } = filter;
  const walked: LogFilter = {
    appId,
    ...(eventIds && { eventIds }),
    ...(before && { before }),
    ...(from && { from }),
  };
  const walk = buildWalk(walked, listBranches(walked, [], bind), requests);
  const text = `
SELECT w.id, r.found IS NOT NULL AS "isMatch" FROM (${walk}) w
LEFT JOIN LATERAL (SELECT true AS found WHERE ${skipCondition('w.id', filter, bind)} LIMIT 1) r ON true
ORDER BY w.id DESC`;
  return { text, values };
}

/** Whether `skipStatement` can find more: other filters already lead to few requests. */
export function needsSkipSearch(filter: LogFilter): boolean {
  const { recipient, requestId, idempotencyKey, metadata } = filter;
  const leadsToFew = requestId || idempotencyKey !== undefined || metadata !== undefined;
  return recipient !== undefined && !leadsToFew && canBeSkip(filter);
}

/** Which of these requests match. */
export function matchStatement(filter: LogFilter, ids: readonly string[]): LogStatement {
  const values: unknown[] = [];
  const bind: Bind = (value, type) => `$${values.push(value)}::${type}`;
  const conditions = listConditions(filter, bind);
  const text = `SELECT q.id FROM unnest(${bind(ids, 'uuid[]')}) w (id) JOIN request q ON q.id = w.id AND ${conditions.join(' AND ')}`;
  return { text, values };
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
