import type { Logger } from '@belfry/runtime';
import type { Redis } from 'ioredis';
import type { Capacity, PublishedCapacity } from './capacity';

export type PublishedCapacityDeps = { redis: Redis; prefix: string };

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

export type CapacityReader = { start(): void; close(): Promise<void> };

const readEveryMs = 50;
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

/** Reads the published capacity every 50 ms. If reading fails, the capacity is zero. */
export function createCapacityReader({
  redis,
  prefix,
  capacity,
  id,
  log,
}: CapacityReaderDeps): CapacityReader {
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  async function read(): Promise<void> {
    try {
      const keys = [capacityKey(prefix), `${prefix}:gateways`];
      capacity.renew(parse(await redis.eval(script, keys.length, ...keys, id, gatewayLivesMs)));
    } catch (error) {
      capacity.renew(undefined);
      log.debug('room.not_read', { error });
    }
  }

  function schedule(): void {
    if (isClosed) return;
    timer = setTimeout(() => {
      running = read().finally(schedule);
    }, readEveryMs);
  }

  return {
    start: schedule,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await running;
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
  return `${prefix}:relay:capacity`;
}
