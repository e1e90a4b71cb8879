import type { EndedJob, Expired } from '@belfry/database';
import { createFeed, createFeedLost, type FeedDeps, missingForMs } from './feed';
import { createGrace, type GraceDeps } from './grace';
import { giveUpLeases, type LeasesDeps } from './leases';
import { createWakeFanOut, type WakeFanOutDeps } from './wake-fan-out';

export type RelayDeps = FeedDeps &
  LeasesDeps &
  WakeFanOutDeps &
  GraceDeps & {
    channels: string[];
    /** Fails what waits beyond its end. */
    expireWaiting(limit: number): Promise<Expired>;
    removeJobs(jobs: EndedJob[]): Promise<void>;
    /** False once after Redis was emptied. */
    hasMarker(): Promise<boolean>;
    pollMs: number;
    /** How long a queued message may lie before its job is doubted. */
    requeueAfterMs: number;
  };

export type Relay = {
  /** One round; what `start` repeats. */
  turn(): Promise<void>;
  start(): void;
  close(): Promise<void>;
};

/** After a turn that queued something: there may be more, and the gateways wait for a new count. */
const soonMs = 25;
/** How long turns stay close to each other after the last one that queued something. */
const busyMs = 1_000;
/** Leases, ends and fanout: what need not be looked at as often as what waits. */
const careEveryMs = 1_000;
const expiredPerTurn = 1_000;

/**
 * Queues what waits, as far as there is room, and again what is gone from Redis; gives up leases that ran out; fails
 * what waited beyond its end; wakes fanout. Any number may run: PostgreSQL arbitrates each row.
 */
export function createRelay(deps: RelayDeps): Relay {
  const doubt = createDoubt(deps);
  const feed = createFeed(deps);
  const feedLost = createFeedLost(deps);
  const fanOut = createWakeFanOut(deps);
  const attempt = createAttempt(deps.log);
  const care = createCare(deps, { attempt, wakeFanOut: fanOut.wake });
  let busyUntilMs = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  // Each step by itself: leases do not wait for Redis, nor one channel for another.
  async function turn(): Promise<void> {
    const doubted = await attempt('doubt', doubt.next);
    // What is fed while Redis is away would have jobs that nobody has, and fill the window with them.
    if (doubted) {
      if (doubted.isEmptied) fanOut.forget();
      await queueLost(doubted.dueForMs);
      await queueWaiting();
    }
    await care();
  }

  async function queueLost(dueForMs: number | undefined): Promise<void> {
    if (dueForMs === undefined) return;
    for (const channel of deps.channels) {
      const missing = await attempt(`doubt ${channel}`, () => feedLost(channel, dueForMs));
      if (missing === 0) continue;
      doubt.again({ dueForMs, afterMs: missing === undefined ? 0 : missingForMs });
    }
  }

  async function queueWaiting(): Promise<void> {
    const jobs = (await attempt('feed', feed)) ?? [];
    if (jobs.length > 0) busyUntilMs = performance.now() + busyMs;
    for (const channel of new Set(jobs.map((job) => job.channel))) {
      const ofChannel = jobs.filter((job) => job.channel === channel);
      await attempt(`queue ${channel}`, () => deps.queues.addDeliverJobs(ofChannel));
    }
  }

  function schedule(): void {
    if (isClosed) return;
    const waitMs = performance.now() < busyUntilMs ? Math.min(soonMs, deps.pollMs) : deps.pollMs;
    timer = setTimeout(() => {
      running = turn().finally(schedule);
    }, waitMs);
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

type CareParts = { attempt: Attempt; wakeFanOut(): Promise<void> };

/** What keeps order among what waits and what is sent, about once a second. */
function createCare(deps: RelayDeps, { attempt, wakeFanOut }: CareParts): () => Promise<void> {
  const grace = createGrace(deps);
  let nextAtMs = Number.NEGATIVE_INFINITY;

  return async function care() {
    if (performance.now() < nextAtMs) return;
    nextAtMs = performance.now() + careEveryMs;
    await attempt('leases', async () => {
      if (await grace.isOver()) await giveUpLeases(deps);
    });
    await attempt('expire', expire);
    await attempt('fanout', wakeFanOut);
  };

  async function expire(): Promise<void> {
    const { messages, jobs } = await deps.expireWaiting(expiredPerTurn);
    if (messages === 0) return;
    deps.log.info('relay.expired', { messages });
    await deps.removeJobs(jobs);
  }
}

type Attempt = <T>(part: string, step: () => Promise<T>) => Promise<T | undefined>;

/** Runs a step that may fail. An outage is one line, not one a turn. */
function createAttempt(log: RelayDeps['log']): Attempt {
  const failing = new Set<string>();

  return async function attempt<T>(part: string, step: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await step();
      if (failing.delete(part)) log.info('relay.step_restored', { part });
      return result;
    } catch (error) {
      if (!failing.has(part)) log.warn('relay.step_failed', { part, error });
      failing.add(part);
      return undefined;
    }
  };
}

/** How long a message must have been due to be doubted now; undefined doubts none. */
type Doubted = { isEmptied: boolean; dueForMs: number | undefined };

/** When to ask Redis whether queued jobs are still there: now and then, and at once after it was emptied. */
function createDoubt({ hasMarker, requeueAfterMs }: RelayDeps) {
  let next = { dueForMs: requeueAfterMs, atMs: Number.NEGATIVE_INFINITY };
  return {
    async next(): Promise<Doubted> {
      const isEmptied = !(await hasMarker());
      const now = performance.now();
      if (isEmptied) next = { dueForMs: 0, atMs: now };
      if (now < next.atMs) return { isEmptied, dueForMs: undefined };
      const { dueForMs } = next;
      next = { dueForMs: requeueAfterMs, atMs: now + requeueAfterMs };
      return { isEmptied, dueForMs };
    },
    /** One more look, which sees at least what this one saw. */
    again({ dueForMs, afterMs }: { dueForMs: number; afterMs: number }): void {
      next = {
        dueForMs: Math.min(next.dueForMs, dueForMs),
        atMs: Math.min(next.atMs, performance.now() + afterMs),
      };
    },
  };
}
