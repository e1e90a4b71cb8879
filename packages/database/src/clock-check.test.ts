import { judgeClock } from './clock-check';

const nowMs = 1_000_000;

/** Our clock differs by this much, and the answer took 500 ms. */
const judge = (skewMs: number) =>
  judgeClock({ beforeMs: nowMs + skewMs, databaseMs: nowMs, afterMs: nowMs + skewMs + 500 });

test.each([0, 2_000, -2_000, -2_500])('accepts a difference of %i ms', (skewMs) => {
  expect(judge(skewMs)).toMatchObject({ refusals: [], warnings: [] });
});

test.each([
  [2_001, '2.0 s ahead of'],
  [30_000, '30.0 s ahead of'],
  [-2_501, '2.0 s behind'],
  [-30_500, '30.0 s behind'],
])('warns of a difference of %i ms', (skewMs, text) => {
  expect(judge(skewMs)).toMatchObject({
    refusals: [],
    warnings: [expect.stringContaining(text)],
  });
});

test.each([
  [30_001, '30.0 s ahead of'],
  [-30_501, '30.0 s behind'],
])('refuses a difference of %i ms', (skewMs, text) => {
  expect(judge(skewMs)).toMatchObject({ refusals: [expect.stringContaining(text)], warnings: [] });
});

test('counts nothing that a slow answer explains', () => {
  expect(judgeClock({ beforeMs: 0, databaseMs: 40_000, afterMs: 60_000 }).skewMs).toBe(0);
});
