import type { Inbox } from '@belfry/pipeline/operate';
import { AppError, inboxItemToWire } from '@belfry/shared';
import type { Answer } from '../call';
import { readUserId } from '../path-values';
import { pageLimits, readQueryNumber, readQueryValue } from '../query-values';
import type { QueryCall } from '../without-idempotency-key';
import { messageNotFound } from './inbox';
import { inboxOperations } from './inbox-operations';

export type UserInboxRouteDeps = { inbox: Pick<Inbox, 'listItems' | 'isUserStored'> };

/** `GET /v1/apps/{app_id}/users/{user_id}/inbox`: the inbox for the account's backend, including archived items. */
export function createUserInboxRoute({ inbox }: UserInboxRouteDeps) {
  async function list({ caller, path, query }: QueryCall): Promise<Answer> {
    const address = { appId: caller.app.id, userId: readUserId(path) };
    const limit = readQueryNumber(query, 'limit', pageLimits);
    const before = readQueryValue(query, 'last_message_id');
    // Read one more than the page size to see whether there is a next page.
    const items = await inbox.listItems({
      ...address,
      before,
      limit: limit + 1,
      withArchived: true,
    });
    if (!items) throw messageNotFound();
    // A user without a stored row has an inbox if a message was sent to the user_id. Otherwise the user does not exist.
    if (items.length === 0 && before === undefined && !(await inbox.isUserStored(address))) {
      throw new AppError('user_not_found');
    }
    const pageItems = items.slice(0, limit);
    const next = items.length > limit ? pageItems.at(-1)?.messageId : undefined;
    const body = { notifications: pageItems.map(inboxItemToWire), next };
    return { status: 200, body: JSON.stringify(body) };
  }

  return { operation: inboxOperations.list, answer: list };
}
