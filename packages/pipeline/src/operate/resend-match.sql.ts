import { listOfTexts, wentTo } from '@belfry/database';
import { formatErasedTarget, maxMessagesPerResend, resendableStates } from '@belfry/shared';
import { isResent } from './is-resent.sql';
import {
  attemptCondition,
  type Bind,
  buildRange,
  type LogFilter,
  listRequestConditions,
  toLogState,
} from './request-log.sql';

/**
 * SQL of `matched`, the newest messages that match the log's filter, and of `fit`, those that may be resent. Stops at one
 * more than the maximum.
 */
export function resendMatch(filter: LogFilter, bind: Bind): string {
  const { requestId, states, provider, recipient } = filter;
  // The index of messages starts with the channel. If the filter names no channel, there is one lookup per channel.
  const channels = filter.channels ?? filter.providerChannels;
  const conditions = [
    ...listRequestConditions(filter, bind),
    ...(requestId === undefined ? [] : [`q.id = ${bind(requestId, 'uuid')}`]),
    `m.app_id = ${bind(filter.appId, 'uuid')}`,
    // The same bounds again, because the index of messages needs them.
    ...buildRange(filter, 'm.request_id', bind),
    ...(channels ? [`m.channel = ANY (${bind(channels, 'text[]')})`] : []),
    ...(states
      ? [
          `m.state = ANY (${bind(states, 'text[]')})`,
          // The same condition in the form of the index.
          `m.log_state = ANY (${bind(states.map(toLogState), 'text[]')})`,
        ]
      : []),
    ...(provider === undefined ? [] : [attemptCondition(bind(provider, 'text'))]),
    ...(recipient === undefined ? [] : [recipientCondition(bind(recipient, 'text'))]),
  ];
  return `
matched AS MATERIALIZED (
  SELECT m.id, m.request_id, m.channel, m.state, m.target = '${formatErasedTarget('')}' || m.id AS is_erased, q.version_id
  FROM message m JOIN request q ON q.id = m.request_id
  WHERE ${conditions.join('\n    AND ')}
    AND NOT ${isResent('m')}
  LIMIT ${maxMessagesPerResend + 1}
), sensitive AS MATERIALIZED (
  -- Once per version, because definitions are large.
  SELECT id FROM event_version
  WHERE id IN (SELECT version_id FROM matched) AND (definition ->> 'isSensitive')::bool
), judged AS MATERIALIZED (
  SELECT m.id, m.request_id, m.channel, m.state, CASE
    WHEN m.state NOT IN (${listOfTexts(resendableStates)}) THEN 'not_ended'
    WHEN m.is_erased THEN 'erased'
    WHEN m.version_id IN (SELECT id FROM sensitive) THEN 'sensitive' END AS obstacle
  FROM matched m
), fit AS MATERIALIZED (
  SELECT id, request_id, channel, state FROM judged WHERE obstacle IS NULL
)`;
}

/** In a bulk, matches only messages to this recipient. */
function recipientCondition(recipient: string): string {
  return `(${wentTo('m', recipient)} OR EXISTS (SELECT 1 FROM request_item i
      WHERE i.request_id = m.request_id AND i.item = m.item AND i.recipient::jsonb ->> 'user_id' = ${recipient}))`;
}
