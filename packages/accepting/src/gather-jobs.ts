import type { NewMessage } from '@belfry/database';
import { maxMessagesPerJob } from '@belfry/shared';
import type { NewDeliverJob } from './enqueue';

/**
 * Jobs for messages that are due at once, up to 20 of one channel together; each message's `jobId` is
 * set. What is due later gets its job from the relay, when its time comes.
 */
export function gatherJobs(messages: NewMessage[], newId: () => string): NewDeliverJob[] {
  const open = new Map<string, NewDeliverJob>();
  const jobs: NewDeliverJob[] = [];
  for (const message of messages) {
    if (message.dueAt) continue;
    const job = open.get(message.channel) ?? { jobId: newId(), channel: message.channel, ids: [] };
    if (job.ids.length === 0) jobs.push(job);
    job.ids.push(message.id);
    message.jobId = job.jobId;
    if (job.ids.length < maxMessagesPerJob) open.set(message.channel, job);
    else open.delete(message.channel);
  }
  return jobs;
}
