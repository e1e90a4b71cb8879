import { performance } from 'node:perf_hooks';
import type { Awaitable } from './awaitable';

/** Shares the time of this thread among accounts, for work that cannot be interrupted, such as rendering a template. */
export type FairQueue = {
  /**
   * Runs the work synchronously while this iteration of the event loop has time left, else in a later one. Serves accounts
   * with waiting work round-robin. Returns the result of the work, or throws its error.
   */
  run<T>(accountId: string, work: () => T): Awaitable<T>;
};

/** Work per iteration of the event loop. After it, no work starts until timers and sockets were served. */
const tickBudgetMs = 4;

export function createFairQueue(): FairQueue {
  const waiting = new Map<string, (() => void)[]>();
  let usedMs = 0;
  let isTickScheduled = false;

  function measure<T>(work: () => T): T {
    const startedAt = performance.now();
    try {
      return work();
    } finally {
      usedMs += performance.now() - startedAt;
      scheduleTick();
    }
  }

  function scheduleTick(): void {
    if (isTickScheduled) return;
    isTickScheduled = true;
    // Work that a socket event starts ends before the immediates of the same iteration. The second immediate runs one
    // iteration later, after timers and sockets.
    setImmediate(() => setImmediate(runTick));
  }

  function runTick(): void {
    isTickScheduled = false;
    usedMs = 0;
    while (usedMs < tickBudgetMs) {
      const next = takeNext();
      if (!next) return;
      measure(next);
    }
  }

  function takeNext(): (() => void) | undefined {
    const [first] = waiting;
    if (!first) return undefined;
    const [accountId, tasks] = first;
    const next = tasks.shift();
    // An account with more work moves to the end.
    waiting.delete(accountId);
    if (tasks.length > 0) waiting.set(accountId, tasks);
    return next;
  }

  function wait<T>(accountId: string, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const task = () => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      };
      const tasks = waiting.get(accountId);
      if (tasks) tasks.push(task);
      else waiting.set(accountId, [task]);
      scheduleTick();
    });
  }

  return {
    run: (accountId, work) =>
      waiting.size === 0 && usedMs < tickBudgetMs ? measure(work) : wait(accountId, work),
  };
}
