import { type Batcher, createTimeouts, type Timeouts } from '@belfry/runtime';
import type { Redis } from 'ioredis';
import * as scripts from './idempotency.redis';
import {
  type Entry,
  type EntryState,
  readEntry,
  tokenCharacters,
  writeEntry,
  writeState,
  writeToken,
} from './idempotency-entry';
import { createStep, type StepAnswer, type StepInput } from './idempotency-step';

/** A call's key, before its work: `requestId` is the id of the call, and the token of its lock. */
export type IdempotencyKey = StepInput & { fingerprint: Buffer; requestId: string };

export type BeginResult =
  /** The caller has the lock. */
  | { state: 'acquired' }
  /** Redis is away or slow: PostgreSQL alone arbitrates. */
  | { state: 'bypassed' }
  | Entry;

/** What became of a key; `owner` is the call that may still hold its lock. */
export type FinishedKey = IdempotencyKey & { state: Exclude<EntryState, 'locked'>; owner: string };

/**
 * The gate in front of PostgreSQL's primary key. It saves work and tells two callers apart while neither has
 * committed; that a key is accepted once never depends on it. No step throws.
 */
export type IdempotencyStore = {
  begin(key: IdempotencyKey): Promise<BeginResult>;
  /** Behind the answer: what is missed here costs a question to PostgreSQL later. */
  finish(key: FinishedKey): Promise<void>;
  release(key: IdempotencyKey): Promise<void>;
  /** Waits for what was begun. */
  close(): Promise<void>;
};

export type IdempotencyStoreDeps = {
  /** A connection whose commands fail at once, or soon, and are not sent again. */
  redis: Redis;
  prefix: string;
  lockMs?: number;
  keepMs?: number;
  /** As long as a caller is made to wait for Redis. */
  waitMs?: number;
};

/** Longer than an accept can take: connecting, waiting for a lock and one statement are bounded to less together. */
const defaultLockMs = 10_000;
const defaultKeepMs = 15 * 60_000;
const defaultWaitMs = 250;

export function createIdempotencyStore({
  redis,
  prefix,
  lockMs = defaultLockMs,
  keepMs = defaultKeepMs,
  waitMs = defaultWaitMs,
}: IdempotencyStoreDeps): IdempotencyStore {
  const beginStep = createStep<IdempotencyKey>({
    redis,
    prefix,
    script: scripts.begin,
    pack: writeEntry,
    keepMs: lockMs,
  });
  const finishStep = createStep<FinishedKey>({
    redis,
    prefix,
    script: scripts.finish,
    pack: writeFinished,
    keepMs,
  });
  const releaseStep = createStep<IdempotencyKey>({
    redis,
    prefix,
    script: scripts.release,
    pack: ({ requestId }) => writeToken(requestId),
    keepMs: undefined,
  });

  const timeouts = createTimeouts(waitMs);

  return {
    async begin(key) {
      const { accountId, hash, ringKeyId, fingerprint, requestId } = key;
      const input = { accountId, hash, ringKeyId, fingerprint, requestId, isAbandoned: false };
      const answer = await runWithTimeout(beginStep, input, timeouts);
      // A lock that is set after its caller has gone on would stand in the way of a retry.
      input.isAbandoned = true;
      if (answer?.reply === 1) return acquired;
      return readEntry(answer?.reply) ?? { state: 'bypassed' };
    },
    finish(key) {
      // Nobody waits for it, so it needs no limit of its own.
      return new Promise((resolve) => {
        const end = () => resolve();
        finishStep.addFor(key, { resolve: end, reject: end });
      });
    },
    async release(key) {
      await runWithTimeout(releaseStep, key, timeouts);
    },
    async close() {
      await Promise.all([beginStep.close(), finishStep.close(), releaseStep.close()]);
    },
  };
}

const acquired: BeginResult = { state: 'acquired' };

function writeFinished(key: FinishedKey): string {
  const entry = writeEntry(key);
  // Nearly always the call that finishes is the one that locked: its token ends the entry.
  const owner = key.owner === key.requestId ? entry.slice(-tokenCharacters) : writeToken(key.owner);
  return owner + writeState(key.state) + entry;
}

/** Undefined when it takes too long, or when too many wait. */
function runWithTimeout<Input extends StepInput>(
  step: Batcher<Input, StepAnswer>,
  input: Input,
  timeouts: Timeouts,
): Promise<StepAnswer> {
  return new Promise((resolve) => {
    const timeout = timeouts.add(() => end(undefined));
    function end(answer: StepAnswer): void {
      timeouts.remove(timeout);
      resolve(answer);
    }
    step.addFor(input, { resolve: end, reject: () => end(undefined) });
  });
}
