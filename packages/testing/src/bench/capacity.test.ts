import { type Costs, computeCapacity } from './capacity';

const costs: Costs = {
  gatewayCpuUs: 600,
  workerCpuUs: 600,
  postgresCpuUs: 600,
  redisCpuUs: 60,
  walBytes: 6_000,
  tableBytes: 1_000,
  indexBytes: 2_000,
  keyBytes: 600,
  redisKeptBytes: 100,
  redisPerWaitingMessage: 90,
};
/** One message per second on average. */
const day = 86_400;
const compute = (messagesPerDay: number, peakFactor = 1, retentionDays = 2) =>
  computeCapacity(costs, { messagesPerDay, peakFactor, retentionDays });

describe('computeCapacity', () => {
  test('keeps two of each process and two cores for a small load', () => {
    expect(compute(1)).toMatchObject({
      installations: 1,
      gateways: 2,
      workers: { deliver: 2, relay: 2, fanout: 2, webhooks: 2 },
      machines: 2,
      postgresCores: 2,
    });
  });

  test('rounds up to the next process, core and machine at 60 % use', () => {
    expect(compute(3_000 * day)).toMatchObject({ gateways: 3, postgresCores: 3, machines: 2 });
    expect(compute(3_001 * day)).toMatchObject({ gateways: 4, postgresCores: 4, machines: 2 });
    expect(compute(4_001 * day)).toMatchObject({ machines: 3 });
  });

  test('sizes processes for the peak, and storage for the day', () => {
    const peak = compute(1_000 * day, 5);
    expect(peak.gateways).toBe(5);
    expect(peak.peakPerSecond).toBe(5_000);
    expect(peak.diskBytes).toBe(compute(1_000 * day).diskBytes);
    expect(peak.walBytesPerDay).toBe(1_000 * day * 6_000);
  });

  test('counts the slots of a slow provider', () => {
    // 3,000/s for 0.2 s each is 600 in flight; a worker gives one integration 100, of which 60 are planned.
    expect(compute(3_000 * day).workers.deliver).toBe(10);
  });

  test('keeps messages for the retention, and idempotency keys for a day', () => {
    expect(compute(1_000_000, 1, 30).diskBytes).toBeCloseTo((1_000_000 * 90_600) / 0.6);
    expect(compute(1_000_000, 1, 2).diskBytes).toBeCloseTo((1_000_000 * 6_600) / 0.6);
  });

  test('names how many messages one primary carries, and what limits it', () => {
    const { primary, installations } = compute(1_000_000, 1, 30);
    expect(primary).toEqual({ mostPerDay: 26_490_066, limit: 'disk' });
    expect(installations).toBe(1);
    expect(compute(primary.mostPerDay, 1, 30).installations).toBe(1);
    expect(compute(primary.mostPerDay + 1, 1, 30).installations).toBe(2);
    expect(compute(1_000_000, 20, 2).primary.limit).toBe('the one thread of Redis');
  });

  test('splits what one primary does not carry into equal installations, and sizes one of them', () => {
    const split = compute(60_000_000, 1, 30);
    const { installations: _, ...one } = compute(20_000_000, 1, 30);
    expect(split).toMatchObject({ installations: 3, ...one });
  });
});
