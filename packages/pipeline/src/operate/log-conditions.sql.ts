import { hasMetadata, listStoredKeys, metadataTerm, wentTo } from '@belfry/database';
import { noReason } from '@belfry/shared';
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
  /** `key:value` of an item. */
  metadata?: string;
  eventIds?: string[];
  channels?: string[];
  states?: string[];
  /** Why a message failed or was skipped; `no_reason` if it has none. */
  reason?: string;
  provider?: string;
  /** The integrations that a message has now. */
  integrationIds?: string[];
  /**
   * Channels of the integrations, or those that the provider supports; for a state all, because the index of messages starts
   * with the channel.
   */
  providerChannels?: string[];
  /** An address or a user ID. */
  recipient?: string;
  /** Users who have the address `recipient` now. They match only where a channel was skipped. */
  recipientUserIds?: string[];
  /** A key of `queueReasons`; then `states` is `queued`. */
  waits?: string;
};

/** Adds a value to the statement and returns its parameter. */
export type Bind = (value: unknown, type: string) => string;

export function buildRange({ before, from }: LogFilter, column: string, bind: Bind): string[] {
  return [
    ...(before ? [`${column} < ${bind(before, 'uuid')}`] : []),
    ...(from ? [`${column} >= ${bind(from, 'uuid')}`] : []),
  ];
}

/** All conditions of the filter on the request `q`. Each subquery follows an index that has the request's ID. */
export function listConditions(filter: LogFilter, bind: Bind): string[] {
  return [...listRequestConditions(filter, bind), ...messageCondition(filter, bind)];
}

/** Conditions on the request itself. */
export function listRequestConditions(filter: LogFilter, bind: Bind): string[] {
  const { eventIds, idempotencyKey, metadata, requestId } = filter;
  return [
    `q.app_id = ${bind(filter.appId, 'uuid')}`,
    ...(requestId === undefined ? [] : [`q.id = ${bind(requestId, 'uuid')}`]),
    ...buildRange(filter, 'q.id', bind),
    ...(eventIds ? [`q.event_id = ANY (${bind(eventIds, 'uuid[]')})`] : []),
    ...(idempotencyKey !== undefined
      ? [`q.idempotency_key = ANY (${bind(listStoredKeys(idempotencyKey), 'text[]')})`]
      : []),
    ...(metadata === undefined ? [] : [requestHasTerm(metadataTerm(bind(metadata, 'text')))]),
  ];
}

function requestHasTerm(term: string): string {
  return `EXISTS (SELECT 1 FROM request_term t WHERE t.app_id = q.app_id AND t.term = ${term} AND t.request_id = q.id)`;
}

/** Whether the filter reads more than the request itself. */
export function hasMessageFilter(filter: LogFilter): boolean {
  const { channels, states, reason, provider, integrationIds, recipient, waits } = filter;
  return [channels, states, reason, provider, integrationIds, recipient, waits].some(
    (one) => one !== undefined,
  );
}

/** One message, or one channel skipped at planning, must meet all filters of messages, also in a bulk. */
function messageCondition(filter: LogFilter, bind: Bind): string[] {
  if (!hasMessageFilter(filter)) return [];
  const { recipient } = filter;
  const conditions = listMessageConditions(filter, bind);
  const skip = canBeSkip(filter) ? [skipCondition('q.id', filter, bind)] : [];
  // OFFSET 0 forces a lookup by request. Large bulks make PostgreSQL overestimate the messages of a request; it would go
  // through all apps and states of the index by channel instead.
  const hasMessage = (place = '') =>
    `EXISTS (SELECT 1 FROM (SELECT * FROM message WHERE request_id = q.id${place} OFFSET 0) m WHERE ${['true', ...conditions].join(' AND ')})`;
  if (recipient === undefined) return [`(${[hasMessage(), ...skip].join(' OR ')})`];
  const value = bind(recipient, 'text');
  const wasSentTo = `EXISTS (SELECT 1 FROM message m WHERE ${[
    'm.request_id = q.id AND m.app_id = q.app_id',
    wentTo('m', value),
    ...conditions,
  ].join(' AND ')})`;
  const isNamed = `EXISTS (SELECT 1 FROM request_item i WHERE ${[
    'i.request_id = q.id',
    namesUser('i', value),
    ...(conditions.length > 0 ? [hasMessage(' AND item = i.item')] : []),
  ].join(' AND ')})`;
  return [`(${[wasSentTo, isNamed, ...skip].join(' OR ')})`];
}

