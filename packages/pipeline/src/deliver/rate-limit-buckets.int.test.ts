import { createLogger, createRedis, newId, waitForRedis } from '@belfry/runtime';
import { eventually, testRedis } from '@belfry/testing';
import type { Redis } from 'ioredis';
import { type Bucket, type Buckets, createBuckets, type TokenRequest } from './rate-limit-buckets';

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

async function takeAll(buckets: Buckets, request: TokenRequest, times: number): Promise<string[]> {
  const answers: string[] = [];
  for (let time = 0; time < times; time += 1) answers.push(await take(buckets, request));
  return answers;
}

/** In hours, from which the tests have their times. */
async function take(buckets: Buckets, request: TokenRequest): Promise<string> {
  const { isGranted, waitMs } = await buckets.requestTokens(request);
  return isGranted && waitMs === 0 ? 'given' : `in ${Math.round(waitMs / hourMs)} h`;
}

const single = (...buckets: Bucket[]): TokenRequest => ({ buckets, queue: 'single' });

describe('a bucket', () => {
  test('gives what it holds, whoever asks, and then times one after the other', async () => {
    const { buckets, prefix } = await setUp();
    const otherBuckets = createBuckets({ redis, prefix });
    const request = single(slow('a'));
    const first = await Promise.all([take(buckets, request), take(otherBuckets, request)]);
    const later = [
      ...(await takeAll(buckets, request, 2)),
      ...(await takeAll(otherBuckets, request, 2)),
    ];
    expect(first).toEqual(['given', 'given']);
    expect(later).toEqual(['in 1 h', 'in 2 h', 'in 3 h', 'in 4 h']);
  });

  test('gives away the tokens of the next second, each from its time on', async () => {
    const { buckets } = await setUp();
    const request = single({ key: 'a', intervalMs: 400, burst: 1 });
    const answers = [
      await buckets.requestTokens(request),
      await buckets.requestTokens(request),
      await buckets.requestTokens(request),
    ];
    expect(answers.map(({ isGranted }) => isGranted)).toEqual([true, true, true]);
    expect(answers[1]?.waitMs).toBeGreaterThan(300);
    expect(answers[2]?.waitMs).toBeGreaterThan(700);
    expect((await buckets.requestTokens(request)).isGranted).toBe(false);
  });

  test('of a target gives none before its time', async () => {
    const { buckets } = await setUp();
    const chat = { key: 'chat', intervalMs: 400, burst: 1 };
    const request = single({ key: 'bot', intervalMs: 1, burst: 10 }, chat);
    expect((await buckets.requestTokens(request)).isGranted).toBe(true);
    expect((await buckets.requestTokens(request)).isGranted).toBe(false);
  });

  test('gives one more when its time has passed', async () => {
    const { buckets } = await setUp();
    const request = single(
      { key: 'bot', intervalMs: 1, burst: 10 },
      { key: 'a', intervalMs: 50, burst: 1 },
    );
    expect((await buckets.requestTokens(request)).isGranted).toBe(true);
    await eventually(async () =>
      expect((await buckets.requestTokens(request)).isGranted).toBe(true),
    );
  });

  test('leaves its last token to single sends, which wait in a line of their own', async () => {
    const { buckets } = await setUp();
    const bulk: TokenRequest = { buckets: [slow('a', 3)], queue: 'bulk' };
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
    await buckets.requestTokens(single({ key: 'a', intervalMs: 20, burst: 1 }));
    const leftMs = await redis.pttl(`${prefix}:limit:a`);
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(1_100);
  });
});

describe('a pause', () => {
  const readWaitMs = async (buckets: Buckets, key: string) => {
    const { isGranted, waitMs } = await buckets.requestTokens(
      single({ key, intervalMs: 0, burst: 0 }),
    );
    return isGranted ? 0 : waitMs;
  };

  test('holds up one key for its time, and no other', async () => {
    const { buckets } = await setUp();
    await buckets.pause({ key: 'a', waitMs: 60_000 });
    await buckets.pause({ key: 'a', waitMs: 1_000 });
    expect(await readWaitMs(buckets, 'a')).toBeGreaterThan(50_000);
    expect(await readWaitMs(buckets, 'b')).toBe(0);
  });

  test('of several parts within seconds is a pause of the whole', async () => {
    const { buckets } = await setUp();
    const pause = (key: string) => buckets.pause({ key, waitMs: 60_000, parentKey: 'bot' });
    await pause('chat1');
    await pause('chat2');
    expect(await readWaitMs(buckets, 'bot')).toBe(0);
    await pause('chat3');
    expect(await readWaitMs(buckets, 'bot')).toBeGreaterThan(50_000);
  });
});
