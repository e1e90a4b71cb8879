import type { Logger, QueueJobs } from '@belfry/runtime';
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
  /** Jobs of each queue by state, for those who watch. */
  countJobs(queues: readonly string[]): Promise<QueueJobs[]>;
  close(): Promise<void>;
};

/** A job is removed when it is done, so it has no other state. */
const countedStates = ['waiting', 'active'] as const;

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

  return {
    async addDeliverJobs(jobs) {
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
    countWaiting: (channel) => queueOf(deliverQueue(channel)).getWaitingCount(),
    async countJobs(names) {
      const counts = await Promise.all(
        names.map(async (queue) => {
          const byState = await queueOf(queue).getJobCounts(...countedStates);
          return countedStates.map((state) => ({ queue, state, count: byState[state] ?? 0 }));
        }),
      );
      return counts.flat();
    },
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}
