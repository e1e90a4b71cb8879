import type { PublishedCapacity } from './capacity';
import type { QueuedCount, Share, WaitingGroup } from './enqueue-due.sql';

/** Maximum messages in Redis. */
export type Windows = { channel: number; app: number };

/**
 * Computes how many messages of each waiting group to enqueue now. Half of each window is left to the gateways, which
 * queue the messages they accept. The relay shares its half evenly, in the order of the groups.
 */
export function shareWindow(
  groups: WaitingGroup[],
  { queued, windows }: { queued: QueuedCount[]; windows: Windows },
): Share[] {
  const channels = [...new Set(groups.map(({ channel }) => channel))];
  return channels.flatMap((channel) => {
    const channelQueued = queued.filter((each) => each.channel === channel);
    const used = countByApp(channelQueued);
    const open = groups
      .filter((group) => group.channel === channel)
      .map((group) => ({ group, capacity: half(windows.app) - (used.get(group.appId) ?? 0) }))
      .filter(({ capacity }) => capacity > 0);
    return shareEvenly(open, half(windows.channel) - sum(channelQueued));
  });
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

/** Computes how many messages the gateways may queue: the free part of each window, and at most half of it. */
export function computeGatewayCapacity(
  queued: QueuedCount[],
  { id, windows }: { id: string; windows: Windows },
): PublishedCapacity {
  const channelCapacity = half(windows.channel);
  const appCapacity = half(windows.app);
  const computeCapacity = (used: number, window: number) =>
    Math.max(0, Math.min(half(window), window - used));
  const channels: PublishedCapacity['channels'] = {};
  for (const channel of new Set(queued.map((each) => each.channel))) {
    const channelQueued = queued.filter((each) => each.channel === channel);
    const apps = [...countByApp(channelQueued)]
      .map(([appId, used]) => [appId, computeCapacity(used, windows.app)] as const)
      .filter(([, capacity]) => capacity < appCapacity);
    const capacity = computeCapacity(sum(channelQueued), windows.channel);
    if (apps.length > 0 || capacity < channelCapacity) {
      channels[channel] = { capacity, apps: Object.fromEntries(apps) };
    }
  }
  return { id, channelCapacity, appCapacity, channels };
}

function half(window: number): number {
  return Math.floor(window / 2);
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
