import { createLoop, type WakeableLoop } from '@belfry/runtime';
import {
  createEnqueueDue,
  createRequeueLost,
  type EnqueueDueDeps,
  missingForMs,
} from './enqueue-due';
import type { EndedJob, ExpiredMessages } from './relay.sql';
import { createWakeFanOut, type WakeFanOutDeps } from './requeue-fan-out';
import { createRunStep, type RunStep } from './run-step';
import { computeGatewayCapacity } from './share-window';

export type RelayDeps = EnqueueDueDeps &
  WakeFanOutDeps & {
    channels: string[];
    /** Fails queued messages that have expired. */
    expireWaiting(limit: number): Promise<ExpiredMessages>;
    removeJobs(jobs: EndedJob[]): Promise<void>;
    /** Returns false once after Redis was emptied. */
    hasMarker(): Promise<boolean>;
    /** Whether a message is open or a request has unplanned items. */
    hasOpenWork(): Promise<boolean>;
    /** Counts a run in which every step succeeded. */
    countRun(): void;
    pollMs: number;
    /** How long a message may be queued before the relay checks its job. */
    requeueAfterMs: number;
  };

export type Relay = WakeableLoop & {
  /** One run; `start` repeats it. */
  runOnce(): Promise<void>;
  /** Whether every step of the last run succeeded. */
  isWorking(): boolean;
};

/** Delay after a run that enqueued messages: there may be more, and the gateways wait for a new count. */
const soonMs = 25;
/** How long the short delay lasts after the last run that enqueued messages. */
const busyMs = 1_000;
/** Interval while messages are in Redis: each count lets the gateways queue as many again. */
const countEveryMs = 100;
/** Interval while there is no open work. Gateways and fan-out wake the relay before they add some. */
const restMs = 500;
/** How long the relay polls at its normal interval after it was woken or there was open work. */
const awakeMs = 5_000;
/** Interval for expiry and fan-out, which need fewer checks than due messages. */
const maintenanceEveryMs = 1_000;
const expiredPerRun = 1_000;

/**
 * Enqueues due messages up to the capacity, requeues messages whose jobs are missing from Redis, fails expired messages
 * and requeues fan-out. Any number of relays may run, because PostgreSQL decides who gets each row.
 */
export function createRelay(deps: RelayDeps): Relay {
  const jobCheck = createJobCheck(deps);
  const enqueueDue = createEnqueueDue(deps);
  const requeueLost = createRequeueLost(deps);
  const fanOut = createWakeFanOut(deps);
  const failing = new Set<string>();
  const runStep = createRunStep(deps.log, failing);
  const maintain = createMaintenance(deps, { runStep, wakeFanOut: fanOut.wake });
  const pace = createPace(deps);
  const rest = createRest(deps, { runStep, failing });
  let isResting = false;
  let hasRun = false;

  async function runOnce(): Promise<void> {
    isResting = await rest.canRest();
    if (isResting) await runStep('publish capacity', publishFullCapacity);
    else await runSteps();
    hasRun = true;
    if (failing.size === 0) deps.countRun();
  }

  function publishFullCapacity(): Promise<void> {
    const { newId, windows } = deps;
    return deps.publishCapacity(computeGatewayCapacity([], { id: newId(), windows }));
  }

  // Each step fails on its own, so one channel does not block another.
  async function runSteps(): Promise<void> {
    const check = await runStep('check jobs', jobCheck.next);
    // Do not enqueue while Redis is unavailable: messages would get job ids without jobs and fill the window.
    if (check) {
      if (check.isEmptied) fanOut.forget();
      await queueLost(check.dueForMs);
      await queueWaiting();
    }
    await maintain();
  }

  async function queueLost(dueForMs: number | undefined): Promise<void> {
    if (dueForMs === undefined) return;
    for (const channel of deps.channels) {
      const missing = await runStep(`check jobs ${channel}`, () => requeueLost(channel, dueForMs));
      if (missing === 0) continue;
      jobCheck.again({ dueForMs, afterMs: missing === undefined ? 0 : missingForMs });
    }
  }

  async function queueWaiting(): Promise<void> {
    const { jobs, hasQueued } = (await runStep('enqueue', enqueueDue)) ?? nothingQueued;
    pace.note({ hasJobs: jobs.length > 0, hasQueued });
    for (const channel of new Set(jobs.map((job) => job.channel))) {
      const channelJobs = jobs.filter((job) => job.channel === channel);
      await runStep(`queue ${channel}`, () => deps.queues.addDeliverJobs(channelJobs));
    }
  }

  function waitMs(): number {
    // It may have been woken while it looked for work.
    if (isResting && !rest.isAwake()) return Math.max(restMs, deps.pollMs);
    return pace.waitMs();
  }

  const loop = createLoop(runOnce, waitMs);
  return {
    ...loop,
    runOnce,
    isWorking: () => hasRun && failing.size === 0,
    wake() {
      rest.stayAwake();
      if (isResting) loop.wake();
    },
  };
}

