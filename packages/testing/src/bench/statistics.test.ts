import { computeQuantile, computeRatio, computeSpread, round } from './statistics';

describe('statistics of rounds', () => {
  test('a spread has the median, the extremes and the number of rounds', () => {
    expect(computeSpread([5, 1, 3])).toEqual({ median: 3, least: 1, most: 5, rounds: 3 });
  });

  test('a quantile is interpolated between its neighbours', () => {
    expect(computeQuantile([1, 2, 3, 4], 0.5)).toBe(2.5);
    expect(computeQuantile([1, 2, 3, 4], 0.99)).toBeCloseTo(3.97);
    expect(computeQuantile([], 0.5)).toBeNaN();
  });

  test('a ratio is calculated per round, so a slow round affects both parts', () => {
    expect(computeRatio([200, 20, 200], [100, 10, 100])).toBe(2);
  });

  test('a figure keeps four significant digits', () => {
    expect([round(12_345.6), round(0.123456)]).toEqual([12_350, 0.1235]);
  });
});
