import { createTries } from './tries';

test('after a burst a name is limited to one attempt at a time, and other names are not', () => {
  let now = 0;
  const tries = createTries({ max: 2, refillMs: 60_000, maxNames: 10, now: () => now });
  expect(tries.begin('a')).toBe(0);
  now = 10_000;
  expect(tries.begin('a')).toBe(0);
  expect(tries.begin('a')).toBe(50);
  expect(tries.begin('b')).toBe(0);
  now = 60_000;
  expect(tries.begin('a')).toBe(0);
  expect(tries.begin('a')).toBe(60);
});

test('refused attempts do not extend the wait', () => {
  const tries = createTries({ max: 1, refillMs: 60_000, maxNames: 10, now: () => 0 });
  tries.begin('a');
  expect([tries.begin('a'), tries.begin('a'), tries.begin('a')]).toEqual([60, 60, 60]);
});

test('an attempt can be undone, and all attempts reset', () => {
  const tries = createTries({ max: 2, refillMs: 60_000, maxNames: 10, now: () => 0 });
  tries.begin('a');
  tries.begin('a');
  tries.takeBack('a');
  expect([tries.begin('a'), tries.begin('a')]).toEqual([0, 60]);
  tries.forget('a');
  expect([tries.begin('a'), tries.begin('a'), tries.begin('a')]).toEqual([0, 0, 60]);
});

test('memory is bounded: the least recently used names are evicted', () => {
  const tries = createTries({ max: 1, refillMs: 60_000, maxNames: 2, now: () => 0 });
  for (const name of ['a', 'b', 'c']) tries.begin(name);
  expect(['b', 'c', 'a'].map((name) => tries.begin(name) > 0)).toEqual([true, true, false]);
});
