import type { Logger } from '@belfry/runtime';
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
  /** Takes what waits and writes its jobs; undefined while another relay does. */
  enqueueDue(
    decisions: EnqueueDecisions<NewDeliverJob>,
  ): Promise<EnqueuedMessages<NewDeliverJob> | undefined>;
  publishCapacity(capacity: PublishedCapacity): Promise<void>;
  listDoubted(options: DoubtOptions): Promise<DoubtedMessage[]>;
  /** Writes each message's new job; the ids for which nobody was faster. */
  replaceJobs(jobs: JobAssignment[]): Promise<Set<string>>;
  queues: {
    addDeliverJobs(jobs: NewDeliverJob[]): Promise<void>;
    findJobs(channel: string, jobIds: string[]): Promise<Set<string>>;
  };
  newId: () => string;
  windows: Windows;
  log: Logger;
};

/** Brings what waits to the queues, as far as there is room; how many messages it took. */
export function createEnqueueDue(deps: EnqueueDueDeps) {
  const { newId, windows } = deps;
  let after: WaitingGroup | undefined;

  return async function enqueueDue(): Promise<NewDeliverJob[]> {
    const enqueuedMessages = await deps.enqueueDue({
      after,
      share: (groups, queued) => shareWindow(rotate(groups), { queued, windows }),
      gather: (messages) => groupByChannel(messages, newId),
    });
    // The one that feeds tells the gateways, too: two counts that begin apart would each take back what the other allowed.
    if (!enqueuedMessages) return [];
    after = enqueuedMessages.next;
    await deps.publishCapacity(
      computeGatewayCapacity(enqueuedMessages.queued, { id: newId(), windows }),
    );
    return enqueuedMessages.jobs;
  };

  /** Where there are more apps than room, another one is first each time. */
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
 * How long a job must be missing before it counts as lost: it is written in PostgreSQL before it is added to Redis, and
 * whoever does both may be in between. By then two looks did not find it.
 */
export const missingForMs = 1_000;

/** Queues again what is gone from Redis, and only that; how many messages’ jobs are missing, but not for long enough yet. */
export function createRequeueLost(deps: EnqueueDueDeps) {
  /** Of each channel, when a job was missed first. */
  const missedAtMs = new Map<string, Map<string, number>>();

  return async function requeueLost(channel: string, dueForMs: number): Promise<number> {
    // Twice the window: what the gateways queued beside the relay must not hide what is lost.
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
