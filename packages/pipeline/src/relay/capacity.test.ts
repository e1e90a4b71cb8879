import { createLogger, type RedisConnection } from '@belfry/runtime';
import {
  type Capacity,
  createCapacity,
  createCapacityReader,
  type PublishedCapacity,
} from './capacity';

const place = { channel: 'email', appId: 'a' };

function published(id: string, changes: Partial<PublishedCapacity> = {}): PublishedCapacity {
  return { id, channelCapacity: 100, appCapacity: 10, channels: {}, ...changes };
}

function take(capacity: Capacity, count: number, appId = 'a'): number {
  return Array.from({ length: count }, () => capacity.take({ ...place, appId })).filter(Boolean)
    .length;
}

const settle = (capacity: Capacity, count: number) =>
  capacity.settle(Array.from({ length: count }, () => place));

describe('the capacity of a gateway', () => {
  test('is zero while there is no count', () => {
    const capacity = createCapacity();
    expect(take(capacity, 1)).toBe(0);
    capacity.renew({ capacity: published('1'), gateways: 1 });
    expect(take(capacity, 1)).toBe(1);
    capacity.renew(undefined);
    expect(take(capacity, 1)).toBe(0);
  });

  test.each([
    [1, 10],
    [2, 5],
    [11, 0],
  ])('is shared equally among %i gateways', (gateways, expected) => {
    const capacity = createCapacity();
    capacity.renew({ capacity: published('1'), gateways });
    expect(take(capacity, 20)).toBe(expected);
  });

  test('is limited by app and by channel, as published', () => {
    const capacity = createCapacity();
    const channels = { email: { capacity: 15, apps: { a: 3 } } };
    capacity.renew({ capacity: published('1', { channels }), gateways: 1 });
    expect(take(capacity, 20)).toBe(3);
    expect(take(capacity, 20, 'b')).toBe(10);
    expect(take(capacity, 20, 'c')).toBe(2);
    expect(capacity.take({ channel: 'sms', appId: 'a' })).toBe(true);
  });

  test('is restored by the second count after the messages are written', () => {
    const capacity = createCapacity();
    capacity.renew({ capacity: published('1'), gateways: 1 });
    take(capacity, 10);
    capacity.renew({ capacity: published('2'), gateways: 1 });
    capacity.renew({ capacity: published('3'), gateways: 1 });
    expect(take(capacity, 1)).toBe(0);
    settle(capacity, 10);
    capacity.renew({ capacity: published('4'), gateways: 1 });
    expect(take(capacity, 1)).toBe(0);
    capacity.renew({ capacity: published('5'), gateways: 1 });
    expect(take(capacity, 20)).toBe(10);
  });

  test('is not restored by reading the same count again', () => {
    const capacity = createCapacity();
    capacity.renew({ capacity: published('1'), gateways: 1 });
    take(capacity, 10);
    settle(capacity, 10);
    for (let read = 0; read < 5; read += 1)
      capacity.renew({ capacity: published('1'), gateways: 1 });
    expect(take(capacity, 1)).toBe(0);
  });
});

describe('the reader of the capacity', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test('reads twice a second without messages, and at once with the next message', async () => {
    let reads = 0;
    const redis: Pick<RedisConnection, 'eval'> = {
      async eval() {
        reads += 1;
        return ['', 1];
      },
    };
    const reader = createCapacityReader({
      // Safe cast: the reader calls nothing else.
      redis: redis as RedisConnection,
      prefix: 'p',
      capacity: createCapacity(),
      id: 'gateway',
      log: createLogger({ level: 'error', process: 'test' }),
    });
    reader.start();
    await jest.advanceTimersByTimeAsync(10_000);
    reads = 0;
    await jest.advanceTimersByTimeAsync(10_000);
    expect(reads).toBeGreaterThanOrEqual(19);
    expect(reads).toBeLessThanOrEqual(21);
    reads = 0;
    reader.noticeUse();
    expect(reads).toBe(1);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(reads).toBeGreaterThanOrEqual(19);
    await reader.close();
  });
});
