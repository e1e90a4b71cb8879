import { Type } from '@sinclair/typebox';
import type { Json } from '../data';
import { limits } from './limits';
import { userIdRule } from './recipient';

/** The names that the first front ends use. For them, ARCHIVE hides an item permanently. */
export const inboxStatuses = ['UNREAD', 'READ', 'ARCHIVE'] as const;

export type InboxStatus = (typeof inboxStatuses)[number];

/** An inbox item, independent of the route that returns it. */
export type InboxItem = {
  messageId: string;
  /** As the in-app channel composed it. */
  content: { [field: string]: Json };
  /** ARCHIVE if the item is archived, else READ if it was read. */
  status: InboxStatus;
  createdAtMs: number;
  /** When each state began; null while the item is not in it. */
  seenAtMs: number | null;
  readAtMs: number | null;
  archivedAtMs: number | null;
};

/** Items that are not archived, each count up to 1,000. */
export type InboxCounts = { unseen: number; unread: number };

/** The states to set (true) or to undo (false). */
export type InboxStates = { seen?: boolean; read?: boolean; archived?: boolean };

/** The user of a front end. */
export const userId = Type.String({
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

const optionalUserId = Type.Optional(
  Type.String({ ...userId, description: 'Only with a signature; a token names its user.' }),
);

const states = {
  seen: Type.Optional(Type.Boolean({ description: 'It was shown, such as in an opened list.' })),
  read: Type.Optional(Type.Boolean({ description: 'true also sets `seen`.' })),
  archived: Type.Optional(Type.Boolean()),
};

export const changeInboxItemBody = Type.Object({ user_id: optionalUserId, ...states });

export const changeInboxItemsBody = Type.Object({
  user_id: optionalUserId,
  up_to: Type.String({
    maxLength: limits.identifierCharacters,
    description: 'A cursor or a `message_id`: newer items stay unchanged.',
  }),
  ...states,
});

function createTimeSchema(description: string) {
  return Type.Union([Type.Integer(), Type.Null()], { description });
}

const itemStates = {
  status,
  seen_at: createTimeSchema('When it was seen, in Unix milliseconds; null if it is unseen.'),
  read_at: createTimeSchema('When it was read; null if it is unread.'),
  archived_at: createTimeSchema('When it was archived; null if it is not archived.'),
};

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
  ...itemStates,
});

export const inboxAnswer = Type.Object({
  notifications: Type.Array(inboxItemAnswer, { description: 'Newest first.' }),
});

export const unreadCountAnswer = Type.Object({ unread_count: Type.Integer({ minimum: 0 }) });

export const inboxCountsAnswer = Type.Object({
  unseen: Type.Integer({ description: 'Up to 1,000.', minimum: 0 }),
  unread: Type.Integer({ description: 'Up to 1,000.', minimum: 0 }),
});

export const inboxPageAnswer = Type.Object({
  items: Type.Array(inboxItemAnswer, { description: 'Newest first.' }),
  before: Type.Optional(
    Type.String({ description: 'The `before` of the next older page; absent on the last page.' }),
  ),
  after: Type.String({ description: 'The `after` of the next newer page.' }),
  counts: inboxCountsAnswer,
  stream: Type.String({
    description: 'The `last_event_id` with which a stream continues after this page.',
  }),
});

export const changedInboxItemsAnswer = Type.Object({
  changed: Type.Integer({ description: 'The number of items that were changed.', minimum: 0 }),
  counts: inboxCountsAnswer,
});

export const streamTicketAnswer = Type.Object({
  ticket: Type.String(),
  expires_in: Type.Integer({ description: 'Seconds.' }),
});

export function inboxItemToWire(item: InboxItem): object {
  return {
    message_id: item.messageId,
    message_body: item.content,
    timestamp: item.createdAtMs,
    ...statesToWire(item),
  };
}

/** The states of an item without its content. */
export function inboxStatesToWire(item: InboxItem): object {
  return { message_id: item.messageId, ...statesToWire(item) };
}

function statesToWire({ status: itemStatus, seenAtMs, readAtMs, archivedAtMs }: InboxItem) {
  return { status: itemStatus, seen_at: seenAtMs, read_at: readAtMs, archived_at: archivedAtMs };
}
