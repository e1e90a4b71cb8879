import { Type } from '@sinclair/typebox';
import type { Json } from '../data';
import { limits } from './limits';
import { userIdRule } from './recipient';

/** As front ends know them. ARCHIVE hides an item for good. */
export const inboxStatuses = ['UNREAD', 'READ', 'ARCHIVE'] as const;

export type InboxStatus = (typeof inboxStatuses)[number];

/** What a person finds in the inbox, whichever way it is read. */
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

/** A message's id is looked up as it came: what is no id is a message that does not exist. */
function createMessageIdSchema(description: string) {
  return Type.String({ maxLength: limits.identifierCharacters, description });
}

const status = Type.Unsafe<InboxStatus>({ type: 'string', enum: [...inboxStatuses] });

export const fetchInboxBody = Type.Object({
  user_id: userId,
  last_message_id: Type.Optional(
    createMessageIdSchema('The last message of the page before; the newest 20 without it.'),
  ),
});

export const updateInboxBody = Type.Object({
  user_id: userId,
  message_id: createMessageIdSchema('Of the item.'),
  status,
});

export const readInboxBody = Type.Object({
  user_id: userId,
  message_id: Type.Optional(
    createMessageIdSchema('The newest message that was seen; all of them without it.'),
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
    { description: 'Plain text: escape it where it is shown.' },
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
