import type { QueuePlace } from './gather-jobs';

/** How much the relay leaves to the gateways, by its last count; made anew a few times a second. */
export type PublishedRoom = {
  /** Another one with each count. */
  id: string;
  /** Messages, where nothing else is told. */
  channelRoom: number;
  appRoom: number;
  /** What has less: channels, and in them apps. */
  channels: Record<string, { room: number; apps: Record<string, number> }>;
};

/** What one gateway may queue itself, and what it has queued since the relay counted. */
export type Room = {
  /** Undefined when the relay's count is not known: then nothing may be queued. */
  renew(known: { room: PublishedRoom; gateways: number } | undefined): void;
  /** Whether one more message may go to Redis; counts it when it may. */
  take(place: QueuePlace): boolean;
  /** What was taken is written, so that the relay's next count has it. */
  settle(places: QueuePlace[]): void;
};

/**
 * The gateways share what the relay leaves them. What one took counts against its part while it is being written, and
 * then until a count has come that must have seen it: the second one after.
 */
export function createRoom(): Room {
  let known: { room: PublishedRoom; gateways: number } | undefined;
  const beingWritten = createTally();
  let written = createTally();
  let writtenBefore = createTally();

  function usedBy(key: string): number {
    return beingWritten.of(key) + written.of(key) + writtenBefore.of(key);
  }

  return {
    renew(next) {
      const isNewCount = next !== undefined && next.room.id !== known?.room.id;
      known = next;
      if (!isNewCount) return;
      writtenBefore = written;
      written = createTally();
    },
    take({ channel, appId }) {
      if (!known) return false;
      const { room, gateways } = known;
      const ofChannel = room.channels[channel];
      const channelPart = Math.floor((ofChannel?.room ?? room.channelRoom) / gateways);
      const appPart = Math.floor((ofChannel?.apps[appId] ?? room.appRoom) / gateways);
      const appKey = `${channel} ${appId}`;
      if (usedBy(channel) >= channelPart || usedBy(appKey) >= appPart) return false;
      beingWritten.add([channel, appKey], 1);
      return true;
    },
    settle(places) {
      for (const { channel, appId } of places) {
        const keys = [channel, `${channel} ${appId}`];
        beingWritten.add(keys, -1);
        written.add(keys, 1);
      }
    },
  };
}

function createTally() {
  const counts = new Map<string, number>();
  return {
    of: (key: string) => counts.get(key) ?? 0,
    add(keys: string[], change: number): void {
      for (const key of keys) {
        const count = (counts.get(key) ?? 0) + change;
        if (count === 0) counts.delete(key);
        else counts.set(key, count);
      }
    },
  };
}
