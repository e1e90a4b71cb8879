import { performance } from 'node:perf_hooks';
import { createYieldWhenDue } from './yield-when-due';

describe('yieldWhenDue', () => {
  test('lets others run once its time is used up, and only then', async () => {
    const yieldWhenDue = createYieldWhenDue(10);
    expect(yieldWhenDue()).toBeUndefined();
    hold(15);
    let hasRun = false;
    setImmediate(() => {
      hasRun = true;
    });
    await yieldWhenDue();
    expect(hasRun).toBe(true);
    expect(yieldWhenDue()).toBeUndefined();
  });
});

function hold(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}
