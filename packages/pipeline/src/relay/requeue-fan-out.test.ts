import { createWakeFanOut } from './requeue-fan-out';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** A store in which these requests stay unplanned. */
function setUp(ids: string[]) {
  const jobs: string[] = [];
  const fanOut = createWakeFanOut({
    listUnplannedRequests: async ({ limit, after = '' }) =>
      ids.filter((id) => id > after).slice(0, limit),
    addFanOutJobs: async (added) => {
      jobs.push(...added.map(({ requestId }) => requestId));
    },
    requeueAfterMs: 5_000,
  });
  return { ...fanOut, jobs };
}

async function runEverySecond(wake: () => Promise<void>, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await wake();
    jest.advanceTimersByTime(1_000);
  }
}

describe('createWakeFanOut', () => {
  test('retries a request that always fails after pauses that double, up to five minutes', async () => {
    const { wake, jobs } = setUp(['r']);
    await runEverySecond(wake, 75);
    // At 0, 5, 15, 35 and 75 s.
    expect(jobs).toHaveLength(4);
    await runEverySecond(wake, 3_600);
    expect(jobs.length).toBeLessThan(4 + 4 + 12);
  });

  test('reaches a request behind a hundred that fail', async () => {
    const ids = Array.from({ length: 101 }, (_, index) => `r${String(index).padStart(3, '0')}`);
    const { wake, jobs } = setUp(ids);
    await runEverySecond(wake, 2);
    expect(jobs).toContain('r100');
  });

  test('requeues every request at once if all jobs were lost', async () => {
    const { wake, forget, jobs } = setUp(['r']);
    await wake();
    forget();
    await wake();
    expect(jobs).toEqual(['r', 'r']);
  });
});
