import {
  fetchInboxBody,
  inboxAnswer,
  inboxItemAnswer,
  readInboxBody,
  unreadCountAnswer,
  updateInboxBody,
} from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import { bodyTooLarge } from '../middleware/declared-body';
import type { Operation } from '../operation';
import { maxInboxBodyBytes } from './inbox';

const below = '/v1/apps/{app_id}/in_app_notifications';
const messageId = '0199b1f4-9a10-7d21-8f60-2b7c1d5e8a03';
const userId = 'customer-1';

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
};

const wrongSignature = { text: 'the header X-Raven-User-Signature is missing' };

const byQuery = {
  query: {
    user_id: {
      description: 'Whose inbox.',
      isRequired: true,
      example: userId,
      schema: Type.String(),
    },
  },
  errors: {
    unauthenticated: wrongSignature,
    validation_failed: { text: 'user_id must not be blank' },
  },
} satisfies Partial<Operation>;

const byBody = {
  access: 'signature',
  errors: {
    unauthenticated: wrongSignature,
    validation_failed: { text: 'user_id must not be blank' },
    message_not_found: {},
    body_too_large: { text: bodyTooLarge(maxInboxBodyBytes).message },
  },
} satisfies Partial<Operation>;

const successAnswer = {
  answer: Type.Object({ success: Type.Boolean() }),
  answerExample: { success: true },
} satisfies Partial<Operation>;

/** What the interface says of the routes in `inbox.ts`. */
export const inboxOperations = {
  setup: {
    ...byQuery,
    ...successAnswer,
    method: 'post',
    path: `${below}/setup`,
    id: 'setUpInbox',
    summary: 'Create the user of a front end',
    description: 'Where the user is stored already, nothing is changed.',
    access: 'signature',
    errors: { ...byQuery.errors, storage_limit: {} },
  },
  fetch: {
    ...byBody,
    method: 'post',
    path: `${below}/fetch`,
    id: 'fetchInbox',
    summary: 'Read a page of an inbox',
    description:
      'Newest first, 20 items; a shorter page is the last one. Archived items are not shown.',
    body: fetchInboxBody,
    bodyExamples: {
      newest: { summary: 'The newest', value: { user_id: userId } },
      older: {
        summary: 'Those before one',
        value: { user_id: userId, last_message_id: messageId },
      },
    },
    answer: inboxAnswer,
    answerExample: { notifications: [inboxItemExample] },
  },
  unreadCount: {
    ...byQuery,
    method: 'get',
    path: `${below}/unread_count`,
    id: 'countUnreadItems',
    summary: 'Count unread items',
    description:
      'Those that came after the inbox was last opened, up to 1,000. Without a signature where the app leaves its counters open.',
    access: 'signature_or_open',
    answer: unreadCountAnswer,
    answerExample: { unread_count: 1 },
  },
  update: {
    ...byBody,
    ...successAnswer,
    method: 'put',
    path: `${below}/update`,
    id: 'updateInboxItem',
    summary: 'Read or archive an item',
    description:
      'ARCHIVE hides the item for good. Its message becomes `read` when the item does, and stays so.',
    body: updateInboxBody,
    bodyExamples: {
      read: {
        summary: 'It was read',
        value: { user_id: userId, message_id: messageId, status: 'READ' },
      },
    },
  },
  readAll: {
    ...byBody,
    ...successAnswer,
    method: 'put',
    path: `${below}/read_all`,
    id: 'readAllInboxItems',
    summary: 'Read all items',
    description: 'Every unread item up to the newest that was seen.',
    body: readInboxBody,
    bodyExamples: {
      seen: { summary: 'Up to one', value: { user_id: userId, message_id: messageId } },
    },
  },
  lastOpen: {
    ...byQuery,
    ...successAnswer,
    method: 'put',
    path: `${below}/last_open`,
    id: 'openInbox',
    summary: 'Tell that the inbox was opened',
    description:
      'The count of unread items begins anew. Without a signature where the app leaves its counters open.',
    access: 'signature_or_open',
  },
  list: {
    method: 'get',
    path: '/v1/apps/{app_id}/users/{user_id}/inbox',
    id: 'listInbox',
    summary: 'Read the inbox of a user',
    description:
      'Newest first, archived items too. A user who is not stored has an inbox where a message was sent to the `user_id`.',
    query: {
      limit: {
        description: 'Items of a page; 20 unless told otherwise.',
        schema: Type.Integer({ minimum: 1, maximum: 100 }),
      },
      last_message_id: { description: '`next` of the page before.', schema: Type.String() },
    },
    answer: Type.Object({
      notifications: Type.Array(inboxItemAnswer, { description: 'Newest first.' }),
      next: Type.Optional(
        Type.String({ description: 'The `last_message_id` of the next page, where there is one.' }),
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
