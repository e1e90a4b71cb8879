import { getFairnessKey, maxMessagesPerJob } from '@belfry/shared';
import type { NewDeliverJob } from '../relay/queues';
import type { NewMessage } from './write-requests';

export type MessageToGather = { appId: string; message: NewMessage };

/**
 * Jobs for messages that are due at once and may go to Redis now, up to 20 of one channel and lane together; each
 * message's `jobId` is set. The others get their job from the relay, when their time comes or there is room.
 */
export function gatherJobs(
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
    const job = open.get(key) ?? { jobId: newId(), channel, lane: fairnessKey, ids: [] };
    if (job.ids.length === 0) jobs.push(job);
    job.ids.push(id);
    message.jobId = job.jobId;
    if (job.ids.length < maxMessagesPerJob) open.set(key, job);
    else open.delete(key);
  }
  return jobs;
}

/** Whose messages take room in Redis. */
export type QueuePlace = { channel: string; appId: string };
