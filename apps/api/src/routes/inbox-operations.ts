import {
  fetchInboxBody,
  inboxAnswer,
  inboxItemAnswer,
  readInboxBody,
  unreadCountAnswer,
  updateInboxBody,
} from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import { bodyTooLarge } from '../middleware/before-body';
import type { Operation } from '../operation';
import { maxInboxBodyBytes } from './inbox';

export const inboxPath = '/v1/apps/{app_id}/in_app_notifications';
const messageId = '0199b1f4-9a10-7d21-8f60-2b7c1d5e8a03';
export const userId = 'customer-1';

export const inboxItemExample = {
  message_id: messageId,
  message_body: {
    title: 'Your order is on its way',
    body: 'It arrives on Friday.',
    click_action: 'https://shop.example.com/orders/A-1001',
    data: { order: 'A-1001' },
  },
  timestamp: 1767225600000,
  status: 'UNREAD',
  seen_at: null,
  read_at: null,
  archived_at: null,
};

export const missingSignature = {
  text: 'the header X-Raven-User-Signature is missing, and Authorization is not "Bearer <token>"',
};

export const byQuery = {
  query: {
    user_id: {
      description: 'Owner of the inbox. Only with a signature; a token names its user.',
      example: userId,
      schema: Type.String(),
    },
  },
  errors: {
    unauthenticated: missingSignature,
    validation_failed: { text: 'user_id must not be blank' },
  },
} satisfies Partial<Operation>;

export const byBody = {
  access: 'reader',
  errors: {
    unauthenticated: missingSignature,
    validation_failed: { text: 'user_id must not be blank' },
    message_not_found: {},
    body_too_large: { text: bodyTooLarge(maxInboxBodyBytes).message },
  },
} satisfies Partial<Operation>;

const successAnswer = {
  answer: Type.Object({ success: Type.Boolean() }),
  answerExample: { success: true },
} satisfies Partial<Operation>;

/** The documentation of the routes in `inbox.ts`. */
export const inboxOperations = {
  setup: {
    ...byQuery,
    ...successAnswer,
    method: 'post',
    path: `${inboxPath}/setup`,
    id: 'setUpInbox',
    summary: 'Create the user of a front end',
    description: 'Changes nothing if the user already exists.',
    access: 'reader',
    errors: { ...byQuery.errors, storage_limit: {} },
  },
  fetch: {
    ...byBody,
    method: 'post',
    path: `${inboxPath}/fetch`,
    id: 'fetchInbox',
    summary: 'Read a page of an inbox',
    description:
      'Newest first, 20 items. A shorter page is the last one. Archived items are omitted.',
    body: fetchInboxBody,
    bodyExamples: {
      newest: { summary: 'First page', value: { user_id: userId } },
      older: {
        summary: 'Next page',
        value: { user_id: userId, last_message_id: messageId },
      },
    },
    answer: inboxAnswer,
    answerExample: { notifications: [inboxItemExample] },
  },
  unreadCount: {
    ...byQuery,
    method: 'get',
    path: `${inboxPath}/unread_count`,
    id: 'countUnreadItems',
    summary: 'Count unread items',
    description:
      'Counts items that arrived after the inbox was last opened, up to 1,000. Needs no signature if the app allows unsigned counters.',
    access: 'reader_or_open',
    answer: unreadCountAnswer,
    answerExample: { unread_count: 1 },
  },
  update: {
    ...byBody,
    ...successAnswer,
    method: 'put',
    path: `${inboxPath}/update`,
    id: 'updateInboxItem',
    summary: 'Read or archive an item',
    description:
      'ARCHIVE hides the item permanently. When an item is read, its message becomes `read` and stays so.',
    body: updateInboxBody,
    bodyExamples: {
      read: {
        summary: 'Mark as read',
        value: { user_id: userId, message_id: messageId, status: 'READ' },
      },
    },
  },
  readAll: {
    ...byBody,
    ...successAnswer,
    method: 'put',
    path: `${inboxPath}/read_all`,
    id: 'readAllInboxItems',
    summary: 'Read all items',
    description: 'Marks every unread item up to the given one as read.',
    body: readInboxBody,
    bodyExamples: {
      seen: { summary: 'Up to an item', value: { user_id: userId, message_id: messageId } },
    },
  },
  lastOpen: {
    ...byQuery,
    ...successAnswer,
    method: 'put',
    path: `${inboxPath}/last_open`,
    id: 'openInbox',
    summary: 'Record that the inbox was opened',
    description: 'Resets the unread count. Needs no signature if the app allows unsigned counters.',
    access: 'reader_or_open',
  },
  list: {
    method: 'get',
    path: '/v1/apps/{app_id}/users/{user_id}/inbox',
    id: 'listInbox',
    summary: 'Read the inbox of a user',
    description:
      'Newest first, including archived items. A user who is not stored has an inbox if a message was sent to the `user_id`.',
    query: {
      limit: {
        description: 'Items per page. Default: 20.',
        schema: Type.Integer({ minimum: 1, maximum: 100 }),
      },
      last_message_id: { description: '`next` of the previous page.', schema: Type.String() },
    },
    answer: Type.Object({
      notifications: Type.Array(inboxItemAnswer, { description: 'Newest first.' }),
      next: Type.Optional(
        Type.String({ description: 'The `last_message_id` for the next page, if there is one.' }),
      ),
    }),
    answerExample: { notifications: [inboxItemExample] },
    errors: {
      user_not_found: {},
      message_not_found: {},
      validation_failed: { text: 'limit must be a whole number from 1 to 100' },
    },
  },
} satisfies Record<string, Operation>;
