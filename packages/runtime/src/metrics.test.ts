import { createMetrics } from './metrics';

const sources = { readQueueJobs: async () => [], readOldestWaiting: async () => [] };

describe('the metrics of storage', () => {
  test('tell how much all accounts store and how full the fullest is, and name none', async () => {
    const totals = { storedBytes: 1_234, fullAccounts: 2, highestShare: 1.5 };
    const text = await createMetrics({ ...sources, readStorage: async () => totals }).read();
    expect(text).toMatch(/^belfry_storage_bytes 1234$/m);
    expect(text).toMatch(/^belfry_storage_full_accounts 2$/m);
    expect(text).toMatch(/^belfry_storage_highest_used_ratio 1\.5$/m);
  });

  test('are of the processes that count alone', async () => {
    expect(await createMetrics(sources).read()).not.toContain('belfry_storage');
  });
});
