import {
  addHashTag,
  type Batcher,
  createBatcher,
  type RedisConnection,
  type RedisScript,
  runRedisScript,
} from '@belfry/runtime';
import {
  begin,
  type Entry,
  type EntryState,
  finish,
  readEntry,
  release,
  tokenCharacters,
  writeEntry,
  writeState,
  writeToken,
} from './idempotency.redis';

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
  redis: RedisConnection;
  prefix: string;
  /**
   * A part of the keys' names. After a restore it is another one: the requests that Redis still knows may not be in the
   * restored database.
   */
  getInstallationId?(): string | undefined;
  lockMs?: number;
  keepMs?: number;
  /** The longest time that a request waits for Redis. */
  waitMs?: number;
};

/** Longer than accepting can take: connecting, the lock wait and one statement have lower limits together. */
const defaultLockMs = 10_000;
/** How long Redis keeps a response. PostgreSQL keeps it for a day. */
export const defaultKeepMs = 15 * 60_000;
const defaultWaitMs = 250;

export function createIdempotencyStore({
  redis,
  prefix,
  getInstallationId = () => undefined,
  lockMs = defaultLockMs,
  keepMs = defaultKeepMs,
  waitMs = defaultWaitMs,
}: IdempotencyStoreDeps): IdempotencyStore {
  const place = { redis, prefix, getInstallationId };
  const beginStep = createStep<IdempotencyKey>({
    ...place,
    script: begin,
    pack: writeEntry,
    keepMs: lockMs,
  });
  const finishStep = createStep<FinishedKey>({
    ...place,
    script: finish,
    pack: writeFinished,
    keepMs,
  });
  const releaseStep = createStep<IdempotencyKey>({
    ...place,
    script: release,
    pack: ({ requestId }) => writeToken(requestId),
    keepMs: undefined,
  });

  return {
    async begin(key) {
      const { accountId, hash, ringKeyId, fingerprint, requestId } = key;
      const input = { accountId, hash, ringKeyId, fingerprint, requestId, isAbandoned: false };
      const answer = await runWithTimeout(beginStep, input, waitMs);
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
      await runWithTimeout(releaseStep, key, waitMs);
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
  timeoutMs: number,
): Promise<StepAnswer> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => end(undefined), timeoutMs);
    function end(answer: StepAnswer): void {
      clearTimeout(timer);
      resolve(answer);
    }
    step.addFor(input, { resolve: end, reject: () => end(undefined) });
  });
}

/** An account's key in one step of the idempotency store. */
type StepInput = {
  accountId: string;
  hash: Buffer;
  ringKeyId: string;
  /** The caller no longer waits, so the key is not sent. */
  isAbandoned?: boolean;
};

type StepOptions<Input extends StepInput> = {
  redis: RedisConnection;
  prefix: string;
  getInstallationId(): string | undefined;
  script: RedisScript;
  /** Returns this key's part of the packed argument. */
  pack(input: Input): string;
  /** Expiry of the value that the script sets; undefined if it sets none. */
  keepMs: number | undefined;
};

/** The script's reply for the key; undefined if Redis failed. */
type StepAnswer = { reply: unknown } | undefined;

/** Far below the limit of Lua's `unpack`, and short enough not to block Redis. */
const maxKeysPerCall = 250;
const maxWaiting = 10_000;

/** Runs one script behind a batcher: keys of one account that arrive together share one call. */
function createStep<Input extends StepInput>(
  options: StepOptions<Input>,
): Batcher<Input, StepAnswer> {
  async function flush(inputs: Input[]): Promise<StepAnswer[]> {
    // The common case: all requests are from one account.
    if (inputs.every((input) => isTogether(input, inputs[0]))) {
      return tryRunScript(inputs, options);
    }
    const answers = new Map<Input, StepAnswer>();
    await Promise.all(
      groupByAccountAndRing(inputs).map(async (group) => {
        const groupAnswers = await tryRunScript(group, options);
        for (const [index, input] of group.entries()) answers.set(input, groupAnswers[index]);
      }),
    );
    return inputs.map((input) => answers.get(input));
  }

  return createBatcher({ flush, maxBatch: maxKeysPerCall, maxWaiting });
}

function isTogether(input: StepInput, first = input): boolean {
  return (
    !input.isAbandoned && input.accountId === first.accountId && input.ringKeyId === first.ringKeyId
  );
}

/** Keys of one account share a cluster slot; keys of one ring key share an argument. */
function groupByAccountAndRing<Input extends StepInput>(inputs: Input[]): Input[][] {
  const groups = new Map<string, Input[]>();
  for (const input of inputs.filter(({ isAbandoned }) => !isAbandoned)) {
    const name = `${input.accountId} ${input.ringKeyId}`;
    const group = groups.get(name);
    if (group) group.push(input);
    else groups.set(name, [input]);
  }
  return [...groups.values()];
}

async function tryRunScript<Input extends StepInput>(
  group: Input[],
  { redis, prefix, getInstallationId, script, pack, keepMs }: StepOptions<Input>,
): Promise<StepAnswer[]> {
  const [first] = group;
  if (!first) return [];
  const installationId = getInstallationId();
  try {
    const replies: unknown = await runRedisScript(redis, script, {
      keys: group.map((input) => keyName(prefix, input, installationId)),
      args: [group.map(pack).join(''), first.ringKeyId, ...(keepMs === undefined ? [] : [keepMs])],
    });
    return group.map((_, index) =>
      Array.isArray(replies) ? { reply: replies[index] } : undefined,
    );
  } catch {
    // On any error PostgreSQL decides; the connection's own listener logs an outage.
    return group.map(() => undefined);
  }
}

/** The last characters of a UUID v7 are random. */
const installationCharacters = 8;

/** In a Cluster, all keys of an account are in one slot. */
export function keyName(
  prefix: string,
  { accountId, hash }: Pick<StepInput, 'accountId' | 'hash'>,
  installationId = '',
): string {
  const tagged = addHashTag(prefix, accountId);
  const installation = installationId.slice(-installationCharacters);
  return `${tagged}:idem:{${accountId}}:${installation}${hash.toString('base64url')}`;
}
