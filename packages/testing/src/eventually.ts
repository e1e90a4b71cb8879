import { setTimeout as wait } from 'node:timers/promises';

const defaultTimeoutMs = 5_000;
const defaultIntervalMs = 25;

/** Repeats an assertion until it holds and returns its result. After the time limit it throws the last failure. */
export async function eventually<T>(
  assertion: () => T | Promise<T>,
  { timeoutMs = defaultTimeoutMs, intervalMs = defaultIntervalMs } = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() >= deadline) throw error;
      await wait(intervalMs);
    }
  }
}
