import { createLoop, type Loop } from '@belfry/runtime';
import {
  createEnqueueDue,
  createRequeueLost,
  type EnqueueDueDeps,
  missingForMs,
} from './enqueue-due';
import type { EndedJob, ExpiredMessages } from './relay.sql';
import { createWakeFanOut, type WakeFanOutDeps } from './requeue-fan-out';
import { createRunStep, type RunStep } from './run-step';

export type RelayDeps = EnqueueDueDeps &
  WakeFanOutDeps & {
    channels: string[];
    /** Fails what waits beyond its end. */
    expireWaiting(limit: number): Promise<ExpiredMessages>;
    removeJobs(jobs: EndedJob[]): Promise<void>;
    /** False once after Redis was emptied. */
    hasMarker(): Promise<boolean>;
    pollMs: number;
    /** How long a queued message may lie before its job is doubted. */
    requeueAfterMs: number;
  };

export type Relay = Loop & {
  /** One round; what `start` repeats. */
  runOnce(): Promise<void>;
};

/** After a turn that queued something: there may be more, and the gateways wait for a new count. */
const soonMs = 25;
/** How long turns stay close to each other after the last one that queued something. */
const busyMs = 1_000;
/** Ends and fanout: what need not be looked at as often as what waits. */
const careEveryMs = 1_000;
const expiredPerRun = 1_000;

/**
 * Queues what waits, as far as there is room, and again what is gone from Redis; fails what waited beyond its end; wakes
 * fanout. Any number may run: PostgreSQL arbitrates each row.
 */
export function createRelay(deps: RelayDeps): Relay {
  const doubt = createDoubt(deps);
  const enqueueDue = createEnqueueDue(deps);
  const requeueLost = createRequeueLost(deps);
  const fanOut = createWakeFanOut(deps);
  const runStep = createRunStep(deps.log);
  const care = createCare(deps, { runStep, wakeFanOut: fanOut.wake });
  let busyUntilMs = Number.NEGATIVE_INFINITY;

  // Each step by itself: one channel does not wait for another.
  async function runOnce(): Promise<void> {
    const doubted = await runStep('doubt', doubt.next);
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
      const missing = await runStep(`doubt ${channel}`, () => requeueLost(channel, dueForMs));
      if (missing === 0) continue;
      doubt.again({ dueForMs, afterMs: missing === undefined ? 0 : missingForMs });
    }
  }

  async function queueWaiting(): Promise<void> {
    const jobs = (await runStep('feed', enqueueDue)) ?? [];
    if (jobs.length > 0) busyUntilMs = performance.now() + busyMs;
    for (const channel of new Set(jobs.map((job) => job.channel))) {
      const channelJobs = jobs.filter((job) => job.channel === channel);
      await runStep(`queue ${channel}`, () => deps.queues.addDeliverJobs(channelJobs));
    }
  }

  function waitMs(): number {
    return performance.now() < busyUntilMs ? Math.min(soonMs, deps.pollMs) : deps.pollMs;
  }

  return { runOnce, ...createLoop(runOnce, waitMs) };
}

type CareDeps = { runStep: RunStep; wakeFanOut(): Promise<void> };

/** What keeps order among what waits and what is sent, about once a second. */
function createCare(deps: RelayDeps, { runStep, wakeFanOut }: CareDeps): () => Promise<void> {
  let nextAtMs = Number.NEGATIVE_INFINITY;

  return async function care() {
    if (performance.now() < nextAtMs) return;
    nextAtMs = performance.now() + careEveryMs;
    await runStep('expire', expire);
    await runStep('fanout', wakeFanOut);
  };

  async function expire(): Promise<void> {
    const { messages, jobs } = await deps.expireWaiting(expiredPerRun);
    if (messages === 0) return;
    deps.log.info('relay.expired', { messages });
    await deps.removeJobs(jobs);
  }
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
