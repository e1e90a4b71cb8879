import { type Logger, withinTime } from '@belfry/runtime';
import { Worker } from 'bullmq';
import type { Redis } from 'ioredis';

export type ConsumeOptions<Job> = {
  queue: string;
  prefix: string;
  /** Jobs at once. The handler limits the messages in flight. */
  concurrency: number;
  /** Opens a separate connection for blocking commands. It closes with the consumer. */
  connect(): Redis;
  log: Logger;
  handle(job: Job): Promise<void>;
};

export type Consumer = {
  /** Takes no new jobs. */
  stop(): void;
  /** Call after the running jobs finished: reports them to Redis and closes the connections, within 2 s even if Redis is down. */
  leave(): Promise<void>;
  /** Closes the connections at once. Running jobs continue but are not reported to Redis. */
  abandon(): void;
};

// PostgreSQL's leases decide when an attempt is abandoned. BullMQ only has to redeliver a job soon.
const lockDurationMs = 8_000;
const stalledCheckMs = 4_000;
const stalledTimes = 1_000;
const emptyQueueWaitSeconds = 2;
/** Limit for reporting finished jobs to Redis. For unreported jobs the locks expire. */
const closeTimeoutMs = 2_000;

/** Belfry's entire use of BullMQ: at-least-once delivery of jobs in roughly FIFO order. */
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
  // A lost job or lock is harmless: the message is in PostgreSQL.
  worker.on('error', (error) => log.debug('queue.error', { queue, error }));
  worker.on('failed', (_job, error) => log.error('job.failed', { queue, error }));
  return {
    stop() {
      void withinTime(worker.close(), closeTimeoutMs);
    },
    async leave() {
      await withinTime(worker.close(), closeTimeoutMs);
      redis.disconnect();
    },
    abandon() {
      void withinTime(worker.close(true), closeTimeoutMs).then(() => redis.disconnect());
    },
  };
}
