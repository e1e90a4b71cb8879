import type { Transport } from './call';
import type { Inbox, Preferences, PreferencesBody, User, UserBody } from './generated/wire';
import { type CallOptions, readPathPart, type WriteOptions } from './options';
import { buildQuery } from './query';
import { requireText } from './require-text';

export type Users = {
  /** Creates the user, or changes the given fields. */
  upsert(body: UserBody, options?: WriteOptions): Promise<User>;
  get(userId: string, options?: CallOptions): Promise<User>;
  preferences(userId: string, options?: CallOptions): Promise<Preferences>;
  /** Replaces all preferences of a stored user; an absent `locale` stays unchanged. */
  setPreferences(
    userId: string,
    body: PreferencesBody,
    options?: CallOptions,
  ): Promise<Preferences>;
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
    preferences: (userId, options) => readPreferences(transport, userId, options),
    setPreferences: (userId, body, options) => writePreferences(transport, userId, body, options),
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

export async function readPreferences(
  transport: Transport,
  userId: string,
  options?: CallOptions,
): Promise<Preferences> {
  const path = `/users/${readPathPart('userId', userId)}/preferences`;
  return transport({ name: 'users.preferences', method: 'GET', path }, options);
}

/** Replaces all preferences of a stored user; an absent `locale` stays unchanged. */
export async function writePreferences(
  transport: Transport,
  userId: string,
  body: PreferencesBody,
  options?: CallOptions,
): Promise<Preferences> {
  const path = `/users/${readPathPart('userId', userId)}/preferences`;
  return transport({ name: 'users.setPreferences', method: 'PUT', path, body }, options);
}
