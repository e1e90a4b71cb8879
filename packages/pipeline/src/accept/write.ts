import { isAnsweredError } from '@belfry/database';
import { type Batcher, createBatcher, type Logger } from '@belfry/runtime';
import type { Capacity } from '../relay/capacity';
import type { Queues } from '../relay/queues';
import { gatherJobs, type QueuePlace } from './gather-jobs';
import type { NewRequest } from './write.sql';
import { type RequestWriteResult, toKeyName } from './write-requests';

export type WriteResult = RequestWriteResult;

export type WriteBatcherDeps = {
  /** See writeRequests in write-requests.ts. */
  writeRequests(calls: NewRequest[]): Promise<RequestWriteResult[]>;
  queues: Pick<Queues, 'addDeliverJobs' | 'addFanOutJobs'>;
  /** How many messages this gateway may queue; the relay queues the rest. */
  capacity: Pick<Capacity, 'take' | 'settle'>;
  newId: () => string;
  log: Logger;
};

const maxCallsPerFlush = 256;
const maxCallsWaiting = 5_000;

/**
 * Writes requests that arrive together in one statement. After their responses it queues their messages; the relay
 * finds what is not queued here.
 */
export function createWriteBatcher(deps: WriteBatcherDeps): Batcher<NewRequest, WriteResult> {
  const { writeRequests, queues, capacity, newId, log } = deps;

  async function flush(calls: NewRequest[]): Promise<WriteResult[]> {
    const messages = calls.flatMap((call) =>
      call.items
        .flatMap((item) => item.plan?.messages ?? [])
        .map((message) => ({ appId: call.request.appId, message })),
    );
    const takenPlaces: QueuePlace[] = [];
    const jobs = gatherJobs(messages, {
      newId,
      mayQueue(place) {
        const isTaken = capacity.take(place);
        if (isTaken) takenPlaces.push(place);
        return isTaken;
      },
    });
    const results = await write(calls);
    capacity.settle(takenPlaces);
    const unplanned = calls
      .filter((call) => call.items.some((item) => !item.plan))
      .map((call) => ({ requestId: call.request.id }));
    enqueue(Promise.all([queues.addDeliverJobs(jobs), queues.addFanOutJobs(unplanned)]));
    return results;
  }

  async function write(calls: NewRequest[]): Promise<WriteResult[]> {
    try {
      return await writeRequests(calls);
    } catch (error) {
      // One bad row must not fail the other requests. After a lost connection it is unknown whether they committed, so do not retry.
      if (calls.length === 1 || !isAnsweredError(error)) return calls.map(() => ({ error }));
      const results = await Promise.all(calls.map((call) => write([call])));
      return results.flat();
    }
  }

  function enqueue(added: Promise<unknown>): void {
    added.catch((error: unknown) => log.debug('queue.missed', { error }));
  }

  return createBatcher({
    flush,
    maxBatch: maxCallsPerFlush,
    maxWaiting: maxCallsWaiting,
    getKey: ({ key, request }) =>
      key && toKeyName({ accountId: request.accountId, hash: key.hash }),
  });
}
