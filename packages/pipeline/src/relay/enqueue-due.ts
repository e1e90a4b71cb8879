import type { Logger, ObserveStage } from '@belfry/runtime';
import type { PublishedCapacity } from './capacity';
import type {
  EnqueueDecisions,
  EnqueuedMessages,
  WaitingGroup,
  WaitingMessage,
} from './enqueue-due.sql';
import { groupIntoJobs } from './group-jobs';
import type { NewDeliverJob } from './queues';
import type { DoubtedMessage, DoubtOptions, JobAssignment } from './relay.sql';
import { computeGatewayCapacity, shareWindow, type Windows } from './share-window';

export type EnqueueDueDeps = {
  /** Selects due messages and writes their job ids; undefined if another relay holds the lock. */
  enqueueDue(
    decisions: EnqueueDecisions<NewDeliverJob>,
  ): Promise<EnqueuedMessages<NewDeliverJob> | undefined>;
  publishCapacity(capacity: PublishedCapacity): Promise<void>;
  listDoubted(options: DoubtOptions): Promise<DoubtedMessage[]>;
  /** Writes each message's new job. Returns the ids that no other process changed first. */
  replaceJobs(jobs: JobAssignment[]): Promise<Set<string>>;
  queues: {
    addDeliverJobs(jobs: NewDeliverJob[]): Promise<void>;
    findJobs(channel: string, jobIds: string[]): Promise<Set<string>>;
  };
  newId: () => string;
  windows: Windows;
  observeStage: ObserveStage;
  log: Logger;
};

/** Enqueues due messages up to the capacity. Returns their jobs, and whether any message is in Redis. */
export function createEnqueueDue(deps: EnqueueDueDeps) {
  const { newId, windows, observeStage } = deps;
  let after: WaitingGroup | undefined;

  return async function enqueueDue(): Promise<{ jobs: NewDeliverJob[]; hasQueued: boolean }> {
    const enqueuedMessages = await deps.enqueueDue({
      after,
      share: (groups, queued, taken) => shareWindow(rotate(groups), { queued, taken, windows }),
      gather(messages) {
        for (const { waitedMs } of messages) observeStage('relay', waitedMs);
        return groupByChannel(messages, newId);
      },
    });
    // Only the relay that enqueued publishes: counts from two relays at different times would contradict each other.
    if (!enqueuedMessages) return { jobs: [], hasQueued: false };
    const { jobs, queued, next } = enqueuedMessages;
    after = next;
    await deps.publishCapacity(computeGatewayCapacity(queued, { id: newId(), windows }));
    return { jobs, hasQueued: queued.length > 0 };
  };

  /** Starts at a random group, so that no app is always last when there are more apps than capacity. */
  function rotate(groups: WaitingGroup[]): WaitingGroup[] {
    const first = Math.floor(Math.random() * groups.length);
    return [...groups.slice(first), ...groups.slice(0, first)];
  }
}

function groupByChannel(messages: WaitingMessage[], newId: () => string): NewDeliverJob[] {
  const channels = [...new Set(messages.map(({ channel }) => channel))];
  return channels.flatMap((channel) =>
    groupIntoJobs(
      messages.filter((message) => message.channel === channel),
      { channel, newId },
    ),
  );
}

/**
 * How long a job must be missing before it counts as lost. A job id is written to PostgreSQL before the job is added to
 * Redis, so another process may be between these steps. Two checks must miss it.
 */
export const missingForMs = 1_000;

/** Requeues messages whose jobs are lost. Returns how many messages have a job that has been missing for less than 1 s. */
export function createRequeueLost(deps: EnqueueDueDeps) {
  /** By channel and job: when the job was first found missing. */
  const missedAtMs = new Map<string, Map<string, number>>();

  return async function requeueLost(channel: string, dueForMs: number): Promise<number> {
    // Twice the window, so that messages queued by gateways do not hide lost ones.
    const limit = deps.windows.channel * 2;
    const doubted = await deps.listDoubted({ channel, limit, dueForMs });
    const missing = doubted.length === 0 ? [] : await listMissing(channel, doubted);
    const now = performance.now();
    const before = missedAtMs.get(channel);
    const since = new Map(missing.map(({ jobId }) => [jobId, before?.get(jobId) ?? now]));
    missedAtMs.set(channel, since);
    const lost = missing.filter(({ jobId }) => now - (since.get(jobId) ?? now) >= missingForMs);
    if (lost.length > 0) {
      await requeueMessages(deps, channel, lost);
      deps.log.info('relay.requeued', { channel, messages: lost.length });
    }
    return missing.length - lost.length;
  };

  async function listMissing(channel: string, doubted: DoubtedMessage[]) {
    const jobIds = [...new Set(doubted.map(({ jobId }) => jobId))];
    const present = await deps.queues.findJobs(channel, jobIds);
    return doubted.filter(({ jobId }) => !present.has(jobId));
  }
}

async function requeueMessages(
  { replaceJobs, queues, newId }: EnqueueDueDeps,
  channel: string,
  lost: DoubtedMessage[],
): Promise<void> {
  const jobs = groupIntoJobs(lost, { channel, newId });
  const previous = new Map(lost.map(({ id, jobId }) => [id, jobId]));
  const replacedIds = await replaceJobs(
    jobs.flatMap(({ jobId, ids }) =>
      ids.flatMap((id) => {
        const previousJobId = previous.get(id);
        return previousJobId === undefined ? [] : [{ id, jobId, previousJobId }];
      }),
    ),
  );
  const toAdd = jobs
    .map((job) => ({ ...job, ids: job.ids.filter((id) => replacedIds.has(id)) }))
    .filter(({ ids }) => ids.length > 0);
  if (toAdd.length > 0) await queues.addDeliverJobs(toAdd);
}
