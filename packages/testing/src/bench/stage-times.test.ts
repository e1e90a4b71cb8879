import { createMetrics } from '@belfry/runtime';
import { computeStageTimes, parseStageCounts } from './stage-times';

const sources = { readQueueJobs: async () => [], readOldestWaiting: async () => [] };

test('stage times count only the messages between two readings of /metrics', async () => {
  const metrics = createMetrics(sources);
  metrics.observeStage('claim', 4_000);
  const before = parseStageCounts(await metrics.read());
  for (let count = 0; count < 99; count += 1) metrics.observeStage('claim', 15);
  metrics.observeStage('claim', 150);
  const { claim, record } = computeStageTimes(before, parseStageCounts(await metrics.read()));
  expect(claim.meanMs).toBeCloseTo(16.35);
  expect(claim.p50Ms).toBeGreaterThan(10);
  expect(claim.p50Ms).toBeLessThan(20);
  expect(claim.p99Ms).toBe(20);
  expect(record.p50Ms).toBeNaN();
});
