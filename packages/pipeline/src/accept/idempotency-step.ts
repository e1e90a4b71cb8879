import { type Batcher, createBatcher, type RedisScript, runRedisScript } from '@belfry/runtime';
import type { Redis } from 'ioredis';

/** An account's key in one step of the idempotency store. */
export type StepInput = {
  accountId: string;
  hash: Buffer;
  ringKeyId: string;
  /** The caller no longer waits, so the key is not sent. */
  isAbandoned?: boolean;
};

export type StepOptions<Input extends StepInput> = {
  redis: Redis;
  prefix: string;
  script: RedisScript;
  /** Returns this key's part of the packed argument. */
  pack(input: Input): string;
  /** Expiry of the value that the script sets; undefined if it sets none. */
  keepMs: number | undefined;
};

/** The script's reply for the key; undefined if Redis failed. */
export type StepAnswer = { reply: unknown } | undefined;

/** Far below the limit of Lua's `unpack`, and short enough not to block Redis. */
const maxKeysPerCall = 250;
const maxWaiting = 10_000;

/** Runs one script behind a batcher: keys of one account that arrive together share one call. */
export function createStep<Input extends StepInput>(
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
  { redis, prefix, script, pack, keepMs }: StepOptions<Input>,
): Promise<StepAnswer[]> {
  const [first] = group;
  if (!first) return [];
  try {
    const replies: unknown = await runRedisScript(redis, script, {
      keys: group.map((input) => keyName(prefix, input)),
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

/** The braces put all keys of an account into one cluster slot. */
export function keyName(
  prefix: string,
  { accountId, hash }: Pick<StepInput, 'accountId' | 'hash'>,
): string {
  return `${prefix}:idem:{${accountId}}:${hash.toString('base64url')}`;
}
