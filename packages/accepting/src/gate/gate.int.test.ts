import { createLogger, createRedis, newId, waitForRedis } from '@belfry/runtime';
import { testRedis } from '@belfry/testing';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { createGate, type Gate, type GateKey } from './gate';
import { keyName } from './step';

const numRuns = process.env['TEST_FULL'] ? 2_000 : 300;
const lockMs = 10_000;
const keepMs = 15 * 60_000;
const waitMs = 5_000;
/** Real time that may pass in one run, beside the simulated: a run that took longer says nothing. */
const slackMs = 1_900;

const { url, prefix } = testRedis();
const accountId = newId();
const hashes = [1, 2, 3].map((byte) => Buffer.alloc(32, byte));
const fingerprints = [7, 8].map((byte) => Buffer.alloc(32, byte));
const requestIds = [newId(), newId(), newId()];
const rings = ['k1', 'k2'];

let redis: Redis;

beforeAll(async () => {
  // A machine that is busy with other tests is no slow Redis, here and below.
  const options = { url, log: createLogger({ level: 'error', process: 'test' }) };
  redis = createRedis({ ...options, commandTimeoutMs: 5_000 });
  expect(await waitForRedis(redis, 5_000)).toBe(true);
});
afterAll(() => redis.disconnect());

type Model = Map<number, { value: string; leftMs: number }>;

type Step = {
  key: number;
  call: number;
  fingerprint: number;
  ring: number;
  /** Of `finish`. */
  owner: number;
  isInRow: boolean;
};
type Operation =
  | { do: 'begin' | 'finish' | 'release'; steps: Step[]; isTwice: boolean }
  | { do: 'wait'; ms: number }
  | { do: 'flush' };

const index = (items: readonly unknown[]) => fc.nat(items.length - 1);
const step: fc.Arbitrary<Step> = fc.record({
  key: index(hashes),
  call: index(requestIds),
  fingerprint: index(fingerprints),
  ring: index(rings),
  owner: index(requestIds),
  isInRow: fc.boolean(),
});
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'begin' as const,
        'begin' as const,
        'finish' as const,
        'release' as const,
      ),
      steps: fc.array(step, { minLength: 1, maxLength: 4 }),
      isTwice: fc.boolean(),
    }),
  },
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(4_000, lockMs, keepMs) }),
  fc.record({ do: fc.constant('flush' as const) }),
);

function gateKey({ key, call, fingerprint, ring: ringIndex }: Step): GateKey {
  return {
    accountId,
    hash: hashes[key]!,
    fingerprint: fingerprints[fingerprint]!,
    requestId: requestIds[call]!,
    ringKeyId: rings[ringIndex]!,
  };
}

const token = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');

function written(letter: string, each: Step): string {
  const { fingerprint, requestId, ringKeyId } = gateKey(each);
  return `${letter}${fingerprint.toString('base64url')}${token(requestId)}${ringKeyId}`;
}

const isLockOf = (value: string, call: number) =>
  value.startsWith('L') && value.slice(44, 66) === token(requestIds[call]!);

/** What a caller is told, as the value that it was read from. */
function expectBegin(model: Model, each: Step): string {
  const held = model.get(each.key);
  if (!held) model.set(each.key, { value: written('L', each), leftMs: lockMs });
  return !held || isLockOf(held.value, each.call) ? 'acquired' : held.value;
}

type Real = { gate: Gate; name: (key: number) => string };

async function begin({ gate }: Real, each: Step): Promise<string> {
  const begun = await gate.begin(gateKey(each));
  if (begun.state === 'acquired' || begun.state === 'bypassed') return begun.state;
  const letter = { locked: 'L', done: 'D', done_in_row: 'R' }[begun.state];
  const { fingerprint, requestId, ringKeyId } = begun;
  return `${letter}${fingerprint.toString('base64url')}${token(requestId)}${ringKeyId}`;
}

async function apply(op: Operation, model: Model, real: Real): Promise<void> {
  if (op.do === 'flush') {
    model.clear();
    await redis.del(...hashes.map((_, key) => real.name(key)));
  } else if (op.do === 'wait') {
    await wait(op.ms, model, real);
  } else {
    await applySteps(op, model, real);
    if (op.isTwice) await applySteps(op, model, real);
  }
}

/** A script takes the keys of one ring key: those of two are two calls, in the order in which they came. */
function inOrder(given: Step[]): Step[] {
  const first = given[0]?.ring;
  const isFirst = (each: Step) => each.ring === first;
  return [...given.filter(isFirst), ...given.filter((each) => !isFirst(each))];
}

type Steps = Extract<Operation, { steps: unknown }>;

