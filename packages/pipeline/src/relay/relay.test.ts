import { createLogger } from '@belfry/runtime';
import { createRelay, type RelayDeps } from './relay';

const log = createLogger({ level: 'error', process: 'test' });

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const job = (channel: string) => ({
  jobId: `job of ${channel}`,
  channel,
  fairnessKey: 'a',
  ids: ['m'],
});

/** A relay with working stores, unless a test breaks them. */
function setUp(overrides: Partial<RelayDeps> = {}) {
  const queued: string[] = [];
  const relay = createRelay({
    channels: ['email', 'slack'],
    enqueueDue: async () => ({ jobs: [], queued: [], next: undefined }),
    publishCapacity: async () => {},
    listDoubted: async () => [],
    replaceJobs: async () => new Set(),
    queues: {
      async addDeliverJobs(jobs) {
        queued.push(...jobs.map(({ channel }) => channel));
      },
      findJobs: async () => new Set(),
    },
    expireWaiting: async () => ({ messages: 0, jobs: [] }),
    removeJobs: async () => {},
    listUnplannedRequests: async () => [],
    addFanOutJobs: async () => {},
    hasMarker: async () => true,
    hasOpenWork: async () => true,
    countRun: () => {},
    newId: () => 'id',
    pollMs: 20,
    requeueAfterMs: 60_000,
    windows: { channel: 3_000, app: 750 },
    observeStage: () => {},
    log,
    ...overrides,
  });
  return { relay, queued };
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('away'));
}

describe('a run of the relay', () => {
  test('queues the other channels if one channel fails', async () => {
    const added: string[] = [];
    const { relay } = setUp({
      enqueueDue: async () => ({
        jobs: [job('email'), job('slack')],
        queued: [],
        next: undefined,
      }),
      queues: {
        async addDeliverJobs([first]) {
          if (first?.channel === 'email') await refuse();
          added.push(String(first?.channel));
        },
        findJobs: async () => new Set(),
      },
    });
    await relay.runOnce();
    expect(added).toEqual(['slack']);
  });

  test('is counted only if every step of it succeeded', async () => {
    let runs = 0;
    let isAway = true;
    const { relay } = setUp({
      countRun: () => void runs++,
      enqueueDue: async () => (isAway ? refuse() : undefined),
    });
    await relay.runOnce();
    expect(runs).toBe(0);
    isAway = false;
    await relay.runOnce();
    expect(runs).toBe(1);
  });

  test('enqueues nothing while Redis is unavailable', async () => {
    let enqueueCount = 0;
    const { relay } = setUp({
      hasMarker: refuse,
      async enqueueDue() {
        enqueueCount += 1;
        return undefined;
      },
    });
    await relay.runOnce();
    expect(enqueueCount).toBe(0);
  });

  test('publishes its count to the gateways, unless another relay is enqueuing', async () => {
    const published: unknown[] = [];
    let isOtherFeeding = false;
    const queued = [{ channel: 'email', appId: 'a', isBulk: false, messages: 500 }];
    const { relay } = setUp({
      enqueueDue: async () => (isOtherFeeding ? undefined : { jobs: [], queued, next: undefined }),
      async publishCapacity({ channels }) {
        published.push(channels);
      },
    });
    await relay.runOnce();
    isOtherFeeding = true;
    await relay.runOnce();
    expect(published).toEqual([{ email: { capacity: 1_500, apps: { a: 0 } } }]);
  });

  test('fails expired messages while Redis is unavailable', async () => {
    let expired = 0;
    const { relay } = setUp({
      hasMarker: refuse,
      async expireWaiting() {
        expired += 1;
        return { messages: 0, jobs: [] };
      },
    });
    await relay.runOnce();
    expect(expired).toBe(1);
  });

  test('runs expiry and fan-out once a second, however often it runs', async () => {
    let looks = 0;
    const { relay } = setUp({
      async expireWaiting() {
        looks += 1;
        return { messages: 0, jobs: [] };
      },
    });
    for (let round = 0; round < 40; round += 1) {
      await relay.runOnce();
      jest.advanceTimersByTime(50);
    }
    expect(looks).toBe(2);
  });

  test('checks all jobs again if it could not requeue what an emptied Redis lost', async () => {
    const doubted: number[] = [];
    let isUnavailable = true;
    let hasMarker = false;
    const { relay } = setUp({
      channels: ['email'],
      async hasMarker() {
        const had = hasMarker;
        hasMarker = true;
        return had;
      },
      async listDoubted({ dueForMs }) {
        doubted.push(dueForMs);
        if (isUnavailable) return refuse();
        return [];
      },
    });
    await relay.runOnce();
    isUnavailable = false;
    await relay.runOnce();
    await relay.runOnce();
    expect(doubted).toEqual([0, 0]);
  });
});

