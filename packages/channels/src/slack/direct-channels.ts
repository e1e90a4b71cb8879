import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { FailedOutcome } from '../network-failure';
import type { SlackAccess, SlackApi, SlackMethod, SlackReply } from './api';

/** The direct conversation with a person, or why there is none. */
export type DirectChannel = { channel: string } | Refusal;
type Refusal = Extract<SlackReply, { failure: unknown }>;

export type Person = { userId: string } | { email: string };

export type DirectChannels = {
  find(person: Person, access: SlackAccess): Promise<DirectChannel>;
  /** Call it when a conversation no longer exists. */
  forget(person: Person, access: SlackAccess): void;
};

const maxEntries = 10_000;
const foundTtlMs = 60 * 60 * 1000;
/** Short, so that a newly added person is found soon. */
const missingTtlMs = 60 * 1000;

/** Looks up people and opens conversations. Both are cached by token and person. */
export function createDirectChannels({ call }: SlackApi): DirectChannels {
  const cache = new LRUCache<string, DirectChannel>({ max: maxEntries, ttl: foundTtlMs });

  async function open(person: Person, access: SlackAccess): Promise<DirectChannel> {
    const user = 'userId' in person ? person : await lookUp(person.email, access);
    if ('failure' in user) return user;
    const reply = await call('conversations.open', { users: user.userId }, access);
    return readId(reply, 'channel', 'conversations.open', (channel) => ({ channel }));
  }

  async function lookUp(email: string, access: SlackAccess): Promise<{ userId: string } | Refusal> {
    const reply = await call('users.lookupByEmail', { email }, access);
    return readId(reply, 'user', 'users.lookupByEmail', (userId) => ({ userId }));
  }

  return {
    async find(person, access) {
      const key = getCacheKey(person, access);
      const remembered = cache.get(key);
      if (remembered) return remembered;
      const directChannel = await open(person, access);
      if ('channel' in directChannel) cache.set(key, directChannel);
      else if (isAboutPerson(directChannel.failure))
        cache.set(key, directChannel, { ttl: missingTtlMs });
      return directChannel;
    },
    forget: (person, access) => {
      cache.delete(getCacheKey(person, access));
    },
  };
}

function getCacheKey(person: Person, { token }: SlackAccess): string {
  const name = 'userId' in person ? person.userId : person.email.toLowerCase();
  return `${hash('sha256', token, 'base64url')} ${name}`;
}

function isAboutPerson(failure: FailedOutcome): boolean {
  return failure.outcome === 'rejected' && failure.scope === 'recipient';
}

/** The ID in a response such as {user: {id}}. */
function readId<Result>(
  reply: SlackReply,
  member: 'user' | 'channel',
  method: SlackMethod,
  toResult: (id: string) => Result,
): Result | Refusal {
  if ('failure' in reply) return { ...reply, failure: toRetry(reply.failure) };
  const value = reply.body[member];
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
  if (typeof id === 'string') return toResult(id);
  return {
    failure: {
      outcome: 'retry',
      reason: 'unreadable_answer',
      detail: 'Slack’s response has no id.',
    },
    code: undefined,
    response: { method },
  };
}

/** Nothing was posted during a lookup, so every unknown outcome can be retried. */
function toRetry(failure: FailedOutcome): FailedOutcome {
  return failure.outcome === 'unknown' ? { ...failure, outcome: 'retry' } : failure;
}
