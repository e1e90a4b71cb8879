import {
  addHashTag,
  createLoop,
  type Logger,
  type Loop,
  type RedisConnection,
} from '@belfry/runtime';

/** How many messages the relay lets the gateways queue. It counts and publishes this several times a second. */
export type PublishedCapacity = {
  /** Changes with each count. */
  id: string;
  /** Messages, unless `channels` says less. */
  channelCapacity: number;
  appCapacity: number;
  /** Channels with less capacity, and their apps. */
  channels: Record<string, { capacity: number; apps: Record<string, number> }>;
};

/** The channel and app whose capacity a message uses. */
export type QueuePlace = { channel: string; appId: string };

/** Tracks how many messages this gateway may queue and has queued since the relay's last count. */
export type Capacity = {
  /** Sets the latest count. Undefined means that there is none, and then nothing may be queued. */
  renew(latest: { capacity: PublishedCapacity; gateways: number } | undefined): void;
  /** Whether one more message may go to Redis. If so, counts it. */
  take(place: QueuePlace): boolean;
  /** Marks taken messages as written, so that the relay's next count includes them. */
  settle(places: QueuePlace[]): void;
};

/**
 * Gateways share the published capacity equally. A message counts against this gateway's share while it is being written,
 * and then until a count must include it. That is the second count after the write.
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

export type PublishedCapacityDeps = { redis: RedisConnection; prefix: string };

/** Publishes the relay's count in Redis; it expires unless a relay renews it. */
export function createPublishCapacity({ redis, prefix }: PublishedCapacityDeps, livesMs: number) {
  return async function publishCapacity(capacity: PublishedCapacity): Promise<void> {
    await redis.set(capacityKey(prefix), JSON.stringify(capacity), 'PX', livesMs);
  };
}

export type CapacityReaderDeps = PublishedCapacityDeps & {
  capacity: Pick<Capacity, 'renew'>;
  /** The id of this gateway. */
  id: string;
  log: Logger;
};

export type CapacityReader = Loop & {
  /** Call it for each message: at rest the reader reads only twice a second. */
  noticeUse(): void;
};

const readEveryMs = 50;
/** Without messages, a gateway must not wake 20 times a second. It is far within `gatewayLivesMs`. */
const restEveryMs = 500;
/** How long the reader stays at its short interval after the last message. */
const busyMs = 5_000;
/** A gateway that did not report for this long gets no share. */
const gatewayLivesMs = 2_000;

// In one step, by Redis's clock: report this gateway, count the gateways, and read the published capacity.
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[2], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return { redis.call('GET', KEYS[1]) or '', redis.call('ZCARD', KEYS[2]) }`;

/** Reads the published capacity every 50 ms while messages arrive. If reading fails, the capacity is zero. */
export function createCapacityReader({
  redis,
  prefix,
  capacity,
  id,
  log,
}: CapacityReaderDeps): CapacityReader {
  let busyUntilMs = performance.now() + busyMs;

  async function read(): Promise<void> {
    try {
      const keys = [capacityKey(prefix), `${addHashTag(prefix, 'relay')}:gateways`];
      capacity.renew(parse(await redis.eval(script, keys.length, ...keys, id, gatewayLivesMs)));
    } catch (error) {
      capacity.renew(undefined);
      log.debug('capacity.not_read', { error });
    }
  }

  const isBusy = () => performance.now() < busyUntilMs;
  const loop = createLoop(read, () => (isBusy() ? readEveryMs : restEveryMs));
  return {
    ...loop,
    noticeUse() {
      const wasBusy = isBusy();
      busyUntilMs = performance.now() + busyMs;
      if (!wasBusy) loop.wake();
    },
  };
}

function parse(answer: unknown): { capacity: PublishedCapacity; gateways: number } | undefined {
  // The script returns a string and a number.
  const [text, gateways] = answer as [string, number];
  if (text === '') return undefined;
  // Written by createPublishCapacity.
  return { capacity: JSON.parse(text) as PublishedCapacity, gateways: Math.max(1, gateways) };
}

function capacityKey(prefix: string): string {
  return `${addHashTag(prefix, 'relay')}:relay:capacity`;
}
