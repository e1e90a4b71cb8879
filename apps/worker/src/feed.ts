import type { NewDeliverJob, PublishedRoom } from '@belfry/accepting';
import type {
  DoubtedMessage,
  DoubtOptions,
  Fed,
  FeedDecisions,
  JobAssignment,
  Queued,
  WaitingGroup,
  WaitingMessage,
} from '@belfry/database';
import type { Logger } from '@belfry/runtime';
import { gatherLanes } from './gather-lanes';
import { roomForGateways, shareWindow, type Windows } from './share-window';

export type FeedDeps = {
  /** Takes what waits and writes its jobs; undefined while another relay does. */
  feedWaiting(decisions: FeedDecisions<NewDeliverJob>): Promise<Fed<NewDeliverJob> | undefined>;
  countQueued(): Promise<Queued[]>;
  publishRoom(room: PublishedRoom): Promise<void>;
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
export function createFeed(deps: FeedDeps) {
  const { newId, windows } = deps;
  let after: WaitingGroup | undefined;

  return async function feed(): Promise<NewDeliverJob[]> {
    const fed = await deps.feedWaiting({
      after,
      share: (groups, queued) => shareWindow(rotated(groups), { queued, windows }),
      gather: (messages) => gatherByChannel(messages, newId),
    });
    after = fed?.next;
    const queued = fed?.queued ?? (await deps.countQueued());
    await deps.publishRoom(roomForGateways(queued, { id: newId(), windows }));
    return fed?.jobs ?? [];
  };

  /** Where there are more apps than room, another one is first each time. */
  function rotated(groups: WaitingGroup[]): WaitingGroup[] {
    const first = Math.floor(Math.random() * groups.length);
    return [...groups.slice(first), ...groups.slice(0, first)];
  }
}

function gatherByChannel(messages: WaitingMessage[], newId: () => string): NewDeliverJob[] {
  const channels = [...new Set(messages.map(({ channel }) => channel))];
  return channels.flatMap((channel) =>
    gatherLanes(
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
export function createFeedLost(deps: FeedDeps) {
  /** Of each channel, when a job was missed first. */
  const missedAtMs = new Map<string, Map<string, number>>();

  return async function feedLost(channel: string, dueForMs: number): Promise<number> {
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
      await queueAgain(deps, channel, lost);
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

async function queueAgain(
  { replaceJobs, queues, newId }: FeedDeps,
  channel: string,
  lost: DoubtedMessage[],
): Promise<void> {
  const jobs = gatherLanes(lost, { channel, newId });
  const previous = new Map(lost.map(({ id, jobId }) => [id, jobId]));
  const written = await replaceJobs(
    jobs.flatMap(({ jobId, ids }) =>
      ids.flatMap((id) => {
        const previousJobId = previous.get(id);
        return previousJobId === undefined ? [] : [{ id, jobId, previousJobId }];
      }),
    ),
  );
  const toAdd = jobs
    .map((job) => ({ ...job, ids: job.ids.filter((id) => written.has(id)) }))
    .filter(({ ids }) => ids.length > 0);
  if (toAdd.length > 0) await queues.addDeliverJobs(toAdd);
}
