import {
  createLogger,
  createRedis,
  newId,
  type RedisConnection,
  waitForRedis,
} from '@belfry/runtime';
import { eventually, testRedis } from '@belfry/testing';
import { type CapacityReader, createCapacityReader, createPublishCapacity } from './capacity';

const log = createLogger({ level: 'error', process: 'test' });
let redis: RedisConnection;
const readers: CapacityReader[] = [];

beforeAll(async () => {
  redis = createRedis({ url: testRedis().url, log });
  await waitForRedis(redis, 5_000);
});

afterEach(() => Promise.all(readers.splice(0).map((reader) => reader.close())));

afterAll(() => redis.disconnect());

/** Starts the reader of one more gateway, and keeps the number of gateways that it read last. */
function startReader(prefix: string): { gateways: number | undefined } {
  const last: { gateways: number | undefined } = { gateways: undefined };
  const capacity = {
    renew(read: { gateways: number } | undefined) {
      last.gateways = read?.gateways;
    },
  };
  const reader = createCapacityReader({ redis, prefix, capacity, id: newId(), log });
  readers.push(reader);
  reader.start();
  return last;
}

test('a gateway reads the published capacity and shares it with each gateway that reads, and with no other', async () => {
  const prefix = `${testRedis().prefix}-${newId()}`;
  const first = startReader(prefix);
  const publish = createPublishCapacity({ redis, prefix }, 30_000);
  await publish({ id: '1', channelCapacity: 100, appCapacity: 10, channels: {} });
  await eventually(() => expect(first).toEqual({ gateways: 1 }));
  const second = startReader(prefix);
  await eventually(() => expect([first, second]).toEqual([{ gateways: 2 }, { gateways: 2 }]));
});
