import { createLogger, createRedis, newId, waitForRedis } from '@belfry/runtime';
import { eventually, testRedis } from '@belfry/testing';
import type { Redis } from 'ioredis';
import { type Ask, type Bucket, type Buckets, createBuckets } from './buckets';

let redis: Redis;

beforeAll(async () => {
  redis = createRedis({
    url: testRedis().url,
    log: createLogger({ level: 'error', process: 'test' }),
  });
  await waitForRedis(redis, 5_000);
});

afterAll(() => redis.disconnect());

/** Buckets of a prefix whose last flush is long ago: what is not there is full. */
async function setUp() {
  const prefix = `${testRedis().prefix}-${newId()}`;
  await redis.set(`${prefix}:limit:since`, 0);
  return { buckets: createBuckets({ redis, prefix }), prefix };
}

/** Fills so slowly that no test sees a new token. */
const hourMs = 3_600_000;
const slow = (key: string, burst = 2): Bucket => ({ key, intervalMs: hourMs, burst });

async function takeAll(buckets: Buckets, ask: Ask, times: number): Promise<string[]> {
  const answers: string[] = [];
  for (let time = 0; time < times; time += 1) answers.push(await take(buckets, ask));
  return answers;
}

/** In hours, from which the tests have their times. */
async function take(buckets: Buckets, ask: Ask): Promise<string> {
  const { isGiven, waitMs } = await buckets.ask(ask);
  return isGiven && waitMs === 0 ? 'given' : `in ${Math.round(waitMs / hourMs)} h`;
}

const single = (...buckets: Bucket[]): Ask => ({ buckets, line: 'single' });

describe('a bucket', () => {
  test('gives what it holds, whoever asks, and then times one after the other', async () => {
    const { buckets, prefix } = await setUp();
    const others = createBuckets({ redis, prefix });
    const ask = single(slow('a'));
    const first = await Promise.all([take(buckets, ask), take(others, ask)]);
    const later = [...(await takeAll(buckets, ask, 2)), ...(await takeAll(others, ask, 2))];
    expect(first).toEqual(['given', 'given']);
    expect(later).toEqual(['in 1 h', 'in 2 h', 'in 3 h', 'in 4 h']);
  });

  test('gives away the tokens of the next second, each from its time on', async () => {
    const { buckets } = await setUp();
    const ask = single({ key: 'a', intervalMs: 400, burst: 1 });
    const answers = [await buckets.ask(ask), await buckets.ask(ask), await buckets.ask(ask)];
    expect(answers.map(({ isGiven }) => isGiven)).toEqual([true, true, true]);
    expect(answers[1]?.waitMs).toBeGreaterThan(300);
    expect(answers[2]?.waitMs).toBeGreaterThan(700);
    expect((await buckets.ask(ask)).isGiven).toBe(false);
  });

  test('of a target gives none before its time', async () => {
    const { buckets } = await setUp();
    const chat = { key: 'chat', intervalMs: 400, burst: 1 };
    const ask = single({ key: 'bot', intervalMs: 1, burst: 10 }, chat);
    expect((await buckets.ask(ask)).isGiven).toBe(true);
    expect((await buckets.ask(ask)).isGiven).toBe(false);
  });

  test('gives one more when its time has passed', async () => {
    const { buckets } = await setUp();
    const ask = single(
      { key: 'bot', intervalMs: 1, burst: 10 },
      { key: 'a', intervalMs: 50, burst: 1 },
    );
    expect((await buckets.ask(ask)).isGiven).toBe(true);
    await eventually(async () => expect((await buckets.ask(ask)).isGiven).toBe(true));
  });

  test('leaves its last token to single sends, which wait in a line of their own', async () => {
    const { buckets } = await setUp();
    const bulk: Ask = { buckets: [slow('a', 3)], line: 'bulk' };
    expect(await takeAll(buckets, bulk, 4)).toEqual(['given', 'given', 'in 1 h', 'in 2 h']);
    expect(await takeAll(buckets, single(slow('a', 3)), 2)).toEqual(['given', 'in 1 h']);
  });

  test('takes no token where another bucket of the same ask has none', async () => {
    const { buckets } = await setUp();
    const both = single(slow('whole', 2), slow('chat', 1));
    expect(await takeAll(buckets, both, 2)).toEqual(['given', 'in 1 h']);
    expect(await takeAll(buckets, single(slow('whole', 2)), 2)).toEqual(['given', 'in 1 h']);
  });

  test('begins empty after Redis was emptied', async () => {
    const prefix = `${testRedis().prefix}-${newId()}`;
    const buckets = createBuckets({ redis, prefix });
    expect(await take(buckets, single(slow('a')))).toBe('in 1 h');
  });

  test('leaves nothing in Redis once it is full again', async () => {
    const { buckets, prefix } = await setUp();
    await buckets.ask(single({ key: 'a', intervalMs: 20, burst: 1 }));
    const leftMs = await redis.pttl(`${prefix}:limit:a`);
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(1_100);
  });
});

describe('a pause', () => {
  const waitOf = async (buckets: Buckets, key: string) => {
    const { isGiven, waitMs } = await buckets.ask(single({ key, intervalMs: 0, burst: 0 }));
    return isGiven ? 0 : waitMs;
  };

  test('holds up one key for its time, and no other', async () => {
    const { buckets } = await setUp();
    await buckets.pause({ key: 'a', waitMs: 60_000 });
    await buckets.pause({ key: 'a', waitMs: 1_000 });
    expect(await waitOf(buckets, 'a')).toBeGreaterThan(50_000);
    expect(await waitOf(buckets, 'b')).toBe(0);
  });

  test('of several parts within seconds is a pause of the whole', async () => {
    const { buckets } = await setUp();
    const pause = (key: string) => buckets.pause({ key, waitMs: 60_000, whole: 'bot' });
    await pause('chat1');
    await pause('chat2');
    expect(await waitOf(buckets, 'bot')).toBe(0);
    await pause('chat3');
    expect(await waitOf(buckets, 'bot')).toBeGreaterThan(50_000);
  });
});
