import type { FanOutJob } from '@belfry/shared';
import { type FeedDeps, feedDue, feedLost } from './feed';
import { giveUpLeases, type LeasesDeps } from './leases';

export type RelayDeps = FeedDeps &
  LeasesDeps & {
    channels: string[];
    /** Requests whose items nobody planned for a while. */
    listUnplannedRequests(options: { olderThanMs: number; limit: number }): Promise<string[]>;
    addFanOutJobs(jobs: FanOutJob[]): Promise<void>;
    /** When PostgreSQL started: a new start begins the grace again. */
    readServerStart(): Promise<string>;
    /** False once after Redis was emptied. */
    hasMarker(): Promise<boolean>;
    pollMs: number;
    /** How long a queued message may lie before its job is doubted. */
    requeueAfterMs: number;
    /** The longest lease of any channel. */
    longestLeaseMs: number;
  };

export type Relay = {
  /** One round; what `start` repeats. */
  turn(): Promise<void>;
  start(): void;
  close(): Promise<void>;
};

const unplannedPerTurn = 100;

/**
 * Queues what is due and not in Redis, gives up leases that ran out, and wakes fanout. Any number
 * may run: PostgreSQL arbitrates each row.
 */
export function createRelay(deps: RelayDeps): Relay {
  const doubt = createDoubt(deps);
  const grace = createGrace(deps);
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  async function turn(): Promise<void> {
    const doubtedAfterMs = await doubt.next();
    for (const channel of deps.channels) {
      if (doubtedAfterMs !== undefined) await feedLost(deps, channel, doubtedAfterMs);
      await feedDue(deps, channel);
    }
    if (await grace.isOver()) await giveUpLeases(deps);
    await wakeFanOut(deps);
  }

  function schedule(): void {
    if (isClosed) return;
    timer = setTimeout(() => {
      running = turn()
        .catch((error: unknown) => deps.log.warn('relay.turn_failed', { error }))
        .finally(schedule);
    }, deps.pollMs);
  }

  return {
    turn,
    start: schedule,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await running;
    },
  };
}

async function wakeFanOut(deps: RelayDeps): Promise<void> {
  const { requeueAfterMs, listUnplannedRequests, addFanOutJobs } = deps;
  const requestIds = await listUnplannedRequests({
    olderThanMs: requeueAfterMs,
    limit: unplannedPerTurn,
  });
  if (requestIds.length > 0) await addFanOutJobs(requestIds.map((requestId) => ({ requestId })));
}

/** When to ask Redis whether queued jobs are still there: now and then, and at once after it was emptied. */
function createDoubt({ hasMarker, requeueAfterMs }: RelayDeps) {
  let lastAtMs = 0;
  return {
    /** How long a message must have been due to be doubted now; undefined doubts none. */
    async next(): Promise<number | undefined> {
      const isEmptied = !(await hasMarker());
      const isTime = Date.now() - lastAtMs >= requeueAfterMs;
      if (!isEmptied && !isTime) return undefined;
      lastAtMs = Date.now();
      return isEmptied ? 0 : requeueAfterMs;
    },
  };
}

/**
 * No lease runs out in the first lease length after this relay, or PostgreSQL, came back: workers
 * that could not record meanwhile come first.
 */
function createGrace({ readServerStart, longestLeaseMs }: RelayDeps) {
  let server: string | undefined;
  let beganAtMs = Date.now();
  return {
    async isOver(): Promise<boolean> {
      const now = await readServerStart();
      if (now !== server) {
        server = now;
        beganAtMs = Date.now();
      }
      return Date.now() - beganAtMs >= longestLeaseMs;
    },
  };
}
