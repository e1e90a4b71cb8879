import { Type } from '@sinclair/typebox';
import type { Json } from '../data';
import { limits } from './limits';
import { userIdRule } from './recipient';

/** The names that front ends use. ARCHIVE hides an item permanently. */
export const inboxStatuses = ['UNREAD', 'READ', 'ARCHIVE'] as const;

export type InboxStatus = (typeof inboxStatuses)[number];

/** An inbox item, independent of the route that returns it. */
export type InboxItem = {
  messageId: string;
  /** As the in-app channel composed it. */
  content: { [field: string]: Json };
  status: InboxStatus;
  createdAtMs: number;
};

const userId = Type.String({
  minLength: 1,
  maxLength: limits.userIdCharacters,
  'x-problem': 'must not be blank',
  allOf: [userIdRule],
});

/** No UUID format: an id of any other shape means a message that does not exist. */
function createMessageIdSchema(description: string) {
  return Type.String({ maxLength: limits.identifierCharacters, description });
}

const status = Type.Unsafe<InboxStatus>({ type: 'string', enum: [...inboxStatuses] });

export const fetchInboxBody = Type.Object({
  user_id: userId,
  last_message_id: Type.Optional(
    createMessageIdSchema('The last message of the previous page. Default: the newest 20.'),
  ),
});

export const updateInboxBody = Type.Object({
  user_id: userId,
  message_id: createMessageIdSchema('The message to update.'),
  status,
});

export const readInboxBody = Type.Object({
  user_id: userId,
  message_id: Type.Optional(
    createMessageIdSchema('The newest message that was seen. Default: all messages.'),
  ),
});

export const inboxItemAnswer = Type.Object({
  message_id: Type.String({ format: 'uuid' }),
  message_body: Type.Object(
    {
      title: Type.String(),
      body: Type.String(),
      click_action: Type.Optional(Type.String()),
      image: Type.Optional(Type.String()),
      data: Type.Object({}, { additionalProperties: true }),
    },
    { description: 'Plain text: escape it before showing it.' },
  ),
  timestamp: Type.Integer({ description: 'When it was delivered, in Unix milliseconds.' }),
  status,
});

export const inboxAnswer = Type.Object({
  notifications: Type.Array(inboxItemAnswer, { description: 'Newest first.' }),
});

export const unreadCountAnswer = Type.Object({ unread_count: Type.Integer({ minimum: 0 }) });

export function inboxItemToWire(item: InboxItem): object {
  return {
    message_id: item.messageId,
    message_body: item.content,
    timestamp: item.createdAtMs,
    status: item.status,
  };
}
