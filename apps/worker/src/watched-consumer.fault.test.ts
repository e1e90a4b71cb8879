import { createQueues } from '@belfry/pipeline/relay';
import {
  createConsumerRedis,
  createLogger,
  createRedis,
  newId,
  waitForRedis,
} from '@belfry/runtime';
import { type DeliverJob, getDeliverQueue } from '@belfry/shared';
import { eventually, type OwnStore, ownRedis } from '@belfry/testing';
import { consumeWatched } from './consume';

jest.setTimeout(120_000);

const log = createLogger({ level: 'error', process: 'test' });
log.error = () => undefined;
const prefix = 'watched';

let silent: OwnStore;
let working: OwnStore;

beforeAll(async () => {
  [silent, working] = await Promise.all([ownRedis(), ownRedis()]);
  await silent.pause();
});
afterAll(() => Promise.all([silent.remove(), working.remove()]));

test('a consumer whose connection died silently is replaced, and the new one takes the waiting jobs', async () => {
  const redis = createRedis({ url: working.url, log });
  await waitForRedis(redis, 5_000);
  const queues = createQueues({ redis, prefix, log });
  await queues.addDeliverJobs([
    { jobId: newId(), channel: 'slack', ids: ['waiting'], fairnessKey: '' },
  ]);

  const handledIds: string[] = [];
  const urls = [silent.url];
  const consumer = consumeWatched<DeliverJob>({
    queue: getDeliverQueue('slack'),
    prefix,
    concurrency: 10,
    connect: () => createConsumerRedis({ url: urls.pop() ?? working.url, log }),
    async handle({ ids }) {
      handledIds.push(...ids);
    },
    hasOverdueWork: async () => (await queues.countWaiting('slack')) > 0,
    longestJobMs: 20_000,
    log,
  });
  await eventually(() => expect(handledIds).toEqual(['waiting']), { timeoutMs: 60_000 });
  expect(consumer.isStalled()).toBe(false);
  await consumer.close();
  await queues.close();
  redis.disconnect();
});
