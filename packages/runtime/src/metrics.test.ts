import { createMetrics } from './metrics';

const sources = { readQueueJobs: async () => [], readOldestWaiting: async () => [] };

test('the buckets of a duration rise, from 2 ms to 10 s', async () => {
  const metrics = createMetrics(sources);
  metrics.countHttpRequest({ route: '/livez', method: 'get', status: 200, seconds: 0.004 });
  const buckets = [...(await metrics.read()).matchAll(/_bucket\{le="([\d.]+)"/g)];
  const limits = buckets.map(([, limit]) => Number(limit));
  expect(limits).toEqual(limits.toSorted((a, b) => a - b));
  expect([limits[0], limits.at(-1)]).toEqual([0.002, 10]);
});

test('the time in a stage is never negative, although the clocks of two machines differ', async () => {
  const metrics = createMetrics(sources);
  metrics.observeStage('queue', -30);
  metrics.observeStage('queue', 250);
  const text = await metrics.read();
  expect(text).toMatch(/^belfry_message_stage_seconds_count\{stage="queue"\} 2$/m);
  expect(text).toMatch(/^belfry_message_stage_seconds_sum\{stage="queue"\} 0.25$/m);
});

test('a source that stops answering leaves no old values, so an alert can tell', async () => {
  let isAway = false;
  const readQueueJobs = async () => {
    if (isAway) throw new Error('away');
    return [{ queue: 'fanout', state: 'waiting', count: 3 }];
  };
  const metrics = createMetrics({ ...sources, readQueueJobs });
  const series = 'belfry_queue_jobs{queue="fanout",state="waiting"} 3';
  expect(await metrics.read()).toContain(series);
  isAway = true;
  expect(await metrics.read()).not.toMatch(/^belfry_queue_jobs/m);
});

test('the integrations that need attention are counted only in processes with a relay', async () => {
  const readNeedsAttention = async () => [{ channel: 'email', count: 2 }];
  const series = 'belfry_integrations_needing_attention{channel="email"} 2';
  expect(await createMetrics({ ...sources, readNeedsAttention }).read()).toContain(series);
  expect(await createMetrics(sources).read()).not.toContain('needing_attention');
});

describe('the metrics of storage', () => {
  test('show the storage of all accounts and the fullest one, and name no account', async () => {
    const totals = { storedBytes: 1_234, fullAccounts: 2, highestShare: 1.5 };
    const text = await createMetrics({ ...sources, readStorage: async () => totals }).read();
    expect(text).toMatch(/^belfry_storage_bytes 1234$/m);
    expect(text).toMatch(/^belfry_storage_full_accounts 2$/m);
    expect(text).toMatch(/^belfry_storage_highest_used_ratio 1\.5$/m);
  });

  test('exist only in processes that count storage', async () => {
    expect(await createMetrics(sources).read()).not.toContain('belfry_storage');
  });
});
