import { getFairnessKey, maxMessagesPerJob } from '@belfry/shared';
import type { NewDeliverJob } from './queues';

export type JobMessage = {
  id: string;
  appId: string;
  isBulk: boolean;
  integrationId: string | undefined;
};

/**
 * Groups messages into jobs of up to 20, each with one fairness key and class. Single sends come before bulk. The jobs of
 * different apps alternate, so no app waits for all jobs of another.
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
        (job) => job.fairnessKey === fairnessKey && job.ids.length < maxMessagesPerJob,
      );
      if (open) open.ids.push(message.id);
      else jobs.push({ jobId: newId(), channel, fairnessKey, ids: [message.id] });
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
