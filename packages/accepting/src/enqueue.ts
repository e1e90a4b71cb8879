import type { Logger } from '@belfry/runtime';
import { type DeliverJob, deliverQueue, type FanOutJob, fanOutQueue } from '@belfry/shared';
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

/** A delivery job to add: its id is written on its messages already. */
export type NewDeliverJob = { jobId: string; channel: string; ids: string[] };

/** What is asked of the queues, all of it best effort: what is missed here, the relay adds later. */
export type Queues = {
  addDeliverJobs(jobs: NewDeliverJob[]): Promise<void>;
  addFanOutJobs(jobs: FanOutJob[]): Promise<void>;
  /** Which of these jobs Redis still holds. */
  findJobs(channel: string, jobIds: string[]): Promise<Set<string>>;
  /** Jobs of a channel that nobody took yet. */
  countWaiting(channel: string): Promise<number>;
  close(): Promise<void>;
};

export type QueuesDeps = { redis: Redis; prefix: string; log: Logger };

// Retries, waits and history live in PostgreSQL: a job is done when it was looked at once.
const jobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true };

export function createQueues({ redis, prefix, log }: QueuesDeps): Queues {
  const queues = new Map<string, Queue>();

  function queueOf(name: string): Queue {
    const known = queues.get(name);
    if (known) return known;
    const queue = new Queue(name, {
      connection: redis,
      prefix,
      streams: { events: { maxLen: 100 } },
    });
    queue.on('error', (error) => log.debug('queue.error', { queue: name, error }));
    queues.set(name, queue);
    return queue;
  }

  /** BullMQ would wait for a first connection, with all that is added meanwhile in memory. */
  function refuseUnlessReady(): void {
    if (redis.status !== 'ready') throw new Error(`Redis is not ready: ${redis.status}`);
  }

  return {
    async addDeliverJobs(jobs) {
      refuseUnlessReady();
      const channels = new Set(jobs.map((job) => job.channel));
      await Promise.all(
        [...channels].map((channel) =>
          queueOf(deliverQueue(channel)).addBulk(
            jobs
              .filter((job) => job.channel === channel)
              .map(({ jobId, ids }) => ({
                name: 'deliver',
                data: { ids } satisfies DeliverJob,
                opts: { ...jobOptions, jobId },
              })),
          ),
        ),
      );
    },
    async addFanOutJobs(jobs) {
      refuseUnlessReady();
      await queueOf(fanOutQueue).addBulk(
        jobs.map((data) => ({
          name: 'fan-out',
          data,
          opts: { ...jobOptions, jobId: data.requestId },
        })),
      );
    },
    async findJobs(channel, jobIds) {
      const queue = deliverQueue(channel);
      const pipeline = redis.pipeline();
      for (const jobId of jobIds) pipeline.exists(`${prefix}:${queue}:${jobId}`);
      const results = (await pipeline.exec()) ?? [];
      return new Set(jobIds.filter((_, index) => results[index]?.[1] === 1));
    },
    async countWaiting(channel) {
      refuseUnlessReady();
      return queueOf(deliverQueue(channel)).getWaitingCount();
    },
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}