async function applySteps(op: Steps, model: Model, real: Real): Promise<void> {
  const ordered = inOrder(op.steps);
  const expected = ordered.map((each) => models[op.do](model, each));
  const told = await Promise.all(ordered.map((each) => reals[op.do](real, each)));
  expect(told).toEqual(expected);
}

const models: Record<Steps['do'], (model: Model, each: Step) => string | undefined> = {
  begin: expectBegin,
  finish(model, each) {
    const held = model.get(each.key);
    if (held && !isLockOf(held.value, each.owner)) return undefined;
    model.set(each.key, { value: written(each.isInRow ? 'R' : 'D', each), leftMs: keepMs });
    return undefined;
  },
  release(model, { key, call }) {
    if (isLockOf(model.get(key)?.value ?? '', call)) model.delete(key);
    return undefined;
  },
};

const reals: Record<Steps['do'], (real: Real, each: Step) => Promise<unknown>> = {
  begin,
  finish: ({ gate }, each) =>
    gate.finish({
      ...gateKey(each),
      owner: requestIds[each.owner]!,
      state: each.isInRow ? 'done_in_row' : 'done',
    }),
  release: ({ gate }, each) => gate.release(gateKey(each)),
};

/** Time passes by taking it from what is left: what Redis then removes, it removed by itself. */
async function wait(ms: number, model: Model, { name }: Real): Promise<void> {
  for (const [key, held] of model) {
    held.leftMs -= ms;
    const left = await redis.pttl(name(key));
    await redis.pexpire(name(key), left - ms);
    if (held.leftMs <= 0) model.delete(key);
  }
}

async function expectSame(model: Model, { name }: Real): Promise<void> {
  const names = [...hashes.keys()].map(name);
  const [values, ...left] = await Promise.all([
    redis.mget(...names),
    ...names.map((each) => redis.pttl(each)),
  ]);
  for (const key of hashes.keys()) {
    const held = model.get(key);
    expect(values[key]).toBe(held?.value ?? null);
    if (held) expect(left[key]).toBeLessThanOrEqual(held.leftMs);
    if (held) expect(left[key]).toBeGreaterThan(held.leftMs - slackMs);
  }
}

/** One after the other, as long as there is time; how many were looked at. */
async function runInTime(operations: Operation[], real: Real): Promise<number> {
  const model: Model = new Map();
  const beganAtMs = performance.now();
  for (const [index, op] of operations.entries()) {
    const failure = await failureOf(async () => {
      await apply(op, model, real);
      await expectSame(model, real);
    });
    if (performance.now() - beganAtMs > slackMs) return index;
    if (failure) throw failure;
  }
  return operations.length;
}

async function failureOf(work: () => Promise<void>): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('the gate', () => {
  test('does in Redis what its state machine says, whatever comes, and each script twice', async () => {
    let run = 0;
    let inTime = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 12 }), async (operations) => {
        run += 1;
        const own = `${prefix}-gate-${newId()}-${run}`;
        const gate = createGate({ redis, prefix: own, waitMs });
        const name = (key: number) => keyName(own, { accountId, hash: hashes[key]! });
        inTime += await runInTime(operations, { gate, name });
        await redis.del(...hashes.map((_, key) => name(key)));
      }),
      { numRuns },
    );
    expect(inTime).toBeGreaterThan(numRuns);
  }, 120_000);

  test('gives a key to one of 600 callers of two accounts that come at once', async () => {
    const gate = createGate({ redis, prefix: `${prefix}-gate-${newId()}`, waitMs });
    const accounts = [newId(), newId()];
    const callers = Array.from({ length: 600 }, (_, caller) => ({
      accountId: accounts[caller % 2]!,
      hash: hashes[0]!,
      fingerprint: fingerprints[0]!,
      requestId: newId(),
      ringKeyId: 'k1',
    }));
    const begun = await Promise.all(callers.map((caller) => gate.begin(caller)));
    const winners = callers.filter((_, caller) => begun[caller]?.state === 'acquired');
    expect(winners.map((winner) => winner.accountId).sort()).toEqual([...accounts].sort());
    expect(new Set(begun.map(({ state }) => state))).toEqual(new Set(['acquired', 'locked']));
    await gate.close();
  });

  test('takes what no gate wrote for nothing', async () => {
    const own = `${prefix}-gate-${newId()}`;
    const gate = createGate({ redis, prefix: own, waitMs });
    const key = gateKey({ key: 0, call: 0, fingerprint: 0, ring: 0, owner: 0, isInRow: false });
    await redis.set(keyName(own, key), 'something', 'PX', 5_000);
    expect(await gate.begin(key)).toEqual({ state: 'bypassed' });
  });
});
