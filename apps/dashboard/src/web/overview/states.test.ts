import { formatRate, roundUp, stackBars, sumCounts } from './states';

const counts = { waiting: 0, sent: 2, delivered: 5, read: 0, failed: 1, skipped: 0, unknown: 0 };

describe('the charts of the overview', () => {
  test('stack the states of a step, and leave out those without messages', () => {
    expect(sumCounts(counts)).toBe(8);
    expect(stackBars(counts, 10)).toEqual([
      { name: 'delivered', from: 0, to: 0.5 },
      { name: 'sent', from: 0.5, to: 0.7 },
      { name: 'failed', from: 0.7, to: 0.8 },
    ]);
  });

  test.each([
    [0, 1],
    [1, 1],
    [3, 5],
    [5, 5],
    [51, 100],
    [120, 200],
    [1_001, 2_000],
  ])('have an axis for %s that ends at %s', (value, end) => {
    expect(roundUp(value)).toBe(end);
  });

  test.each([
    [null, 'none'],
    [0, '0 %'],
    [0.0001, '< 0.1 %'],
    [0.024, '2.4 %'],
    [0.5, '50 %'],
    [1, '100 %'],
  ])('write the rate %s as %s', (rate, text) => {
    expect(formatRate(rate)).toBe(text);
  });
});
