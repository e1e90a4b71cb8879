import { createLogger } from '@belfry/runtime';
import { createRelay, type RelayDeps } from './relay';

const log = createLogger({ level: 'error', process: 'test' });

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const job = (channel: string) => ({ jobId: `job of ${channel}`, channel, lane: 'a', ids: ['m'] });

/** A relay over stores that answer, but for what a test breaks. */
function createParts(broken: Partial<RelayDeps> = {}) {
  const queued: string[] = [];
  const relay = createRelay({
    channels: ['email', 'slack'],
    feedWaiting: async () => ({ jobs: [], queued: [], next: undefined }),
    publishRoom: async () => {},
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
    newId: () => 'id',
    pollMs: 20,
    requeueAfterMs: 60_000,
    windows: { channel: 2_000, app: 500 },
    log,
    ...broken,
  });
  return { relay, queued };
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('away'));
}

describe('a turn of the relay', () => {
  test('queues the other channels when one of them fails', async () => {
    const added: string[] = [];
    const { relay } = createParts({
      feedWaiting: async () => ({
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
    await relay.turn();
    expect(added).toEqual(['slack']);
  });

  test('takes nothing from what waits while Redis is away', async () => {
    let fed = 0;
    const { relay } = createParts({
      hasMarker: refuse,
      async feedWaiting() {
        fed += 1;
        return undefined;
      },
    });
    await relay.turn();
    expect(fed).toBe(0);
  });

  test('tells the gateways what it counted, and leaves that to another relay while that one feeds', async () => {
    const published: unknown[] = [];
    let isOtherFeeding = false;
    const queued = [{ channel: 'email', appId: 'a', messages: 500 }];
    const { relay } = createParts({
      feedWaiting: async () => (isOtherFeeding ? undefined : { jobs: [], queued, next: undefined }),
      async publishRoom({ channels }) {
        published.push(channels);
      },
    });
    await relay.turn();
    isOtherFeeding = true;
    await relay.turn();
    expect(published).toEqual([{ email: { room: 1_000, apps: { a: 0 } } }]);
  });

  test('expires what waited beyond its end while Redis is away', async () => {
    let expired = 0;
    const { relay } = createParts({
      hasMarker: refuse,
      async expireWaiting() {
        expired += 1;
        return { messages: 0, jobs: [] };
      },
    });
    await relay.turn();
    expect(expired).toBe(1);
  });

  test('looks at leases, ends and fanout once a second, however often it turns', async () => {
    let looks = 0;
    const { relay } = createParts({
      async expireWaiting() {
        looks += 1;
        return { messages: 0, jobs: [] };
      },
    });
    for (let turn = 0; turn < 40; turn += 1) {
      await relay.turn();
      jest.advanceTimersByTime(50);
    }
    expect(looks).toBe(2);
  });

  test('doubts everything again when it could not queue what an emptied Redis lost', async () => {
    const doubted: number[] = [];
    let isAway = true;
    let hasMarker = false;
    const { relay } = createParts({
      channels: ['email'],
      async hasMarker() {
        const had = hasMarker;
        hasMarker = true;
        return had;
      },
      async listDoubted({ dueForMs }) {
        doubted.push(dueForMs);
        if (isAway) return refuse();
        return [];
      },
    });
    await relay.turn();
    isAway = false;
    await relay.turn();
    await relay.turn();
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
    const { relay } = createParts({
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

  async function turnFor(turn: () => Promise<void>, ms: number): Promise<void> {
    for (let passedMs = 0; passedMs <= ms; passedMs += 50) {
      await turn();
      jest.advanceTimersByTime(50);
    }
  }

  test('gets another one within two seconds', async () => {
    const { relay, replaced } = createLost();
    await turnFor(relay.turn, 2_000);
    expect(replaced).toEqual(['job of m']);
  });

  test('keeps it when whoever gave it the job adds it a moment later', async () => {
    const { relay, replaced } = createLost({ isThereFrom: 500 });
    await turnFor(relay.turn, 10_000);
    expect(replaced).toEqual([]);
  });
});
