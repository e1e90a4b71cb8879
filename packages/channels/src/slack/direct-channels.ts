import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Unanswered } from '../network-failure';
import type { SlackAccess, SlackApi, SlackMethod, SlackReply } from './api';

/** The conversation with a person, or why there is none. */
export type DirectChannel = { channel: string } | Refusal;
type Refusal = Extract<SlackReply, { refused: unknown }>;

export type Person = { userId: string } | { email: string };

export type DirectChannels = {
  find(person: Person, access: SlackAccess): Promise<DirectChannel>;
  /** To be called when a conversation turned out to be gone. */
  forget(person: Person, access: SlackAccess): void;
};

const maxEntries = 10_000;
const knownForMs = 60 * 60 * 1000;
/** A person who was just added to the workspace is found soon. */
const missedForMs = 60 * 1000;

/** Looks up people and opens conversations; both are remembered by token and person. */
export function createDirectChannels({ call }: SlackApi): DirectChannels {
  const known = new LRUCache<string, DirectChannel>({ max: maxEntries, ttl: knownForMs });

  async function open(person: Person, access: SlackAccess): Promise<DirectChannel> {
    const user = 'userId' in person ? person : await lookUp(person.email, access);
    if ('refused' in user) return user;
    const reply = await call('conversations.open', { users: user.userId }, access);
    return idOf(reply, 'channel', 'conversations.open', (channel) => ({ channel }));
  }

  async function lookUp(email: string, access: SlackAccess): Promise<{ userId: string } | Refusal> {
    const reply = await call('users.lookupByEmail', { email }, access);
    return idOf(reply, 'user', 'users.lookupByEmail', (userId) => ({ userId }));
  }

  return {
    async find(person, access) {
      const key = keyOf(person, access);
      const remembered = known.get(key);
      if (remembered) return remembered;
      const found = await open(person, access);
      if ('channel' in found) known.set(key, found);
      else if (isAboutPerson(found.refused)) known.set(key, found, { ttl: missedForMs });
      return found;
    },
    forget: (person, access) => {
      known.delete(keyOf(person, access));
    },
  };
}

function keyOf(person: Person, { token }: SlackAccess): string {
  const name = 'userId' in person ? person.userId : person.email.toLowerCase();
  return `${hash('sha256', token, 'base64url')} ${name}`;
}

function isAboutPerson(refused: Unanswered): boolean {
  return refused.outcome === 'rejected' && refused.scope === 'recipient';
}

/** The id in an answer such as {user: {id}}. */
function idOf<Found>(
  reply: SlackReply,
  member: 'user' | 'channel',
  method: SlackMethod,
  found: (id: string) => Found,
): Found | Refusal {
  if ('refused' in reply) return { ...reply, refused: notPosted(reply.refused) };
  const value = reply.body[member];
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
  if (typeof id === 'string') return found(id);
  return {
    refused: {
      outcome: 'retry',
      reason: 'unreadable_answer',
      detail: 'Slack’s answer names no id.',
    },
    code: undefined,
    response: { method },
  };
}

/** Whatever became of a look-up, nothing was posted yet. */
function notPosted(refused: Unanswered): Unanswered {
  return refused.outcome === 'unknown' ? { ...refused, outcome: 'retry' } : refused;
}
