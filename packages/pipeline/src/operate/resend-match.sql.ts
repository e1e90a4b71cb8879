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
 * SQL of `matched`, the newest messages that the log's filter is about, and of `fit`, those of them that may be sent
 * again. Beyond one more than the maximum it looks no further.
 */
export function resendMatch(filter: LogFilter, bind: Bind): string {
  const { requestId, states, provider, recipient } = filter;
  // The index of messages begins with the channel: as many look-ups as there are channels, where none is named.
  const channels = filter.channels ?? filter.providerChannels;
  const conditions = [
    ...listRequestConditions(filter, bind),
    ...(requestId === undefined ? [] : [`q.id = ${bind(requestId, 'uuid')}`]),
    `m.app_id = ${bind(filter.appId, 'uuid')}`,
    // The same bounds again: they lead the index of messages.
    ...buildRange(filter, 'm.request_id', bind),
    ...(channels ? [`m.channel = ANY (${bind(channels, 'text[]')})`] : []),
    ...(states
      ? [
          `m.state = ANY (${bind(states, 'text[]')})`,
          // Said in the words of the index, too.
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
  -- Once a version, as definitions are large.
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

/** Of a bulk, only the messages of that person. */
function recipientCondition(recipient: string): string {
  return `(${wentTo('m', recipient)} OR EXISTS (SELECT 1 FROM request_item i
      WHERE i.request_id = m.request_id AND i.item = m.item AND i.recipient::jsonb ->> 'user_id' = ${recipient}))`;
}