describe('a message whose job is not in Redis', () => {
  const doubted = {
    id: 'm',
    appId: 'a',
    isBulk: false,
    integrationId: undefined,
    jobId: 'job of m',
  };

  function createLost({ isThereFrom = Number.POSITIVE_INFINITY } = {}) {
    const beganAtMs = performance.now();
    const replaced: string[] = [];
    const { relay } = setUp({
      channels: ['email'],
      listDoubted: async () => (replaced.length === 0 ? [doubted] : []),
      async replaceJobs(jobs) {
        replaced.push(...jobs.map(({ previousJobId }) => previousJobId));
        return new Set(jobs.map(({ id }) => id));
      },
      queues: {
        addDeliverJobs: async () => {},
        findJobs: async (_channel, ids) =>
          new Set(performance.now() - beganAtMs >= isThereFrom ? ids : []),
      },
    });
    return { relay, replaced };
  }

  async function runFor(runOnce: () => Promise<void>, ms: number): Promise<void> {
    for (let passedMs = 0; passedMs <= ms; passedMs += 50) {
      await runOnce();
      jest.advanceTimersByTime(50);
    }
  }

  test('gets a new job within two seconds', async () => {
    const { relay, replaced } = createLost();
    await runFor(relay.runOnce, 2_000);
    expect(replaced).toEqual(['job of m']);
  });

  test('keeps its job if the process that assigned it adds it a moment later', async () => {
    const { relay, replaced } = createLost({ isThereFrom: 500 });
    await runFor(relay.runOnce, 10_000);
    expect(replaced).toEqual([]);
  });
});

test('a relay counts every 100 ms while messages are in Redis, as the gateways wait for its counts', async () => {
  let messages = 1;
  let counts = 0;
  const { relay } = setUp({
    pollMs: 250,
    async enqueueDue() {
      counts += 1;
      const queued = [{ channel: 'email', appId: 'a', isBulk: false, messages }];
      return { jobs: [], queued: messages > 0 ? queued : [], next: undefined };
    },
  });
  relay.start();
  await jest.advanceTimersByTimeAsync(10_000);
  const countsOfBusy = counts;
  messages = 0;
  await jest.advanceTimersByTimeAsync(10_000);
  await relay.close();
  expect([countsOfBusy, counts - countsOfBusy].map((each) => Math.round(each / 10))).toEqual([
    10, 4,
  ]);
});

describe('a relay without open work', () => {
  /** Counts the runs that look for due messages, and those that only look for open work. */
  function setUpResting() {
    const counts = { polls: 0, looks: 0, published: 0 };
    const { relay } = setUp({
      pollMs: 250,
      async enqueueDue() {
        counts.polls += 1;
        return undefined;
      },
      async hasOpenWork() {
        counts.looks += 1;
        return false;
      },
      async publishCapacity() {
        counts.published += 1;
      },
    });
    const reset = () => Object.assign(counts, { polls: 0, looks: 0, published: 0 });
    return { relay, counts, reset };
  }

  const restedMs = 10_000;

  test('looks twice a second, and publishes the full capacity each time', async () => {
    const { relay, counts, reset } = setUpResting();
    relay.start();
    await jest.advanceTimersByTimeAsync(restedMs);
    reset();
    await jest.advanceTimersByTimeAsync(60_000);
    await relay.close();
    expect(counts.polls).toBe(0);
    expect(counts.published).toBe(counts.looks);
    expect(counts.looks).toBeGreaterThanOrEqual(118);
    expect(counts.looks).toBeLessThanOrEqual(122);
  });

  test('runs at once when it is woken, and then at its normal interval', async () => {
    const { relay, counts, reset } = setUpResting();
    relay.start();
    await jest.advanceTimersByTimeAsync(restedMs);
    reset();
    relay.wake();
    await jest.advanceTimersByTimeAsync(0);
    expect(counts.polls).toBe(1);
    await jest.advanceTimersByTimeAsync(3_000);
    await relay.close();
    expect(counts.polls).toBeGreaterThanOrEqual(12);
  });

  test('does not rest while PostgreSQL or Redis is unavailable', async () => {
    let polls = 0;
    const { relay } = setUp({
      hasOpenWork: async () => false,
      async hasMarker() {
        polls += 1;
        return refuse();
      },
    });
    relay.start();
    await jest.advanceTimersByTimeAsync(restedMs);
    await relay.close();
    expect(polls).toBeGreaterThan(restedMs / 20 / 2);
  });
});
