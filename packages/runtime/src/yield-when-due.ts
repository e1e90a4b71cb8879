import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/** Called between the steps of long work: lets everything else of the process run once `everyMs` were used up. */
export type YieldWhenDue = () => Promise<void> | undefined;

export function createYieldWhenDue(everyMs: number): YieldWhenDue {
  let begunAtMs = performance.now();

  async function giveWay(): Promise<void> {
    await setImmediate();
    begunAtMs = performance.now();
  }

  return function yieldWhenDue() {
    return performance.now() - begunAtMs < everyMs ? undefined : giveWay();
  };
}
