import { leaseExpired } from '@belfry/database';
import { createLogger } from '@belfry/runtime';
import { createRelay, type RelayDeps } from './relay';

const log = createLogger({ level: 'error', process: 'test' });
const longestLeaseMs = 20_000;
const turnEveryMs = 1_000;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

const expiredLease = {
  id: 'message',
  attempt: 1,
  channel: 'email',
  versionId: 'version',
  unknownCount: 0,
  integrationId: undefined,
};

/** A relay over stores that answer, but for what a test breaks. */
function createParts(broken: Partial<RelayDeps> = {}) {
  const fed: string[] = [];
  const recorded: (string | undefined)[] = [];
  const relay = createRelay({
    channels: ['email', 'slack'],
    async listDue({ channel }) {
      fed.push(channel);
      return [];
    },
    assignJobs: async () => new Set(),
    queues: {
      addDeliverJobs: async () => {},
      findJobs: async () => new Set(),
      countWaiting: async () => 0,
    },
    listExpiredLeases: async () => [expiredLease],
    findVersion: async () => undefined,
    async record({ reason, next }) {
      recorded.push(reason, next.state);
      return true;
    },
    listUnplannedRequests: async () => [],
    addFanOutJobs: async () => {},
    readServerStart: async () => 'start',
    hasMarker: async () => true,
    newId: () => 'id',
    backoff: { baseMs: 1, capMs: 1, random: () => 0 },
    pollMs: 20,
    requeueAfterMs: 60_000,
    channelWindow: 100,
    longestLeaseMs,
    log,
    ...broken,
  });
  return { relay, fed, recorded };
}

function refuse(): Promise<never> {
  return Promise.reject(new Error('away'));
}

/** Turns until a lease length is over, as `start` makes them. */
async function turnThroughGrace(turn: () => Promise<void>): Promise<void> {
  for (let waitedMs = 0; waitedMs <= longestLeaseMs; waitedMs += turnEveryMs) {
    await turn();
    jest.advanceTimersByTime(turnEveryMs);
  }
  await turn();
}

describe('a turn of the relay', () => {
  test('feeds the other channels when one of them fails', async () => {
    const { relay, fed } = createParts({
      queues: {
        addDeliverJobs: async () => {},
        findJobs: async () => new Set(),
        countWaiting: (channel) => (channel === 'email' ? refuse() : Promise.resolve(0)),
      },
    });
    await relay.turn();
    await relay.turn();
    expect(fed.filter((channel) => channel === 'slack')).not.toHaveLength(0);
  });

  test('gives leases up while Redis is away', async () => {
    const { relay, recorded } = createParts({ hasMarker: refuse });
    await turnThroughGrace(relay.turn);
    expect(recorded.slice(0, 2)).toEqual([leaseExpired, 'unknown']);
  });

  test('doubts everything again when it could not queue what an emptied Redis lost', async () => {
    const doubted: (number | undefined)[] = [];
    let isAway = true;
    let hasMarker = false;
    const { relay } = createParts({
      channels: ['email'],
      async hasMarker() {
        const had = hasMarker;
        hasMarker = true;
        return had;
      },
      async listDue({ doubtedAfterMs }) {
        if (doubtedAfterMs !== undefined) doubted.push(doubtedAfterMs);
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

describe('the relay’s grace', () => {
  test('begins again after PostgreSQL did not answer', async () => {
    let isAway = false;
    const { relay, recorded } = createParts({
      readServerStart: () => (isAway ? refuse() : Promise.resolve('start')),
    });
    await relay.turn();
    jest.advanceTimersByTime(longestLeaseMs / 2);
    isAway = true;
    await relay.turn();
    isAway = false;
    jest.advanceTimersByTime(longestLeaseMs / 2);
    await relay.turn();
    expect(recorded).toEqual([]);
    await turnThroughGrace(relay.turn);
    expect(recorded).not.toEqual([]);
  });

  test('begins again after the process was frozen', async () => {
    const { relay, recorded } = createParts();
    await relay.turn();
    jest.advanceTimersByTime(longestLeaseMs * 3);
    await relay.turn();
    expect(recorded).toEqual([]);
    await turnThroughGrace(relay.turn);
    expect(recorded).not.toEqual([]);
  });
});
