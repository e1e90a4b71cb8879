import {
  createLogger,
  createRedis,
  newId,
  type RedisConnection,
  waitForRedis,
} from '@belfry/runtime';
import { testRedis } from '@belfry/testing';
import fc from 'fast-check';
import {
  createIdempotencyStore,
  type IdempotencyKey,
  type IdempotencyStore,
  keyName,
} from './idempotency-store';

const numRuns = process.env['TEST_FULL'] ? 2_000 : 100;
const lockMs = 10_000;
const keepMs = 15 * 60_000;
const waitMs = 5_000;
/** Real time that one run may take beside the simulated time; a slower run proves nothing. */
const slackMs = 1_900;

const { url, prefix } = testRedis();
const accountId = newId();
const hashes = [1, 2, 3].map((byte) => Buffer.alloc(32, byte));
const fingerprints = [7, 8].map((byte) => Buffer.alloc(32, byte));
const requestIds = [newId(), newId(), newId()];
const rings = ['k1', 'k2'];

let redis: RedisConnection;

beforeAll(async () => {
  // A machine that is busy with other tests must not look like a slow Redis, here and below.
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
  /** Used by `finish`. */
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

function createKey({ key, call, fingerprint, ring: ringIndex }: Step): IdempotencyKey {
  return {
    accountId,
    hash: hashes[key]!,
    fingerprint: fingerprints[fingerprint]!,
    requestId: requestIds[call]!,
    ringKeyId: rings[ringIndex]!,
  };
}

const token = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url');

function formatEntry(letter: string, each: Step): string {
  const { fingerprint, requestId, ringKeyId } = createKey(each);
  return `${letter}${fingerprint.toString('base64url')}${token(requestId)}${ringKeyId}`;
}

const isLockOwnedBy = (value: string, call: number) =>
  value.startsWith('L') && value.slice(44, 66) === token(requestIds[call]!);

/** The expected result of `begin`, in the form of the stored value. */
function expectBegin(model: Model, each: Step): string {
  const entry = model.get(each.key);
  if (!entry) model.set(each.key, { value: formatEntry('L', each), leftMs: lockMs });
  return !entry || isLockOwnedBy(entry.value, each.call) ? 'acquired' : entry.value;
}

type Real = { store: IdempotencyStore; name: (key: number) => string };

async function begin({ store }: Real, each: Step): Promise<string> {
  const result = await store.begin(createKey(each));
  if (result.state === 'acquired' || result.state === 'bypassed') return result.state;
  const letter = { locked: 'L', done: 'D', done_in_row: 'R' }[result.state];
  const { fingerprint, requestId, ringKeyId } = result;
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

/** A script takes keys of one ring key, so keys of two ring keys are two calls, in the order of arrival. */
function groupByRing(steps: Step[]): Step[] {
  const first = steps[0]?.ring;
  const isFirst = (each: Step) => each.ring === first;
  return [...steps.filter(isFirst), ...steps.filter((each) => !isFirst(each))];
}

type Steps = Extract<Operation, { steps: unknown }>;

async function applySteps(op: Steps, model: Model, real: Real): Promise<void> {
  const ordered = groupByRing(op.steps);
  const expected = ordered.map((each) => models[op.do](model, each));
  const actual = await Promise.all(ordered.map((each) => reals[op.do](real, each)));
  expect(actual).toEqual(expected);
}

const models: Record<Steps['do'], (model: Model, each: Step) => string | undefined> = {
  begin: expectBegin,
  finish(model, each) {
    const entry = model.get(each.key);
    if (entry && !isLockOwnedBy(entry.value, each.owner)) return undefined;
    model.set(each.key, { value: formatEntry(each.isInRow ? 'R' : 'D', each), leftMs: keepMs });
    return undefined;
  },
  release(model, { key, call }) {
    if (isLockOwnedBy(model.get(key)?.value ?? '', call)) model.delete(key);
    return undefined;
  },
};

const reals: Record<Steps['do'], (real: Real, each: Step) => Promise<unknown>> = {
  begin,
  finish: ({ store }, each) =>
    store.finish({
      ...createKey(each),
      owner: requestIds[each.owner]!,
      state: each.isInRow ? 'done_in_row' : 'done',
    }),
  release: ({ store }, each) => store.release(createKey(each)),
};

/** Simulates time by shortening each expiry; Redis then removes expired keys itself. */
async function wait(ms: number, model: Model, { name }: Real): Promise<void> {
  for (const [key, entry] of model) {
    entry.leftMs -= ms;
    const remainingMs = await redis.pttl(name(key));
    await redis.pexpire(name(key), remainingMs - ms);
    if (entry.leftMs <= 0) model.delete(key);
  }
}

async function expectSame(model: Model, { name }: Real): Promise<void> {
  const names = [...hashes.keys()].map(name);
  const [values, ...remainingMs] = await Promise.all([
    redis.mget(...names),
    ...names.map((each) => redis.pttl(each)),
  ]);
  for (const key of hashes.keys()) {
    const entry = model.get(key);
    expect(values[key]).toBe(entry?.value ?? null);
    if (entry) expect(remainingMs[key]).toBeLessThanOrEqual(entry.leftMs);
    if (entry) expect(remainingMs[key]).toBeGreaterThan(entry.leftMs - slackMs);
  }
}

/** Runs operations in order until the time is up; returns how many were checked. */
async function runInTime(operations: Operation[], real: Real): Promise<number> {
  const model: Model = new Map();
  const beganAtMs = performance.now();
  for (const [index, op] of operations.entries()) {
    const failure = await catchError(async () => {
      await apply(op, model, real);
      await expectSame(model, real);
    });
    if (performance.now() - beganAtMs > slackMs) return index;
    if (failure) throw failure;
  }
  return operations.length;
}

async function catchError(work: () => Promise<void>): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('createIdempotencyStore', () => {
  test('behaves in Redis like the model, for any operations, even if each script runs twice', async () => {
    let run = 0;
    let inTime = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 12 }), async (operations) => {
        run += 1;
        const own = `${prefix}-gate-${newId()}-${run}`;
        const store = createIdempotencyStore({ redis, prefix: own, waitMs });
        const name = (key: number) => keyName(own, { accountId, hash: hashes[key]! });
        inTime += await runInTime(operations, { store, name });
        await redis.del(...hashes.map((_, key) => name(key)));
      }),
      { numRuns },
    );
    expect(inTime).toBeGreaterThan(numRuns);
  }, 120_000);

  test('gives the key of each of two accounts to one of 600 concurrent requests', async () => {
    const store = createIdempotencyStore({ redis, prefix: `${prefix}-gate-${newId()}`, waitMs });
    const accounts = [newId(), newId()];
    const callers = Array.from({ length: 600 }, (_, caller) => ({
      accountId: accounts[caller % 2]!,
      hash: hashes[0]!,
      fingerprint: fingerprints[0]!,
      requestId: newId(),
      ringKeyId: 'k1',
    }));
    const results = await Promise.all(callers.map((caller) => store.begin(caller)));
    const winners = callers.filter((_, caller) => results[caller]?.state === 'acquired');
    expect(winners.map((winner) => winner.accountId).sort()).toEqual([...accounts].sort());
    expect(new Set(results.map(({ state }) => state))).toEqual(new Set(['acquired', 'locked']));
    await store.close();
  });

  test('ignores a value that is not an entry', async () => {
    const own = `${prefix}-gate-${newId()}`;
    const store = createIdempotencyStore({ redis, prefix: own, waitMs });
    const key = createKey({ key: 0, call: 0, fingerprint: 0, ring: 0, owner: 0, isInRow: false });
    await redis.set(keyName(own, key), 'something', 'PX', 5_000);
    expect(await store.begin(key)).toEqual({ state: 'bypassed' });
  });
});
