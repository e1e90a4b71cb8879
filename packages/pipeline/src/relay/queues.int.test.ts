import {
  createLogger,
  createRedis,
  newId,
  type RedisConnection,
  waitForRedis,
} from '@belfry/runtime';
import { fanOutQueue } from '@belfry/shared';
import { testRedis } from '@belfry/testing';
import { createQueues } from './queues';

const log = createLogger({ level: 'error', process: 'test' });
const connections: RedisConnection[] = [];

afterAll(() => {
  for (const redis of connections) redis.disconnect();
});

async function setUp() {
  const redis = createRedis({ url: testRedis().url, log });
  connections.push(redis);
  await waitForRedis(redis, 5_000);
  const prefix = `${testRedis().prefix}-${newId()}`;
  return { redis, prefix, queues: createQueues({ redis, prefix, log }) };
}

const createJobs = (count: number) =>
  Array.from({ length: count }, () => ({
    jobId: newId(),
    channel: 'sms',
    fairnessKey: 'a fairness key',
    ids: [newId()],
  }));

// A few jobs are added one by one, more as a bulk.
describe.each([1, 4, 5, 50])('%d jobs', (count) => {
  test('are all in Redis when adding them has resolved', async () => {
    const { queues } = await setUp();
    const jobs = createJobs(count);
    await queues.addDeliverJobs(jobs);
    const storedIds = await queues.findJobs(
      'sms',
      jobs.map(({ jobId }) => jobId),
    );
    expect(storedIds.size).toBe(count);
    expect(await queues.countWaiting('sms')).toBe(count);
    await queues.close();
  });

  test('of fan-out are all in Redis, too', async () => {
    const { queues } = await setUp();
    await queues.addFanOutJobs(createJobs(count).map(({ jobId }) => ({ requestId: jobId })));
    const counts = await queues.countJobs([fanOutQueue]);
    expect(counts.find(({ state }) => state === 'waiting')?.count).toBe(count);
    await queues.close();
  });

  test('reject if Redis refuses them', async () => {
    const { queues, redis, prefix } = await setUp();
    // BullMQ keeps waiting jobs in a list, so another type under that key makes each script fail.
    await redis.set(`${prefix}:deliver-sms:wait`, 'no list');
    await expect(queues.addDeliverJobs(createJobs(count))).rejects.toThrow('WRONGTYPE');
    await queues.close();
  });
});
