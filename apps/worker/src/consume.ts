import { type Logger, withinTime } from '@belfry/runtime';
import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';

export type ConsumeOptions<Job> = {
  queue: string;
  prefix: string;
  /** Jobs at once. What is in flight is bounded by the handler, in messages. */
  concurrency: number;
  /** A new connection of its own, whose commands may block; ended with the consumer. */
  connect(): Redis;
  log: Logger;
  handle(job: Job): Promise<void>;
};

export type Consumer = {
  /** Takes nothing new. */
  stop(): void;
  /** For when the jobs in hand are over: tells Redis so and ends the connections, in bounded time without Redis too. */
  leave(): Promise<void>;
  /** Ends the connections at once. The jobs in hand go on, and Redis is told nothing of them. */
  abandon(): void;
};

// PostgreSQL's leases decide when work is given up; BullMQ only has to bring a job back soon.
const lockDurationMs = 8_000;
const stalledCheckMs = 4_000;
const stalledTimes = 1_000;
const emptyQueueWaitSeconds = 2;
/** For telling Redis that the jobs are over; what it is not told, it finds out by their locks. */
const farewellMs = 2_000;

/** All that Belfry asks of BullMQ: bring jobs, once or more, in about the order they came. */
export function consume<Job>(options: ConsumeOptions<Job>): Consumer {
  const { queue, prefix, concurrency, connect, log, handle } = options;
  const redis = connect();
  const worker = new Worker<Job>(queue, (job) => handle(job.data), {
    connection: redis,
    prefix,
    concurrency,
    lockDuration: lockDurationMs,
    stalledInterval: stalledCheckMs,
    maxStalledCount: stalledTimes,
    drainDelay: emptyQueueWaitSeconds,
    removeOnComplete: { count: 0 },
    removeOnFail: { count: 0 },
  });
  // A job that Redis lost, or a lock, is no fault: the message lies in PostgreSQL.
  worker.on('error', (error) => log.debug('queue.error', { queue, error }));
  worker.on('failed', (_job, error) => log.error('job.failed', { queue, error }));
  return {
    stop() {
      void withinTime(worker.close(), farewellMs);
    },
    async leave() {
      await withinTime(worker.close(), farewellMs);
      redis.disconnect();
    },
    abandon() {
      void withinTime(worker.close(true), farewellMs).then(() => redis.disconnect());
    },
  };
}
