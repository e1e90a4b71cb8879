import { addHashTag, type Logger, type QueueJobs, type RedisConnection } from '@belfry/runtime';
import { type DeliverJob, type FanOutJob, fanOutQueue, getDeliverQueue } from '@belfry/shared';
import { type JobsOptions, Queue } from 'bullmq';
import { createWakeRelay } from './wake-relay';

/** A delivery job to add; its id is already written on its messages. */
export type NewDeliverJob = DeliverJob & { jobId: string; channel: string };

/** Our entire use of BullMQ. All of it is best effort: the relay later adds what is missed here. */
export type Queues = {
  addDeliverJobs(jobs: NewDeliverJob[]): Promise<void>;
  addFanOutJobs(jobs: FanOutJob[]): Promise<void>;
  /** Call it before writing messages: a relay without open work rests. */
  wakeRelay(): void;
  /** Returns which of these jobs are still in Redis. */
  findJobs(channel: string, jobIds: string[]): Promise<Set<string>>;
  /** Removes jobs, unless a worker is running them. */
  removeJobs(jobs: { channel: string; jobId: string }[]): Promise<void>;
  /** Jobs of a channel that no worker has taken. */
  countWaiting(channel: string): Promise<number>;
  /** Jobs of each queue by state, for metrics and the dashboard. */
  countJobs(queues: readonly string[]): Promise<QueueJobs[]>;
  close(): Promise<void>;
};

/** Finished jobs are removed, so there are no other states. */
const countedStates = ['waiting', 'active'] as const;

export type QueuesDeps = { redis: RedisConnection; prefix: string; log: Logger };

// Retries, delays and history are in PostgreSQL, so a job runs once.
const jobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true };

export function createQueues(deps: QueuesDeps): Queues {
  const { redis, prefix } = deps;
  const { open, close } = createOpenQueues(deps);

  return {
    async addDeliverJobs(jobs) {
      const channels = [...new Set(jobs.map((job) => job.channel))];
      await Promise.all(
        channels.map((channel) =>
          addJobs(
            open(getDeliverQueue(channel)),
            jobs.filter((job) => job.channel === channel).map(toDeliverJob),
          ),
        ),
      );
    },
    async addFanOutJobs(jobs) {
      await addJobs(open(fanOutQueue), jobs.map(toFanOutJob));
    },
    wakeRelay: createWakeRelay(deps),
    async findJobs(channel, jobIds) {
      const queue = getDeliverQueue(channel);
      const pipeline = redis.pipeline();
      const queuePrefix = addHashTag(prefix, queue);
      for (const jobId of jobIds) pipeline.exists(`${queuePrefix}:${queue}:${jobId}`);
      const results = (await pipeline.exec()) ?? [];
      return new Set(jobIds.filter((_, index) => results[index]?.[1] === 1));
    },
    async removeJobs(jobs) {
      await Promise.all(
        jobs.map(({ channel, jobId }) => open(getDeliverQueue(channel)).remove(jobId)),
      );
    },
    async countWaiting(channel) {
      return open(getDeliverQueue(channel)).getWaitingCount();
    },
    async countJobs(names) {
      const counts = await Promise.all(
        names.map(async (queue) => {
          const byState = await open(queue).getJobCounts(...countedStates);
          return countedStates.map((state) => ({ queue, state, count: byState[state] ?? 0 }));
        }),
      );
      return counts.flat();
    },
    close,
  };
}

/** Up to this many jobs, single commands are cheaper: ioredis copies BullMQ’s 60 scripts into each pipeline. */
const fewJobs = 4;

async function addJobs(queue: Queue, jobs: NewJob[]): Promise<void> {
  if (jobs.length === 0) return;
  if (jobs.length > fewJobs) await queue.addBulk(jobs);
  else await Promise.all(jobs.map(({ name, data, opts }) => queue.add(name, data, opts)));
}

type NewJob = { name: string; data: DeliverJob | FanOutJob; opts: JobsOptions };

function toDeliverJob({ jobId, ids, fairnessKey }: NewDeliverJob) {
  const data: DeliverJob = { ids, fairnessKey };
  return { name: 'deliver', data, opts: { ...jobOptions, jobId } };
}

function toFanOutJob(data: FanOutJob) {
  return { name: 'fan-out', data, opts: { ...jobOptions, jobId: data.requestId } };
}

/** Creates each queue on first use; `open` throws while Redis is unavailable. */
function createOpenQueues({ redis, prefix, log }: QueuesDeps) {
  const queues = new Map<string, Queue>();

  function create(name: string): Queue {
    const queue = new Queue(name, {
      connection: redis,
      prefix: addHashTag(prefix, name),
      streams: { events: { maxLen: 100 } },
    });
    queue.on('error', (error) => log.debug('queue.error', { queue: name, error }));
    queues.set(name, queue);
    return queue;
  }

  return {
    open(name: string): Queue {
      // BullMQ would wait for its first connection and keep all added jobs in memory.
      if (redis.status !== 'ready') throw new Error(`Redis is not ready: ${redis.status}`);
      return queues.get(name) ?? create(name);
    },
    async close(): Promise<void> {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}
