import { performance } from 'node:perf_hooks';
import { Worker } from 'bullmq';

/** A worker that does nothing: the maximum rate of BullMQ. It receives the number of jobs, and answers with the time they took. */
const [queue = '', url = '', concurrency = '1'] = process.argv.slice(2);

let remaining = 0;
let total = 0;
let beganAtMs = 0;

const worker = new Worker(
  queue,
  async () => {
    if (remaining === total) beganAtMs = performance.now();
    remaining -= 1;
    if (remaining === 0)
      process.send?.({ perSecond: total / ((performance.now() - beganAtMs) / 1_000) });
  },
  {
    connection: { url, maxRetriesPerRequest: null },
    concurrency: Number(concurrency),
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  },
);
worker.on('error', () => undefined);
process.on('message', ({ jobs }: { jobs: number }) => {
  remaining = jobs;
  total = jobs;
});
process.on('disconnect', () => process.exit(0));
worker.waitUntilReady().then(
  () => process.send?.({ port: 0 }),
  () => process.exit(1),
);
