import { computePercentileMs, countTimes } from './latency-buckets';

describe('the percentile of a histogram', () => {
  test('is in the bucket that has its rank', () => {
    // 90 times up to 8 ms and 10 up to 1,024 ms.
    const histogram = new Map([
      [20, 10],
      [6, 90],
    ]);
    expect(countTimes(histogram)).toBe(100);
    expect(computePercentileMs(histogram, 0.9)).toBe(8);
    expect(computePercentileMs(histogram, 1)).toBe(1_024);
    expect(computePercentileMs(histogram, 0.95)).toBeCloseTo(2 ** 9.75);
  });

  test('of times below 1 ms is 1 ms, and of no times is undefined', () => {
    expect(computePercentileMs(new Map([[0, 3]]), 0.5)).toBe(1);
    expect(computePercentileMs(new Map(), 0.5)).toBeUndefined();
  });
});
