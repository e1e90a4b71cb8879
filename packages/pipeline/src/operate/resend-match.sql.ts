import { type Queryable, wentTo } from '@belfry/database';
import { maxMessagesPerResend } from '@belfry/shared';
import { isResent } from './is-resent.sql';
import {
  type Bind,
  buildRange,
  type LogFilter,
  listMessageConditions,
  listRequestConditions,
  namesUser,
} from './log-conditions.sql';
import { toLogState } from './request-log.sql';

/** Finds the ids of the newest messages that match the log's filter, up to one more than a run may have. */
export async function listMatches(client: Queryable, filter: LogFilter): Promise<string[]> {
  const values: unknown[] = [];
  const bind: Bind = (value, type) => `$${values.push(value)}::${type}`;
  const { states, recipient } = filter;
  const conditions = [
    ...listRequestConditions(filter, bind),
    `m.app_id = ${bind(filter.appId, 'uuid')}`,
    // The same bounds again, because the index of messages needs them.
    ...buildRange(filter, 'm.request_id', bind),
    ...listMessageConditions(filter, bind),
    // The same condition in the form of the index.
    ...(states ? [`m.log_state = ANY (${bind(states.map(toLogState), 'text[]')})`] : []),
    ...(recipient === undefined ? [] : [recipientCondition(bind(recipient, 'text'))]),
  ];
  const { rows } = await client.query<{ id: string }>(
    `SELECT m.id FROM message m JOIN request q ON q.id = m.request_id
     WHERE ${conditions.join('\n    AND ')}
       AND NOT ${isResent('m')}
     LIMIT ${maxMessagesPerResend + 1}`,
    values,
  );
  return rows.map(({ id }) => id);
}

/** In a bulk, matches only messages to this recipient. */
function recipientCondition(recipient: string): string {
  return `(${wentTo('m', recipient)} OR EXISTS (SELECT 1 FROM request_item i
      WHERE i.request_id = m.request_id AND i.item = m.item AND ${namesUser('i', recipient)}))`;
}
