import { type Batcher, createBatcher, type RedisScript, runRedisScript } from '@belfry/runtime';
import type { Redis } from 'ioredis';

/** A key of one account, at one step of the gate. */
export type StepInput = {
  accountId: string;
  hash: Buffer;
  ringKeyId: string;
  /** Nobody waits for it any more: it is not sent. */
  isAbandoned?: boolean;
};

export type StepOptions<Input extends StepInput> = {
  redis: Redis;
  prefix: string;
  script: RedisScript;
  /** The key's own piece of the packed argument. */
  pack(input: Input): string;
  /** How long what the script sets is kept; undefined where it sets nothing. */
  keepMs: number | undefined;
};

/** What the script said of the key; undefined where Redis could not be asked. */
export type StepAnswer = { reply: unknown } | undefined;

/** Far below what Lua can unpack, and short enough that Redis is not held. */
const maxKeysPerCall = 250;
const maxWaiting = 10_000;

/** One script, with a batcher in front: the keys of one account that arrive together are one call. */
export function createStep<Input extends StepInput>(
  options: StepOptions<Input>,
): Batcher<Input, StepAnswer> {
  async function flush(inputs: Input[]): Promise<StepAnswer[]> {
    // As nearly always, where one account calls.
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

/** Those of one account lie in one slot of a cluster; those of one ring key share an argument. */
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
    // Whatever it was, PostgreSQL arbitrates; the connection's own listener tells of an outage.
    return group.map(() => undefined);
  }
}

/** The braces put every key of an account into one slot. */
export function keyName(
  prefix: string,
  { accountId, hash }: Pick<StepInput, 'accountId' | 'hash'>,
): string {
  return `${prefix}:idem:{${accountId}}:${hash.toString('base64url')}`;
}