const nothingQueued = { jobs: [], hasQueued: false };

/** The interval of the runs while there is work. */
function createPace({ pollMs }: RelayDeps) {
  let busyUntilMs = Number.NEGATIVE_INFINITY;
  let isQueued = false;
  return {
    note({ hasJobs, hasQueued }: { hasJobs: boolean; hasQueued: boolean }): void {
      if (hasJobs) busyUntilMs = performance.now() + busyMs;
      isQueued = hasQueued;
    },
    waitMs(): number {
      if (performance.now() < busyUntilMs) return Math.min(soonMs, pollMs);
      return isQueued ? Math.min(countEveryMs, pollMs) : pollMs;
    },
  };
}

type RestDeps = { runStep: RunStep; failing: ReadonlySet<string> };

/** Decides when the relay may rest: without open work, nothing can be due, expired, lost or unplanned. */
function createRest({ hasOpenWork }: RelayDeps, { runStep, failing }: RestDeps) {
  let awakeUntilMs = performance.now() + awakeMs;
  const isAwake = () => performance.now() < awakeUntilMs;
  const stayAwake = () => {
    awakeUntilMs = performance.now() + awakeMs;
  };
  return {
    isAwake,
    stayAwake,
    async canRest(): Promise<boolean> {
      // A step that failed is repeated first.
      if (isAwake() || failing.size > 0) return false;
      if ((await runStep('find work', hasOpenWork)) === false) return true;
      stayAwake();
      return false;
    },
  };
}

type MaintenanceDeps = { runStep: RunStep; wakeFanOut(): Promise<void> };

/** Expires messages and requeues fan-out, about once a second. */
function createMaintenance(
  deps: RelayDeps,
  { runStep, wakeFanOut }: MaintenanceDeps,
): () => Promise<void> {
  let nextAtMs = Number.NEGATIVE_INFINITY;

  return async function maintain() {
    if (performance.now() < nextAtMs) return;
    nextAtMs = performance.now() + maintenanceEveryMs;
    await runStep('expire', expire);
    await runStep('fan-out', wakeFanOut);
  };

  async function expire(): Promise<void> {
    const { messages, jobs } = await deps.expireWaiting(expiredPerRun);
    if (messages === 0) return;
    deps.log.info('relay.expired', { messages });
    await deps.removeJobs(jobs);
  }
}

/** `dueForMs`: check jobs of messages that have been due this long; undefined checks none. */
type JobCheck = { isEmptied: boolean; dueForMs: number | undefined };

/** Decides when to check in Redis that queued jobs exist: every `requeueAfterMs`, and at once after Redis was emptied. */
function createJobCheck({ hasMarker, requeueAfterMs }: RelayDeps) {
  let next = { dueForMs: requeueAfterMs, atMs: Number.NEGATIVE_INFINITY };
  return {
    async next(): Promise<JobCheck> {
      const isEmptied = !(await hasMarker());
      const now = performance.now();
      if (isEmptied) next = { dueForMs: 0, atMs: now };
      if (now < next.atMs) return { isEmptied, dueForMs: undefined };
      const { dueForMs } = next;
      next = { dueForMs: requeueAfterMs, atMs: now + requeueAfterMs };
      return { isEmptied, dueForMs };
    },
    /** Schedules one more check, which covers at least what this one did. */
    again({ dueForMs, afterMs }: { dueForMs: number; afterMs: number }): void {
      next = {
        dueForMs: Math.min(next.dueForMs, dueForMs),
        atMs: Math.min(next.atMs, performance.now() + afterMs),
      };
    },
  };
}
