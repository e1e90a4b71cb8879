import type { Call } from './call';
import type { Inbox, User, UserBody } from './generated/wire';
import { type CallOptions, readPathPart, type WriteOptions } from './options';
import { queryOf } from './query';
import { requireText } from './require-text';

export type Users = {
  /** Creates the user, or changes the fields that are given. */
  upsert(body: UserBody, options?: WriteOptions): Promise<User>;
  get(userId: string, options?: CallOptions): Promise<User>;
  /** A page of what the person finds in the inbox, newest first; the next one begins behind `next` of this one. */
  inbox(userId: string, page?: InboxPage, options?: CallOptions): Promise<Inbox>;
};

export type InboxPage = {
  /** Items, at most; 20 unless told otherwise. */
  limit?: number;
  /** The last item of the page before. */
  last_message_id?: string;
};

export function createUsers(call: Call): Users {
  return {
    async upsert(body, options) {
      const name = 'users.upsert';
      requireText(name, body, 'user_id');
      return call({ name, method: 'POST', path: '/users', body }, options);
    },
    async get(userId, options) {
      const path = `/users/${readPathPart('userId', userId)}`;
      return call({ name: 'users.get', method: 'GET', path }, options);
    },
    async inbox(userId, page = {}, options) {
      const path = `/users/${readPathPart('userId', userId)}/inbox${queryOf(page)}`;
      return call({ name: 'users.inbox', method: 'GET', path }, options);
    },
  };
}
