import {
  createLogger,
  createRedis,
  newId,
  type RedisConnection,
  waitForRedis,
} from '@belfry/runtime';
import { eventually, testRedis } from '@belfry/testing';
import { type Bucket, type Buckets, createBuckets, type TokenRequest } from './rate-limits';

let redis: RedisConnection;

beforeAll(async () => {
  redis = createRedis({
    url: testRedis().url,
    log: createLogger({ level: 'error', process: 'test' }),
  });
  await waitForRedis(redis, 5_000);
});

afterAll(() => redis.disconnect());

/** Buckets whose last flush was long ago, so a missing bucket is full. */
async function setUp() {
  const prefix = `${testRedis().prefix}-${newId()}`;
  await redis.set(`${prefix}:limit:since`, 0);
  return { buckets: createBuckets({ redis, prefix }), prefix };
}

/** Fills so slowly that no test gets a new token. */
const hourMs = 3_600_000;
const slow = (key: string, burst = 2): Bucket => ({ key, intervalMs: hourMs, burst });

async function takeAll(buckets: Buckets, request: TokenRequest, times: number): Promise<string[]> {
  const answers: string[] = [];
  for (let time = 0; time < times; time += 1) answers.push(await take(buckets, request));
  return answers;
}

/** The result in hours, which is the unit of these tests. */
async function take(buckets: Buckets, request: TokenRequest): Promise<string> {
  const { isGranted, waitMs } = await buckets.requestTokens(request);
  return isGranted && waitMs === 0 ? 'given' : `in ${Math.round(waitMs / hourMs)} h`;
}

const single = (...buckets: Bucket[]): TokenRequest => ({ buckets, queue: 'single' });

describe('a bucket', () => {
  test('grants its tokens to any worker, and then assigns times one after the other', async () => {
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

  test('grants the tokens of the next second in advance, each with its wait', async () => {
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

  test('of a target grants none in advance', async () => {
    const { buckets } = await setUp();
    const chat = { key: 'chat', intervalMs: 400, burst: 1 };
    const request = single({ key: 'bot', intervalMs: 1, burst: 10 }, chat);
    expect((await buckets.requestTokens(request)).isGranted).toBe(true);
    expect((await buckets.requestTokens(request)).isGranted).toBe(false);
  });

  test('grants a token again after its interval', async () => {
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

  test('keeps its last token for single sends, which have their own queue', async () => {
    const { buckets } = await setUp();
    const bulk: TokenRequest = { buckets: [slow('a', 3)], queue: 'bulk' };
    expect(await takeAll(buckets, bulk, 4)).toEqual(['given', 'given', 'in 1 h', 'in 2 h']);
    expect(await takeAll(buckets, single(slow('a', 3)), 2)).toEqual(['given', 'in 1 h']);
  });

  test('takes no token if another bucket of the same request has none', async () => {
    const { buckets } = await setUp();
    const both = single(slow('whole', 2), slow('chat', 1));
    expect(await takeAll(buckets, both, 2)).toEqual(['given', 'in 1 h']);
    expect(await takeAll(buckets, single(slow('whole', 2)), 2)).toEqual(['given', 'in 1 h']);
  });

  test('starts empty after Redis was emptied', async () => {
    const prefix = `${testRedis().prefix}-${newId()}`;
    const buckets = createBuckets({ redis, prefix });
    expect(await take(buckets, single(slow('a')))).toBe('in 1 h');
  });

  test('is removed from Redis once it is full again', async () => {
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

  test('delays one key for its time, and no other', async () => {
    const { buckets } = await setUp();
    await buckets.pause({ key: 'a', waitMs: 60_000 });
    await buckets.pause({ key: 'a', waitMs: 1_000 });
    expect(await readWaitMs(buckets, 'a')).toBeGreaterThan(50_000);
    expect(await readWaitMs(buckets, 'b')).toBe(0);
  });

  test('of three keys within seconds pauses their parent', async () => {
    const { buckets } = await setUp();
    const pause = (key: string) => buckets.pause({ key, waitMs: 60_000, parentKey: 'bot' });
    await pause('chat1');
    await pause('chat2');
    expect(await readWaitMs(buckets, 'bot')).toBe(0);
    await pause('chat3');
    expect(await readWaitMs(buckets, 'bot')).toBeGreaterThan(50_000);
  });
});
