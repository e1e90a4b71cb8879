import type { Transport } from './call';
import type { Inbox, User, UserBody } from './generated/wire';
import { type CallOptions, readPathPart, type WriteOptions } from './options';
import { buildQuery } from './query';
import { requireText } from './require-text';

export type Users = {
  /** Creates the user, or changes the given fields. */
  upsert(body: UserBody, options?: WriteOptions): Promise<User>;
  get(userId: string, options?: CallOptions): Promise<User>;
  /** A page of the user's inbox, newest first. To get the next page, pass `next` as `last_message_id`. */
  inbox(userId: string, page?: InboxPage, options?: CallOptions): Promise<Inbox>;
};

export type InboxPage = {
  /** Maximum number of items. Default: 20. */
  limit?: number;
  /** The last item of the previous page. */
  last_message_id?: string;
};

export function createUsers(transport: Transport): Users {
  return {
    upsert: (body, options) => writeUser(transport, body, options),
    get: (userId, options) => readUser(transport, userId, options),
    inbox: (userId, page, options) => listInbox(transport, userId, page, options),
  };
}

/** Creates the user, or changes the given fields. */
export async function writeUser(
  transport: Transport,
  body: UserBody,
  options?: WriteOptions,
): Promise<User> {
  const name = 'users.upsert';
  requireText(name, body, 'user_id');
  return transport({ name, method: 'POST', path: '/users', body }, options);
}

export async function readUser(
  transport: Transport,
  userId: string,
  options?: CallOptions,
): Promise<User> {
  const path = `/users/${readPathPart('userId', userId)}`;
  return transport({ name: 'users.get', method: 'GET', path }, options);
}

/** A page of the user's inbox, newest first. To get the next page, pass `next` as `last_message_id`. */
export async function listInbox(
  transport: Transport,
  userId: string,
  page: InboxPage = {},
  options?: CallOptions,
): Promise<Inbox> {
  const path = `/users/${readPathPart('userId', userId)}/inbox${buildQuery(page)}`;
  return transport({ name: 'users.inbox', method: 'GET', path }, options);
}
