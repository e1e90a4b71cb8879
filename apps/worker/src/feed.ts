import type { DueMessage } from '@belfry/database';
import type { Logger } from '@belfry/runtime';
import { maxMessagesPerJob } from '@belfry/shared';

export type FeedDeps = {
  /** Due messages without a job, or, with `doubtedAfterMs`, with one that may be gone. */
  listDue(options: {
    channel: string;
    limit: number;
    doubtedAfterMs?: number;
  }): Promise<DueMessage[]>;
  /** Writes each message's new job; the ids for which nobody was faster. */
  assignJobs(
    jobs: { id: string; jobId: string; previousJobId: string | undefined }[],
  ): Promise<Set<string>>;
  queues: {
    addDeliverJobs(jobs: { jobId: string; channel: string; ids: string[] }[]): Promise<void>;
    findJobs(channel: string, jobIds: string[]): Promise<Set<string>>;
    countWaiting(channel: string): Promise<number>;
  };
  newId: () => string;
  /** Messages of one channel in Redis, at most. */
  channelWindow: number;
  log: Logger;
};

/** Queues what is due and was never queued, as far as Redis has room; the rest waits in PostgreSQL. */
export async function feedDue(deps: FeedDeps, channel: string): Promise<void> {
  // A job holds up to 20 messages, so this errs on the side of less in Redis.
  const inRedis = (await deps.queues.countWaiting(channel)) * maxMessagesPerJob;
  const room = deps.channelWindow - inRedis;
  if (room <= 0) return;
  const due = await deps.listDue({ channel, limit: room });
  if (due.length > 0) await queueMessages(deps, channel, due);
}

/** Queues again what is gone from Redis, and only that. */
export async function feedLost(
  deps: FeedDeps,
  channel: string,
  doubtedAfterMs: number,
): Promise<void> {
  const doubted = await deps.listDue({ channel, limit: deps.channelWindow, doubtedAfterMs });
  const jobIds = [...new Set(doubted.flatMap(({ jobId }) => jobId ?? []))];
  if (jobIds.length === 0) return;
  const present = await deps.queues.findJobs(channel, jobIds);
  const lost = doubted.filter(({ jobId }) => jobId !== undefined && !present.has(jobId));
  if (lost.length === 0) return;
  await queueMessages(deps, channel, lost);
  deps.log.info('relay.requeued', { channel, messages: lost.length });
}

async function queueMessages(
  { assignJobs, queues, newId }: FeedDeps,
  channel: string,
  messages: DueMessage[],
): Promise<void> {
  // Jobs of one class: a bulk must not hold up the single sends behind it.
  const jobs = [false, true]
    .flatMap((isBulk) => chunksOf(messages.filter((message) => message.isBulk === isBulk)))
    .map((members) => ({ jobId: newId(), members }));
  const written = await assignJobs(
    jobs.flatMap(({ jobId, members }) =>
      members.map((message) => ({ id: message.id, jobId, previousJobId: message.jobId })),
    ),
  );
  const toAdd = jobs
    .map(({ jobId, members }) => ({
      jobId,
      channel,
      ids: members.map(({ id }) => id).filter((id) => written.has(id)),
    }))
    .filter(({ ids }) => ids.length > 0);
  if (toAdd.length > 0) await queues.addDeliverJobs(toAdd);
}

function chunksOf(messages: DueMessage[]): DueMessage[][] {
  const count = Math.ceil(messages.length / maxMessagesPerJob);
  return Array.from({ length: count }, (_, index) =>
    messages.slice(index * maxMessagesPerJob, (index + 1) * maxMessagesPerJob),
  );
}
