import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { Refusal } from '../refusal';

/** Where a password comes from: whose it should be, and who tries. */
export type Attempt = { email: string; address: string };

export type AttemptLimit = {
  /** Counts an attempt before its password is looked at; throws `too_many_attempts` where that is one too many. */
  count(attempt: Attempt): void;
  /** The password was right: forget what was wrong before. */
  forgive(attempt: Attempt): void;
};

const windowMs = 15 * 60_000;
/** Counters at most; one that was unused longest makes room. */
const maxCounters = 20_000;

const limits = [
  { max: 10, keyOf: ({ email, address }: Attempt) => `both:${email} ${address}` },
  { max: 50, keyOf: ({ address }: Attempt) => `address:${address}` },
  // Many machines that try one e-mail; its owner is let in again when the window ends.
  { max: 100, keyOf: ({ email }: Attempt) => `email:${email}` },
];

/** In this process alone: with several dashboards each allows as much. */
export function createAttemptLimit({ now }: { now: () => number }): AttemptLimit {
  const counters = new LRUCache<string, { count: number; endsAtMs: number }>({ max: maxCounters });

  function counterOf(key: string) {
    const known = counters.get(key);
    if (known && known.endsAtMs > now()) return known;
    const fresh = { count: 0, endsAtMs: now() + windowMs };
    counters.set(key, fresh);
    return fresh;
  }

  return {
    count(attempt) {
      const counted = limits.map(({ max, keyOf }) => ({ max, counter: counterOf(keyOf(attempt)) }));
      const over = counted.find(({ max, counter }) => counter.count >= max);
      if (over) throw tooMany(over.counter.endsAtMs - now());
      for (const { counter } of counted) counter.count += 1;
    },
    forgive(attempt) {
      for (const { keyOf } of limits) {
        const counter = counterOf(keyOf(attempt));
        counter.count = Math.max(0, counter.count - 1);
      }
      counters.delete(`both:${attempt.email} ${attempt.address}`);
    },
  };
}

/** Behind a proxy all callers have the proxy's. */
export function addressOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? '';
}

function tooMany(waitMs: number): Refusal {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  const text = `too many wrong passwords: try again in ${Math.ceil(seconds / 60)} min`;
  return new Refusal('too_many_attempts', text, { headers: { 'Retry-After': String(seconds) } });
}
