import type { Call } from './call';
import type { User, UserBody } from './generated/wire';
import { type CallOptions, readPathPart, type WriteOptions } from './options';
import { requireText } from './require-text';

export type Users = {
  /** Creates the user, or changes the fields that are given. */
  upsert(body: UserBody, options?: WriteOptions): Promise<User>;
  get(userId: string, options?: CallOptions): Promise<User>;
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
  };
}
