import type { PublishedRoom } from '@belfry/accepting';
import type { Queued, Share, WaitingGroup } from '@belfry/database';

/** Messages in Redis, at most. */
export type Windows = { channel: number; app: number };

/**
 * How many messages of each waiting group go to the queues now. Half of each window is left to the gateways, which
 * queue what they accept without asking; the relay's half is shared evenly, in the order of the groups.
 */
export function shareWindow(
  groups: WaitingGroup[],
  { queued, windows }: { queued: Queued[]; windows: Windows },
): Share[] {
  const channels = [...new Set(groups.map(({ channel }) => channel))];
  return channels.flatMap((channel) => {
    const ofChannel = queued.filter((each) => each.channel === channel);
    const used = countByApp(ofChannel);
    const open = groups
      .filter((group) => group.channel === channel)
      .map((group) => ({ group, room: half(windows.app) - (used.get(group.appId) ?? 0) }))
      .filter(({ room }) => room > 0);
    return shareEvenly(open, half(windows.channel) - sum(ofChannel));
  });
}

type OpenGroup = { group: WaitingGroup; room: number };

function shareEvenly(open: OpenGroup[], channelRoom: number): Share[] {
  const each = Math.max(1, Math.floor(channelRoom / open.length));
  let left = channelRoom;
  return open.flatMap(({ group, room }) => {
    const messages = Math.max(0, Math.min(each, room, left));
    left -= messages;
    return messages > 0 ? [{ ...group, messages }] : [];
  });
}

/** What the gateways may queue themselves, so that the windows hold: what is free, and never more than their half. */
export function roomForGateways(
  queued: Queued[],
  { id, windows }: { id: string; windows: Windows },
): PublishedRoom {
  const channelRoom = half(windows.channel);
  const appRoom = half(windows.app);
  const roomOf = (used: number, window: number) =>
    Math.max(0, Math.min(half(window), window - used));
  const channels: PublishedRoom['channels'] = {};
  for (const channel of new Set(queued.map((each) => each.channel))) {
    const ofChannel = queued.filter((each) => each.channel === channel);
    const apps = [...countByApp(ofChannel)]
      .map(([appId, used]) => [appId, roomOf(used, windows.app)] as const)
      .filter(([, room]) => room < appRoom);
    const room = roomOf(sum(ofChannel), windows.channel);
    if (apps.length > 0 || room < channelRoom) {
      channels[channel] = { room, apps: Object.fromEntries(apps) };
    }
  }
  return { id, channelRoom, appRoom, channels };
}

function half(window: number): number {
  return Math.floor(window / 2);
}

function sum(queued: Queued[]): number {
  return queued.reduce((total, { messages }) => total + messages, 0);
}

function countByApp(queued: Queued[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { appId, messages } of queued) {
    counts.set(appId, (counts.get(appId) ?? 0) + messages);
  }
  return counts;
}
