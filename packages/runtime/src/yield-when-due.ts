import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/** Called between the steps of long work: lets everything else of the process run once `everyMs` were used up. */
export type YieldWhenDue = () => Promise<void> | undefined;

/**
 * A turn of the loop that took as long did other work. What that left for the next turn, such as a batch to be written, goes
 * before the long work as well: otherwise each of the steps of a short call would wait for one of the long work's.
 */
const busyMs = 0.2;
/** The long work gets on also where there is always something else. */
const maxIterations = 8;

export function createYieldWhenDue(everyMs: number): YieldWhenDue {
  let sliceStartMs = performance.now();

  async function yieldToLoop(): Promise<void> {
    let tookMs = busyMs;
    for (let iteration = 0; iteration < maxIterations && tookMs >= busyMs; iteration += 1) {
      const startedAtMs = performance.now();
      await setImmediate();
      tookMs = performance.now() - startedAtMs;
    }
    sliceStartMs = performance.now();
  }

  return function yieldWhenDue() {
    return performance.now() - sliceStartMs < everyMs ? undefined : yieldToLoop();
  };
}