/** Conditions on the message `m`, without those on its recipient. */
export function listMessageConditions(filter: LogFilter, bind: Bind): string[] {
  const { states, reason, provider, integrationIds, waits, metadata } = filter;
  const channels = filter.channels ?? filter.providerChannels;
  return [
    ...(channels ? [`m.channel = ANY (${bind(channels, 'text[]')})`] : []),
    ...(states ? [`m.state = ANY (${bind(states, 'text[]')})`] : []),
    ...(reason === undefined ? [] : [hasReason('m.reason', reason, bind)]),
    ...(provider === undefined ? [] : [attemptCondition(bind(provider, 'text'))]),
    ...(integrationIds ? [`m.integration_id = ANY (${bind(integrationIds, 'uuid[]')})`] : []),
    ...(waits === undefined ? [] : [`${waitReason('m')} = ${bind(waits, 'text')}`]),
    ...(metadata === undefined ? [] : [itemHasMetadata(bind(metadata, 'text'))]),
  ];
}

/** In a bulk, only messages of the items with the metadata match. */
function itemHasMetadata(text: string): string {
  return `EXISTS (SELECT 1 FROM request_item d WHERE d.request_id = m.request_id AND d.item = m.item AND ${hasMetadata('d', text)})`;
}

/** Whether a channel skipped at planning can match. It has no message, so no attempt, integration, wait or other state. */
export function canBeSkip({ provider, integrationIds, states, waits }: LogFilter): boolean {
  const isSkippedState = !states || states.includes('skipped');
  return isSkippedState && [provider, integrationIds, waits].every((one) => one === undefined);
}

/** Whether an item of the request has a skipped channel that matches. */
export function skipCondition(requestId: string, filter: LogFilter, bind: Bind): string {
  const { channels, reason, recipient, metadata } = filter;
  const channelList = channels && bind(channels, 'text[]');
  return `EXISTS (SELECT 1 FROM request_item i WHERE ${[
    `i.request_id = ${requestId}`,
    channelList ? `i.skips ?| ${channelList}` : 'i.skips IS NOT NULL',
    ...(reason === undefined
      ? []
      : [hasSkip(hasReason("s.skip ->> 'reason'", reason, bind), channelList)]),
    ...(recipient === undefined ? [] : [namesAddress(filter, bind)]),
    ...(metadata === undefined ? [] : [hasMetadata('i', bind(metadata, 'text'))]),
  ].join(' AND ')})`;
}

/** Whether the item `i` has a skip that meets the condition on one of the channels. */
function hasSkip(condition: string, channelList: string | undefined): string {
  const onChannel = channelList ? ` AND s.channel = ANY (${channelList})` : '';
  return `EXISTS (SELECT 1 FROM jsonb_each(i.skips) s (channel, skip) WHERE ${condition}${onChannel})`;
}

function hasReason(column: string, reason: string, bind: Bind): string {
  return reason === noReason ? `${column} IS NULL` : `${column} = ${bind(reason, 'text')}`;
}

/** Whether the item names a user: the condition and the expression of the index request_item_named_user_idx. */
export function namesUser(alias: string, userId: string): string {
  return `${alias}.recipient LIKE '%"user_id"%' AND ${alias}.recipient::jsonb ->> 'user_id' = ${userId}`;
}

/**
 * Whether the item `i` names the user, a stored user with the address, or the address itself in any field. A phone number
 * may have been written with separators and without the plus, and a Telegram chat as a number.
 */
function namesAddress({ recipient = '', recipientUserIds = [] }: LogFilter, bind: Bind): string {
  const value = bind(recipient, 'text');
  const digits = /^\+\d+$/.test(recipient) ? [recipient, recipient.slice(1)] : [];
  const userIds = bind([recipient, ...recipientUserIds], 'text[]');
  return `(i.recipient::jsonb ->> 'user_id' = ANY (${userIds}) OR EXISTS (
      SELECT 1 FROM jsonb_path_query(i.recipient::jsonb, '$.keyvalue() ? (@.key != "preferences").value.** ? (@.type() == "string" || @.type() == "number")') f (field)
      WHERE lower(f.field #>> '{}') = lower(${value})
        OR regexp_replace(f.field #>> '{}', '[^0-9+]', '', 'g') = ANY (${bind(digits, 'text[]')})))`;
}

/**
 * Whether the message `m` was attempted through the provider, or the sandbox stored what that provider would have got. A
 * union, because PostgreSQL may read all captures for an EXISTS within OR.
 */
function attemptCondition(provider: string): string {
  return `EXISTS (SELECT 1 FROM attempt a WHERE a.message_id = m.id AND a.provider = ${provider}
    UNION ALL SELECT 1 FROM capture c WHERE c.message_id = m.id AND c.provider = ${provider})`;
}
