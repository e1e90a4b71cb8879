import { stat } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTick, setTimeout as wait } from 'node:timers/promises';
import { createFairQueue } from './fair-queue';

/** Blocks for longer than one slice. */
function block(): void {
  const endsAt = performance.now() + 6;
  while (performance.now() < endsAt);
}

describe('a fair queue', () => {
  test('runs work synchronously while the slice has time left, and returns its result', () => {
    const queue = createFairQueue();
    expect(queue.run('a', () => 1)).toBe(1);
    expect(queue.run('b', () => 2)).toBe(2);
  });

  test('starts no more work after the slice is used up, so that other events run in between', async () => {
    const queue = createFairQueue();
    const order: string[] = [];
    const long = (name: string) => () => {
      block();
      order.push(name);
    };
    const runs = [1, 2, 3].map((number) => queue.run('a', long(`work ${number}`)));
    for (let tick = 1; tick <= 3; tick += 1) {
      await nextTick();
      order.push(`tick ${tick}`);
    }
    await Promise.all(runs);
    expect(order.indexOf('work 2')).toBeGreaterThan(order.indexOf('work 1'));
    expect(order.indexOf('work 3')).toBeGreaterThan(order.indexOf('tick 1'));
  });

  test('serves timers between the work of an event and the waiting work', async () => {
    const queue = createFairQueue();
    const order: string[] = [];
    // A file read is an event of the poll phase, like an incoming request.
    await stat(__filename);
    const timer = wait(1).then(() => order.push('timer'));
    void queue.run('a', block);
    await queue.run('a', () => order.push('second'));
    await timer;
    expect(order).toEqual(['timer', 'second']);
  });

  test('serves a new account before the second item of a busy account', async () => {
    const queue = createFairQueue();
    const order: string[] = [];
    const work = (name: string) => () => {
      block();
      order.push(name);
    };
    const runs = Array.from({ length: 20 }, () => queue.run('greedy', work('greedy')));
    runs.push(queue.run('other', work('other')));
    await Promise.all(runs);
    expect(order).toHaveLength(21);
    expect(order.indexOf('other')).toBeLessThanOrEqual(2);
  });

  test('throws the error of the work, synchronously or later, and continues', async () => {
    const queue = createFairQueue();
    const fail = () => {
      block();
      throw new Error('broken');
    };
    expect(() => queue.run('a', fail)).toThrow('broken');
    await expect(queue.run('a', fail)).rejects.toThrow('broken');
    expect(await queue.run('a', () => 1)).toBe(1);
  });
});
