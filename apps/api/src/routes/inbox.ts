import type { Inbox } from '@belfry/pipeline/operate';
import {
  AppError,
  createValidator,
  fetchInboxBody,
  inboxItemToWire,
  readInboxBody,
  updateInboxBody,
} from '@belfry/shared';
import type { RequestHandler } from 'express';
import type { ReaderCalls } from '../reader-calls';
import { requireStorage } from '../storage-limit';

export type InboxRoutesDeps = { inbox: Inbox };

/** Limit for bodies from front ends. */
export const maxInboxBodyBytes = 16 * 1024;

type InboxRoutes = Record<
  'setup' | 'fetch' | 'unreadCount' | 'update' | 'readAll' | 'lastOpen',
  RequestHandler
>;

/**
 * `/v1/apps/{app_id}/in_app_notifications`: the inbox routes of the first front ends. They ignore an Idempotency-Key
 * because they are idempotent by design.
 */
export function createInboxRoutes(
  { inbox }: InboxRoutesDeps,
  { byQuery, byBody }: Pick<ReaderCalls, 'byQuery' | 'byBody'>,
): InboxRoutes {
  const setup = byQuery(async ({ address, app }) => {
    // A front end calls this on every start, so it must keep working for a stored user.
    if (app.isStorageFull && !(await inbox.isUserStored(address))) requireStorage(app);
    await inbox.ensureUser(address);
    return successBody;
  });

  const fetch = byBody(validateFetch, async ({ address }, { last_message_id: before }) => {
    const items = await inbox.listItems({
      ...address,
      before,
      limit: pageSize,
      withArchived: false,
    });
    if (!items) throw messageNotFound();
    return { notifications: items.map(inboxItemToWire) };
  });

  const unreadCount = byQuery(
    async ({ address }) => ({ unread_count: await inbox.countUnread(address) }),
    {
      isCounter: true,
    },
  );

  const update = byBody(validateUpdate, async ({ address }, { message_id: messageId, status }) => {
    if (!(await inbox.changeStatus({ ...address, messageId, status }))) throw messageNotFound();
    return successBody;
  });

  const readAll = byBody(validateRead, async ({ address }, { message_id: messageId }) => {
    if (!(await inbox.readAll({ ...address, messageId }))) throw messageNotFound();
    return successBody;
  });

  const lastOpen = byQuery(
    async ({ address }) => {
      await inbox.open(address);
      return successBody;
    },
    { isCounter: true },
  );

  return { setup, fetch, unreadCount, update, readAll, lastOpen };
}

const pageSize = 20;
const successBody = { success: true };

const validateFetch = createValidator(fetchInboxBody);
const validateUpdate = createValidator(updateInboxBody);
const validateRead = createValidator(readInboxBody);

export function messageNotFound(): AppError {
  return new AppError('message_not_found', 'message not found');
}
