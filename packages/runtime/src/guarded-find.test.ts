import { createGuardedFind, createTokenBuckets } from './guarded-find';

function setUp() {
  let nowMs = 0;
  const now = () => nowMs;
  const ids = new Set<string>();
  const counts = { finds: 0, lists: 0 };
  const guardedFind = createGuardedFind({
    ...{ now, refusal: () => new Error('refused') },
    networkBuckets: createTokenBuckets({ burst: 5, perSecond: 1, maxBuckets: 100, now }),
    globalBucket: createTokenBuckets({ burst: 20, perSecond: 5, maxBuckets: 1, now }),
    async find(id) {
      counts.finds += 1;
      return ids.has(id) ? { id } : undefined;
    },
    async readIds() {
      counts.lists += 1;
      return ids;
    },
  });
  let idCount = 0;
  /** Looks up unknown ids concurrently, and counts the refused ones. */
  async function findUnknownIds(times: number, network = 'a'): Promise<number> {
    const lookUps = Array.from({ length: times }, () =>
      guardedFind(`unknown-${idCount++}`, network),
    );
    const results = await Promise.allSettled(lookUps);
    return results.filter(({ status }) => status === 'rejected').length;
  }
  const wait = (ms: number) => {
    nowMs += ms;
  };
  return { guardedFind, ids, counts, askForUnknown: findUnknownIds, wait };
}

test('a token bucket gets `perSecond` tokens per second, up to `burst`, and one back', () => {
  let nowMs = 0;
  const buckets = createTokenBuckets({ burst: 20, perSecond: 5, maxBuckets: 1, now: () => nowMs });
  const takeAll = () => {
    for (let taken = 0; ; taken += 1) if (!buckets.take('a')) return taken;
  };
  expect(takeAll()).toBe(20);
  nowMs += 2_000;
  expect(takeAll()).toBe(10);
  nowMs += 60_000;
  buckets.giveBack('a');
  expect(takeAll()).toBe(20);
  buckets.giveBack('a');
  expect(takeAll()).toBe(1);
});

describe('createGuardedFind', () => {
  test('looks up unknown ids of a network until its bucket is empty, then reads one list per second', async () => {
    const { counts, askForUnknown: findUnknownIds, wait } = setUp();
    expect(await findUnknownIds(1_000)).toBe(995);
    expect(counts).toEqual({ finds: 5, lists: 1 });
    wait(1_000);
    expect(await findUnknownIds(1_000)).toBe(999);
    expect(counts).toEqual({ finds: 6, lists: 2 });
  });

  test('finds existing ids in any network, cached or not', async () => {
    const { guardedFind, ids, askForUnknown: findUnknownIds } = setUp();
    ids.add('good').add('never seen');
    expect(await guardedFind('good', 'a')).toEqual({ id: 'good' });
    await findUnknownIds(1_000);
    expect(await guardedFind('good', 'a')).toEqual({ id: 'good' });
    expect(await guardedFind('never seen', 'a')).toEqual({ id: 'never seen' });
  });

  test('finds a new id within a second', async () => {
    const { guardedFind, ids, askForUnknown: findUnknownIds, wait } = setUp();
    await findUnknownIds(1_000);
    ids.add('new');
    await guardedFind('new', 'a').catch(() => undefined);
    wait(1_000);
    expect(await guardedFind('new', 'a')).toEqual({ id: 'new' });
  });

  test('remembers unknown ids: a repeated one is neither looked up nor counted', async () => {
    const { guardedFind, counts } = setUp();
    for (let time = 0; time < 100; time += 1) {
      expect(await guardedFind('gone', 'a')).toBeUndefined();
    }
    expect(counts).toEqual({ finds: 1, lists: 0 });
  });

  test('does not count found ids, or lookups that fail because the database is unavailable', async () => {
    const { guardedFind, ids, askForUnknown: findUnknownIds } = setUp();
    ids.add('good');
    for (let time = 0; time < 100; time += 1) await guardedFind('good', 'a');
    expect(await findUnknownIds(6)).toBe(1);
  });

  test('counts each network separately, and all of them together', async () => {
    const { counts, askForUnknown: findUnknownIds } = setUp();
    await findUnknownIds(100, 'a');
    expect(await findUnknownIds(5, 'b')).toBe(0);
    for (let network = 0; network < 50; network += 1) await findUnknownIds(5, `c${network}`);
    expect(counts).toEqual({ finds: 20, lists: 1 });
  });
});
