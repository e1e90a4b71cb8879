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

/** A request's idempotency key before its work runs. `requestId` is the request's id and the token of its lock. */
export type IdempotencyKey = StepInput & { fingerprint: Buffer; requestId: string };

export type BeginResult =
  /** This request holds the lock. */
  | { state: 'acquired' }
  /** Redis is unavailable or slow, so PostgreSQL alone decides. */
  | { state: 'bypassed' }
  | Entry;

/** The final state of a key; `owner` is the request that may still hold its lock. */
export type FinishedKey = IdempotencyKey & { state: Exclude<EntryState, 'locked'>; owner: string };

/**
 * The Redis store in front of the idempotency table. It saves work and detects two requests with one key before either
 * commits. PostgreSQL's primary key alone guarantees that a key is accepted once. No method throws.
 */
export type IdempotencyStore = {
  begin(key: IdempotencyKey): Promise<BeginResult>;
  /** Runs after the response is sent. A lost call costs one PostgreSQL query later. */
  finish(key: FinishedKey): Promise<void>;
  release(key: IdempotencyKey): Promise<void>;
  /** Waits for pending calls. */
  close(): Promise<void>;
};

export type IdempotencyStoreDeps = {
  /** A connection whose commands fail fast and are not resent. */
  redis: Redis;
  prefix: string;
  lockMs?: number;
  keepMs?: number;
  /** The longest time that a request waits for Redis. */
  waitMs?: number;
};

/** Longer than accepting can take: connecting, the lock wait and one statement have lower limits together. */
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
      // A lock that is set after its request went on would block a retry.
      input.isAbandoned = true;
      if (answer?.reply === 1) return acquired;
      return readEntry(answer?.reply) ?? { state: 'bypassed' };
    },
    finish(key) {
      // No request waits for this call, so it needs no timeout.
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
  // Usually the request that finishes also locked the key: its token ends the entry.
  const owner = key.owner === key.requestId ? entry.slice(-tokenCharacters) : writeToken(key.owner);
  return owner + writeState(key.state) + entry;
}

/** Resolves with undefined on timeout, or if too many calls wait. */
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
