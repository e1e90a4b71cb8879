import type { PublishedCapacity } from './capacity';
import type { QueuedCount, Share, WaitingGroup } from './enqueue-due.sql';

/** Maximum messages in Redis. */
export type Windows = { channel: number; app: number };

/**
 * Computes how many messages of each waiting group to enqueue now. All groups have the same class. A run enqueues at most a
 * third of a window, with what it took of the other class (`taken`, which `queued` includes). Bulk never fills more than that:
 * a single send waits behind no more. The groups share a channel evenly, in their order.
 */
export function shareWindow(
  groups: WaitingGroup[],
  { queued, taken, windows }: { queued: QueuedCount[]; taken: QueuedCount[]; windows: Windows },
): Share[] {
  const channels = [...new Set(groups.map(({ channel }) => channel))];
  return channels.flatMap((channel) => {
    const used = queued.filter((each) => each.channel === channel);
    const usedByBulk = used.filter((each) => each.isBulk);
    const takenNow = taken.filter((each) => each.channel === channel);
    const [byApp, bulkByApp, takenByApp] = [used, usedByBulk, takenNow].map(countByApp);
    const channelGroups = groups.filter((group) => group.channel === channel);
    const getUse = ({ appId, isBulk }: WaitingGroup) => ({
      all: byApp?.get(appId) ?? 0,
      bulk: isBulk ? (bulkByApp?.get(appId) ?? 0) : 0,
      taken: takenByApp?.get(appId) ?? 0,
    });
    const open = channelGroups
      .map((group) => ({ group, capacity: computeRelayCapacity(getUse(group), windows.app) }))
      .filter(({ capacity }) => capacity > 0);
    const isBulk = channelGroups.some((group) => group.isBulk);
    const use = { all: sum(used), bulk: isBulk ? sum(usedByBulk) : 0, taken: sum(takenNow) };
    return shareEvenly(open, computeRelayCapacity(use, windows.channel));
  });
}

/** Queued messages. `bulk`: those that count against the third for bulk; `taken`: those of this run. */
type Use = { all: number; bulk: number; taken: number };

function computeRelayCapacity({ all, bulk, taken }: Use, window: number): number {
  return Math.min(third(window) - Math.max(bulk, taken), window - all);
}

type OpenGroup = { group: WaitingGroup; capacity: number };

function shareEvenly(open: OpenGroup[], channelCapacity: number): Share[] {
  const each = Math.max(1, Math.floor(channelCapacity / open.length));
  let remaining = channelCapacity;
  return open.flatMap(({ group, capacity }) => {
    const messages = Math.max(0, Math.min(each, capacity, remaining));
    remaining -= messages;
    return messages > 0 ? [{ ...group, messages }] : [];
  });
}

/**
 * Computes how many messages the gateways may queue, from the counts after the relay's run: what two thirds of each window
 * leave free. So the relay's next run always fits into the window, whatever the gateways do meanwhile.
 */
export function computeGatewayCapacity(
  queued: QueuedCount[],
  { id, windows }: { id: string; windows: Windows },
): PublishedCapacity {
  const computeCapacity = (used: number, window: number) =>
    Math.max(0, window - third(window) - used);
  const channels: PublishedCapacity['channels'] = {};
  for (const channel of new Set(queued.map((each) => each.channel))) {
    const used = queued.filter((each) => each.channel === channel);
    const apps = [...countByApp(used)].map(
      ([appId, messages]) => [appId, computeCapacity(messages, windows.app)] as const,
    );
    channels[channel] = {
      capacity: computeCapacity(sum(used), windows.channel),
      apps: Object.fromEntries(apps),
    };
  }
  return {
    id,
    channelCapacity: computeCapacity(0, windows.channel),
    appCapacity: computeCapacity(0, windows.app),
    channels,
  };
}

function third(window: number): number {
  return Math.floor(window / 3);
}

function sum(queued: QueuedCount[]): number {
  return queued.reduce((total, { messages }) => total + messages, 0);
}

function countByApp(queued: QueuedCount[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { appId, messages } of queued) {
    counts.set(appId, (counts.get(appId) ?? 0) + messages);
  }
  return counts;
}
