import { stat } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTick, setTimeout as wait } from 'node:timers/promises';
import { createFairQueue } from './fair-queue';

/** Takes longer than a turn may. */
function block(): void {
  const endsAt = performance.now() + 6;
  while (performance.now() < endsAt);
}

describe('a fair queue', () => {
  test('runs work at once while the turn has time left, and returns its value', () => {
    const queue = createFairQueue();
    expect(queue.run('a', () => 1)).toBe(1);
    expect(queue.run('b', () => 2)).toBe(2);
  });

  test('begins no more in a turn whose time is used up, so that other work of the loop goes between', async () => {
    const queue = createFairQueue();
    const order: string[] = [];
    const long = (name: string) => () => {
      block();
      order.push(name);
    };
    const runs = [1, 2, 3].map((number) => queue.run('a', long(`work ${number}`)));
    for (let tick = 1; tick <= 3; tick += 1) {
      await nextTick();
      order.push(`turn ${tick}`);
    }
    await Promise.all(runs);
    expect(order.indexOf('work 2')).toBeGreaterThan(order.indexOf('work 1'));
    expect(order.indexOf('work 3')).toBeGreaterThan(order.indexOf('turn 1'));
  });

  test('serves timers between work of an event and the work that waits behind it', async () => {
    const queue = createFairQueue();
    const order: string[] = [];
    // A file that was read is an event of the poll phase, as a call is.
    await stat(__filename);
    const timer = wait(1).then(() => order.push('timer'));
    void queue.run('a', block);
    await queue.run('a', () => order.push('second'));
    await timer;
    expect(order).toEqual(['timer', 'second']);
  });

  test('serves an account that comes last before the second piece of one that has much', async () => {
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

  test('throws what the work throws, at once or later, and goes on', async () => {
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
