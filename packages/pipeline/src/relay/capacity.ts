import type { QueuePlace } from '../accept/gather-jobs';

/** How much the relay leaves to the gateways, by its last count; made anew a few times a second. */
export type PublishedCapacity = {
  /** Another one with each count. */
  id: string;
  /** Messages, where nothing else is told. */
  channelCapacity: number;
  appCapacity: number;
  /** What has less: channels, and in them apps. */
  channels: Record<string, { capacity: number; apps: Record<string, number> }>;
};

/** What one gateway may queue itself, and what it has queued since the relay counted. */
export type Capacity = {
  /** Undefined when the relay's count is not known: then nothing may be queued. */
  renew(latest: { capacity: PublishedCapacity; gateways: number } | undefined): void;
  /** Whether one more message may go to Redis; counts it when it may. */
  take(place: QueuePlace): boolean;
  /** What was taken is written, so that the relay's next count has it. */
  settle(places: QueuePlace[]): void;
};

/**
 * The gateways share what the relay leaves them. What one took counts against its part while it is being written, and
 * then until a count has come that must have seen it: the second one after.
 */
export function createCapacity(): Capacity {
  let current: { capacity: PublishedCapacity; gateways: number } | undefined;
  const pendingTally = createTally();
  let writtenTally = createTally();
  let previousTally = createTally();

  function countUsed(key: string): number {
    return pendingTally.get(key) + writtenTally.get(key) + previousTally.get(key);
  }

  return {
    renew(next) {
      const isNewCount = next !== undefined && next.capacity.id !== current?.capacity.id;
      current = next;
      if (!isNewCount) return;
      previousTally = writtenTally;
      writtenTally = createTally();
    },
    take({ channel, appId }) {
      if (!current) return false;
      const { capacity, gateways } = current;
      const channelLimits = capacity.channels[channel];
      const channelShare = Math.floor(
        (channelLimits?.capacity ?? capacity.channelCapacity) / gateways,
      );
      const appShare = Math.floor((channelLimits?.apps[appId] ?? capacity.appCapacity) / gateways);
      const appKey = `${channel} ${appId}`;
      if (countUsed(channel) >= channelShare || countUsed(appKey) >= appShare) return false;
      pendingTally.add([channel, appKey], 1);
      return true;
    },
    settle(places) {
      for (const { channel, appId } of places) {
        const keys = [channel, `${channel} ${appId}`];
        pendingTally.add(keys, -1);
        writtenTally.add(keys, 1);
      }
    },
  };
}

function createTally() {
  const counts = new Map<string, number>();
  return {
    get: (key: string) => counts.get(key) ?? 0,
    add(keys: string[], change: number): void {
      for (const key of keys) {
        const count = (counts.get(key) ?? 0) + change;
        if (count === 0) counts.delete(key);
        else counts.set(key, count);
      }
    },
  };
}
