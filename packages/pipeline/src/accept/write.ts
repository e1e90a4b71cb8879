import { isAnsweredError, type Queryable } from '@belfry/database';
import { type Batcher, createBatcher, type Logger } from '@belfry/runtime';
import { getFairnessKey, maxMessagesPerJob } from '@belfry/shared';
import type { Capacity, QueuePlace } from '../relay/capacity';
import type { NewDeliverJob, Queues } from '../relay/queues';
import { findStoredKeys } from './idempotency.sql';
import type { NewMessage } from './item-plan';
import { type KeyOfAccount, toKeyName } from './stored-key';
import {
  type NewRequest,
  type RequestWithKey,
  type WriteResult,
  writeStatement,
} from './write.sql';

export type WriteBatcherDeps = {
  /** See writeRequests below. */
  writeRequests(calls: NewRequest[]): Promise<WriteResult[]>;
  queues: Pick<Queues, 'addDeliverJobs' | 'addFanOutJobs' | 'wakeRelay'>;
  /** How many messages this gateway may queue; the relay queues the rest. */
  capacity: Pick<Capacity, 'take' | 'settle'>;
  newId: () => string;
  log: Logger;
};

const maxCallsPerFlush = 256;
const maxCallsWaiting = 5_000;

/**
 * Writes requests that arrive together in one statement. Capacity and job IDs are taken before the INSERT. After the
 * statement the jobs are added to Redis without waiting for it, then the results return. The relay enqueues what is missed
 * here.
 */
export function createWriteBatcher(deps: WriteBatcherDeps): Batcher<NewRequest, WriteResult> {
  const { queues, capacity, newId, log } = deps;

  async function flush(calls: NewRequest[]): Promise<WriteResult[]> {
    queues.wakeRelay();
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
      return await deps.writeRequests(calls);
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
    rests: true,
    maxWaiting: maxCallsWaiting,
    getKey: ({ key, request }) =>
      key && toKeyName({ accountId: request.accountId, hash: key.hash }),
  });
}

type MessageToGather = { appId: string; message: NewMessage };

/**
 * Groups messages that are due now and fit the capacity into jobs: up to 20 of one channel and fairness key. Sets each
 * message's `jobId`. The relay enqueues the remaining messages when they are due or capacity is free.
 */
function gatherJobs(
  messages: MessageToGather[],
  { newId, mayQueue }: { newId: () => string; mayQueue(place: QueuePlace): boolean },
): NewDeliverJob[] {
  const open = new Map<string, NewDeliverJob>();
  const jobs: NewDeliverJob[] = [];
  for (const { appId, message } of messages) {
    const { id, channel, integrationId } = message;
    if (message.dueAt || !mayQueue({ channel, appId })) continue;
    const fairnessKey = getFairnessKey({ integrationId, appId });
    const key = `${channel} ${fairnessKey}`;
    const job = open.get(key) ?? { jobId: newId(), channel, fairnessKey, ids: [] };
    if (job.ids.length === 0) jobs.push(job);
    job.ids.push(id);
    message.jobId = job.jobId;
    if (job.ids.length < maxMessagesPerJob) open.set(key, job);
    else open.delete(key);
  }
  return jobs;
}

/**
 * Writes requests in one statement: key, request, items and messages together, or nothing if the key was used before.
 * Returns one result for each request, in order. Each key may occur once in `calls`.
 */
export async function writeRequests(pool: Queryable, calls: NewRequest[]): Promise<WriteResult[]> {
  // Sort by key, so that all gateways lock in the same order and two flushes cannot deadlock.
  const callsWithKey = calls.filter(hasKey).sort(byAccountAndKey);
  const { rows } = await pool.query<{ request_id: string }>(writeStatement(calls, callsWithKey));
  if (rows.length === 0) return calls.map(() => ({ isWritten: true }));
  const lost = new Set(rows.map((row) => row.request_id));
  const losers = callsWithKey.filter((call) => lost.has(call.request.id));
  const readWinner = await readWinners(pool, losers);
  return calls.map((call) =>
    hasKey(call) && lost.has(call.request.id) ? readWinner(call) : { isWritten: true },
  );
}

/** The other requests of the flush are committed, so an error here concerns only the losers. */
async function readWinners(
  pool: Queryable,
  losers: RequestWithKey[],
): Promise<(call: RequestWithKey) => WriteResult> {
  try {
    const winners = await findStoredKeys(pool, losers.map(toKeyOfAccount));
    return (call) => {
      const winner = winners.get(toKeyName(toKeyOfAccount(call)));
      return winner
        ? { isWritten: false, winner }
        : {
            error: new Error(
              'The idempotency key was inserted by another request and then removed',
            ),
          };
    };
  } catch (error) {
    return () => ({ error });
  }
}

function hasKey(call: NewRequest): call is RequestWithKey {
  return call.key !== undefined;
}

function toKeyOfAccount(call: RequestWithKey): KeyOfAccount {
  return { accountId: call.request.accountId, hash: call.key.hash };
}

function byAccountAndKey(a: RequestWithKey, b: RequestWithKey): number {
  if (a.request.accountId !== b.request.accountId) {
    return a.request.accountId < b.request.accountId ? -1 : 1;
  }
  return Buffer.compare(a.key.hash, b.key.hash);
}
