import type pg from 'pg';
import { type CurrentVerdict, readObstacles } from '../deliver/eligibility.sql';
import { readMessagesById, type TimelineMessage } from './read-messages';
import { listUserMessages, type UserMessageRow, type UserQuery } from './user-messages.sql';

export type UserMessage = UserMessageRow & {
  /** Undefined if the channel was skipped. */
  message: TimelineMessage | undefined;
  /** The verdict of a claim now. */
  verdict: CurrentVerdict | undefined;
};

/** The newest messages of a user on each channel, with all that their explanation reads. */
export async function readUserMessages(pool: pg.Pool, query: UserQuery): Promise<UserMessage[]> {
  const rows = await listUserMessages(pool, query);
  const ids = rows.flatMap(({ messageId }) => messageId ?? []);
  const [messages, verdicts] = await Promise.all([
    readMessagesById(pool, query.appId, ids),
    readObstacles(pool, query.appId, ids),
  ]);
  return rows.map((row) => ({
    ...row,
    message: messages.find(({ id }) => id === row.messageId),
    verdict: verdicts.get(row.messageId ?? ''),
  }));
}
