import { getFairnessKey, maxMessagesPerJob } from '@belfry/shared';
import type { NewDeliverJob } from '../relay/queues';
import type { NewMessage } from './write.sql';

export type MessageToGather = { appId: string; message: NewMessage };

/**
 * Groups messages that are due now and fit the capacity into jobs: up to 20 of one channel and fairness key. Sets each
 * message's `jobId`. The relay enqueues the remaining messages when they are due or capacity is free.
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

/** The channel and app whose capacity a message uses. */
export type QueuePlace = { channel: string; appId: string };
