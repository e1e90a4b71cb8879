import { performance } from 'node:perf_hooks';
import { createYieldWhenDue } from './yield-when-due';

describe('yieldWhenDue', () => {
  test('lets other work run when its slice is used up, and not before', async () => {
    const yieldWhenDue = createYieldWhenDue(10);
    expect(yieldWhenDue()).toBeUndefined();
    blockFor(15);
    let hasRun = false;
    setImmediate(() => {
      hasRun = true;
    });
    await yieldWhenDue();
    expect(hasRun).toBe(true);
    expect(yieldWhenDue()).toBeUndefined();
  });

  test('lets other work also finish its follow-ups', async () => {
    const yieldWhenDue = createYieldWhenDue(10);
    blockFor(15);
    let steps = 0;
    function work(): void {
      blockFor(1);
      steps += 1;
      if (steps < 3) setImmediate(work);
    }
    setImmediate(work);
    await yieldWhenDue();
    expect(steps).toBe(3);
  });

  test('returns even if there is always other work', async () => {
    const yieldWhenDue = createYieldWhenDue(10);
    blockFor(15);
    let steps = 0;
    let isOver = false;
    function work(): void {
      blockFor(1);
      steps += 1;
      if (!isOver) setImmediate(work);
    }
    setImmediate(work);
    await yieldWhenDue();
    isOver = true;
    expect(steps).toBeGreaterThan(1);
    expect(steps).toBeLessThan(20);
  });
});

function blockFor(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}
