import { performance } from 'node:perf_hooks';
import { addHashTag, type Logger, type RedisConnection, withinTime } from '@belfry/runtime';
import { Worker } from 'bullmq';
import type { RunningRole } from './composition';
import { createWatchdog } from './watchdog';

type ConsumeOptions<Job> = {
  queue: string;
  prefix: string;
  /** Jobs at once. The handler limits the messages in flight. */
  concurrency: number;
  /** Opens a separate connection for blocking commands. It closes with the consumer. */
  connect(): RedisConnection;
  log: Logger;
  /** `enqueuedAtMs` is the Unix time at which the job was added to Redis, by the clock of the process that added it. */
  handle(job: Job, enqueuedAtMs: number): Promise<void>;
};

type Consumer = {
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
/** Half of `silentLinkMs` in `createConsumerRedis`. Each end of a wait costs two wake-ups; a new job ends it at once. */
const emptyQueueWaitSeconds = 5;
/** Limit for reporting finished jobs to Redis. For unreported jobs the locks expire. */
const closeTimeoutMs = 2_000;

/** Belfry's entire use of BullMQ: at-least-once delivery of jobs in roughly FIFO order. */
function consume<Job>(options: ConsumeOptions<Job>): Consumer {
  const { queue, prefix, concurrency, connect, log, handle } = options;
  const redis = connect();
  const worker = new Worker<Job>(queue, (job) => handle(job.data, job.timestamp), {
    connection: redis,
    prefix: addHashTag(prefix, queue),
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

type WatchedOptions<Job> = ConsumeOptions<Job> & {
  /** Whether work waits that should have been taken already. Rejects if that is unknown. */
  hasOverdueWork(): Promise<boolean>;
  /** How long one job may run. */
  longestJobMs: number;
};

/** A consumer that is replaced if work waits and it takes none: its connection may have died silently. */
export function consumeWatched<Job>(options: WatchedOptions<Job>): RunningRole {
  const { queue, log, hasOverdueWork, longestJobMs } = options;
  const jobs = trackJobs(options);
  const open = (): Consumer => consume<Job>({ ...options, handle: jobs.handle });
  let consumer = open();
  const watchdog = createWatchdog({
    queue,
    hasOverdueWork,
    readProgress: jobs.readProgress,
    longestJobMs,
    replace() {
      consumer.abandon();
      consumer = open();
    },
    now: () => performance.now(),
    log,
  });
  watchdog.start();

  return {
    isStalled: watchdog.isStalled,
    async close() {
      watchdog.stop();
      consumer.stop();
      await jobs.drain();
      await consumer.leave();
    },
  };
}

/** The running jobs of all consumers, replaced ones included. */
function trackJobs<Job>({ handle }: Pick<WatchedOptions<Job>, 'handle'>) {
  const running = new Set<Promise<void>>();
  let progressAtMs = performance.now();
  let isDraining = false;

  return {
    async handle(job: Job, enqueuedAtMs: number): Promise<void> {
      // The relay enqueues it again.
      if (isDraining) return;
      const working = handle(job, enqueuedAtMs);
      running.add(working);
      progressAtMs = performance.now();
      try {
        await working;
      } finally {
        running.delete(working);
        progressAtMs = performance.now();
      }
    },
    readProgress: () => ({ runningJobs: running.size, progressAtMs }),
    async drain(): Promise<void> {
      isDraining = true;
      await Promise.allSettled([...running]);
    },
  };
}
