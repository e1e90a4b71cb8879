import {
  changedInboxItemsAnswer,
  changeInboxItemBody,
  changeInboxItemsBody,
  inboxCountsAnswer,
  inboxItemAnswer,
  inboxPageAnswer,
  streamTicketAnswer,
} from '@belfry/shared';
import { Type } from '@sinclair/typebox';
import { ticketSeconds } from '../middleware/stream-ticket';
import type { Operation } from '../operation';
import { byBody, byQuery, inboxItemExample, inboxPath, userId } from './inbox-operations';

const readAtMs = 1767225660000;
const readItemExample = {
  ...inboxItemExample,
  status: 'READ',
  seen_at: readAtMs,
  read_at: readAtMs,
};
const cursorExample = 'mjukvuqk.0199b1f49a107d218f602b7c1d5e8a03.rN1c-Yq0aE';
const eventIdExample = 'mjukvuqk.mjukvuqk.t849s0.rN1c-Yq0aE';

const cursor = (description: string) => ({ description, schema: Type.String() });

/** The documentation of the routes in `inbox-items.ts` and `inbox-stream.ts`. */
export const inboxItemOperations = {
  listItems: {
    ...byQuery,
    method: 'get',
    path: `${inboxPath}/items`,
    id: 'listInboxItems',
    summary: 'Read a page of items',
    description:
      'Newest first, in the order of arrival: items that arrive meanwhile are on no page twice and missing on none. `before` continues with older items, `after` with newer ones.',
    access: 'reader',
    query: {
      ...byQuery.query,
      limit: {
        description: 'Items per page. Default: 20.',
        schema: Type.Integer({ minimum: 1, maximum: 100 }),
      },
      before: cursor('Only items older than this cursor.'),
      after: cursor('Only items newer than this cursor: those that follow it.'),
      archived: {
        description: 'Only archived items. Default: only others.',
        schema: Type.Boolean(),
      },
    },
    answer: inboxPageAnswer,
    answerExample: {
      items: [inboxItemExample],
      after: cursorExample,
      counts: { unseen: 1, unread: 1 },
      stream: eventIdExample,
    },
  },
  counts: {
    ...byQuery,
    method: 'get',
    path: `${inboxPath}/counts`,
    id: 'countInboxItems',
    summary: 'Count unseen and unread items',
    description: 'Without archived items. Each count stops at 1,000.',
    access: 'reader',
    answer: inboxCountsAnswer,
    answerExample: { unseen: 1, unread: 1 },
  },
  changeItem: {
    ...byBody,
    method: 'put',
    path: `${inboxPath}/items/{message_id}`,
    id: 'changeInboxItem',
    summary: 'Change the states of an item',
    description:
      'true sets a state, false undoes it. When an item is read, its message becomes `read` and stays so.',
    body: changeInboxItemBody,
    bodyExamples: {
      read: { summary: 'Mark as read', value: { user_id: userId, read: true } },
    },
    answer: inboxItemAnswer,
    answerExample: readItemExample,
  },
  changeItems: {
    ...byBody,
    method: 'put',
    path: `${inboxPath}/items`,
    id: 'changeInboxItems',
    summary: 'Change the states of many items',
    description:
      'Changes the items up to `up_to`, at most 100,000 at once. Archived items are changed only by `archived: false`.',
    body: changeInboxItemsBody,
    bodyExamples: {
      read: {
        summary: 'Mark as read up to an item',
        value: { user_id: userId, up_to: inboxItemExample.message_id, read: true },
      },
    },
    answer: changedInboxItemsAnswer,
    answerExample: { changed: 1, counts: { unseen: 0, unread: 0 } },
    errors: { ...byBody.errors, validation_failed: { text: 'up_to must not be null' } },
  },
  createTicket: {
    ...byQuery,
    method: 'post',
    path: `${inboxPath}/stream_ticket`,
    id: 'createStreamTicket',
    summary: 'Create a ticket for a stream',
    description: `For the EventSource of a browser, which cannot send headers: it opens the stream with \`?ticket=\` within ${ticketSeconds} seconds.`,
    access: 'reader',
    answer: streamTicketAnswer,
    answerExample: { ticket: 'v1.k1.2Jm0…', expires_in: ticketSeconds },
  },
  stream: {
    ...byQuery,
    method: 'get',
    path: `${inboxPath}/stream`,
    id: 'streamInbox',
    summary: 'Follow an inbox',
    description:
      'Server-sent events: `item` (an item arrived), `state` (states of an item changed), `counts`, and `reset` (load the items again). With the `Last-Event-ID` of up to 24 hours ago, none is missing or repeated. The stream ends when the token expires, at the latest after one hour: connect again. A comment is sent every 15 seconds.',
    access: 'reader_or_ticket',
    query: {
      ...byQuery.query,
      ticket: cursor('From `stream_ticket`, in place of the header.'),
      last_event_id: cursor(
        'Where to continue, if there is no `Last-Event-ID` header: an event ID, or `stream` of a page. Default: now.',
      ),
    },
    mediaType: 'text/event-stream',
    answer: Type.String(),
    answerExample: [
      'retry: 1834\n\n',
      `event: counts\nid: ${eventIdExample}\ndata: {"unseen":1,"unread":1}\n\n`,
    ].join(''),
    errors: { ...byQuery.errors, too_many_streams: {} },
  },
} satisfies Record<string, Operation>;
