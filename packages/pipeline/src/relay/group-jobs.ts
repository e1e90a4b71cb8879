import { getFairnessKey, maxMessagesPerJob } from '@belfry/shared';
import type { NewDeliverJob } from './queues';

export type JobMessage = {
  id: string;
  appId: string;
  isBulk: boolean;
  integrationId: string | undefined;
};

/**
 * Jobs of one lane and class each, up to 20 messages together. Single sends come before bulk, and the apps' jobs take
 * turns: none waits behind all of another's.
 */
export function groupIntoJobs(
  messages: JobMessage[],
  { channel, newId }: { channel: string; newId: () => string },
): NewDeliverJob[] {
  return [false, true].flatMap((isBulk) => {
    const byApp = new Map<string, NewDeliverJob[]>();
    for (const message of messages.filter((each) => each.isBulk === isBulk)) {
      const jobs = byApp.get(message.appId) ?? [];
      byApp.set(message.appId, jobs);
      const fairnessKey = getFairnessKey(message);
      const open = jobs.findLast(
        (job) => job.lane === fairnessKey && job.ids.length < maxMessagesPerJob,
      );
      if (open) open.ids.push(message.id);
      else jobs.push({ jobId: newId(), channel, lane: fairnessKey, ids: [message.id] });
    }
    return interleave([...byApp.values()]);
  });
}

function interleave<T>(lists: T[][]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => list.slice(index, index + 1)),
  ).flat();
}
