import { performance } from 'node:perf_hooks';
import type { Awaitable } from './awaitable';

/** Shares the time of this thread out among accounts, for work that cannot be interrupted, such as rendering a template. */
export type FairQueue = {
  /**
   * Runs the work at once while this turn of the event loop has time left, else in a later turn. Accounts whose work waits
   * are served one after the other, however much of each waits. Returns what the work returns, or throws what it throws.
   */
  run<T>(accountId: string, work: () => T): Awaitable<T>;
};

/** Work of one turn of the event loop: no more is begun after it, so that timers and sockets are served. */
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
    // Work begun by a socket's event ends before the immediates of the same round: the next turn is one round later, behind
    // timers and sockets.
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
    // An account that has more goes behind the others.
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
