import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/** Called between the steps of long work: yields to the rest of the process after each slice of `everyMs`. */
export type YieldWhenDue = () => Promise<void> | undefined;

/**
 * An iteration of the event loop that takes this long ran other work. Its follow-ups, such as writing a batch, run before
 * the long work continues. Otherwise each step of a short request would wait for a slice of the long work.
 */
const busyMs = 0.2;
/** The long work continues after this many iterations, even if there is always other work. */
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
