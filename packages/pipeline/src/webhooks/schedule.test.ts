import { defaultWaitsMs, getNextWaitMs } from './schedule';

const hour = 3_600_000;
const wait = (failures: number, retryAfterMs?: number, random = 0) =>
  getNextWaitMs({ failures, retryAfterMs }, { waitsMs: defaultWaitsMs, random: () => random });

test('ten tries end within 72 hours, with the waits of the documentation', () => {
  const waits = Array.from({ length: 10 }, (_, failures) => wait(failures));
  expect(waits).toEqual([
    ...[5_000, 300_000, hour / 2, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 20 * hour],
    undefined,
  ]);
  const sum = defaultWaitsMs.reduce((total, each) => total + each, 0);
  expect(sum).toBeGreaterThan(71 * hour);
  expect(sum).toBeLessThan(72 * hour);
});

test('jitter shortens a wait by up to a tenth', () => {
  expect(wait(3, undefined, 0.5)).toBe(1.9 * hour);
  expect(wait(3, undefined, 1)).toBe(1.8 * hour);
});

test('Retry-After makes a wait longer, up to 24 hours, and never shorter', () => {
  expect(wait(0, 60_000)).toBe(60_000);
  expect(wait(2, 1_000)).toBe(hour / 2);
  expect(wait(0, 1_000 * hour)).toBe(24 * hour);
  expect(wait(9, 60_000)).toBeUndefined();
});
