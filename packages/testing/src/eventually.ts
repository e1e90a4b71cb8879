import { setTimeout as wait } from 'node:timers/promises';

const defaultTimeoutMs = 5_000;
const [firstIntervalMs, lastIntervalMs] = [25, 100];

/**
 * Repeats an assertion until it holds and returns its result. After the time limit it throws the last failure. Without an
 * interval it slows down to 100 ms within the first second: the queries of long waits take processor time from the system.
 */
export async function eventually<T>(
  assertion: () => T | Promise<T>,
  { timeoutMs = defaultTimeoutMs, intervalMs }: { timeoutMs?: number; intervalMs?: number } = {},
): Promise<T> {
  const beganAtMs = performance.now();
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      const tookMs = performance.now() - beganAtMs;
      if (tookMs >= timeoutMs) throw error;
      await wait(intervalMs ?? Math.min(lastIntervalMs, Math.max(firstIntervalMs, tookMs / 10)));
    }
  }
}
