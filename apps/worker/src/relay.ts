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
  const failing = new Set<string>();
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  // Each step by itself: leases do not wait for Redis, nor one channel for another.
  async function turn(): Promise<void> {
    const doubtedAfterMs = await attempt('doubt', doubt.next);
    for (const channel of deps.channels) {
      await attempt(`feed ${channel}`, () => feed(channel, doubtedAfterMs));
    }
    await attempt('leases', async () => {
      if (await grace.isOver()) await giveUpLeases(deps);
    });
    await attempt('fanout', () => wakeFanOut(deps));
  }

  async function feed(channel: string, doubtedAfterMs: number | undefined): Promise<void> {
    if (doubtedAfterMs !== undefined) {
      await feedLost(deps, channel, doubtedAfterMs).catch((error: unknown) => {
        doubt.repeat();
        throw error;
      });
    }
    await feedDue(deps, channel);
  }

  /** An outage is one line, not one a turn. */
  async function attempt<T>(part: string, step: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await step();
      if (failing.delete(part)) deps.log.info('relay.step_restored', { part });
      return result;
    } catch (error) {
      if (!failing.has(part)) deps.log.warn('relay.step_failed', { part, error });
      failing.add(part);
      return undefined;
    }
  }

  function schedule(): void {
    if (isClosed) return;
    timer = setTimeout(() => {
      running = turn().finally(schedule);
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
  let lastAtMs = Number.NEGATIVE_INFINITY;
  let mustRepeat = false;
  return {
    /** How long a message must have been due to be doubted now; undefined doubts none. */
    async next(): Promise<number | undefined> {
      const isEmptied = !(await hasMarker()) || mustRepeat;
      const isTime = performance.now() - lastAtMs >= requeueAfterMs;
      if (!isEmptied && !isTime) return undefined;
      lastAtMs = performance.now();
      mustRepeat = false;
      return isEmptied ? 0 : requeueAfterMs;
    },
    /** What was to be queued again was not: the next turn doubts all of it once more. */
    repeat(): void {
      mustRepeat = true;
    },
  };
}

/**
 * No lease runs out in the first lease length after this relay, or PostgreSQL, came back: workers
 * that could not record meanwhile come first. A server that did not answer, and a process that was
 * frozen, came back like one that was started.
 */
function createGrace({ readServerStart, longestLeaseMs }: RelayDeps) {
  const longestGapMs = longestLeaseMs / 2;
  let server: string | undefined;
  let beganAtMs = performance.now();
  let seenAtMs = beganAtMs;

  async function readStart(): Promise<string | undefined> {
    try {
      return await readServerStart();
    } catch (error) {
      server = undefined;
      throw error;
    }
  }

  return {
    async isOver(): Promise<boolean> {
      const start = await readStart();
      const now = performance.now();
      if (start !== server || now - seenAtMs > longestGapMs) beganAtMs = now;
      server = start;
      seenAtMs = now;
      return now - beganAtMs >= longestLeaseMs;
    },
  };
}
