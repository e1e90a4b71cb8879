import { createTries } from './tries';

test('after so many tries a name waits for the end of the window, and no other does', () => {
  let now = 0;
  const tries = createTries({ max: 2, windowMs: 60_000, maxNames: 10, now: () => now });
  expect(tries.begin('a')).toBe(0);
  now = 10_000;
  expect(tries.begin('a')).toBe(0);
  expect(tries.begin('a')).toBe(50);
  expect(tries.begin('b')).toBe(0);
  now = 60_000;
  expect(tries.begin('a')).toBe(0);
});

test('a success is not counted, and may forget the failures before it', () => {
  const tries = createTries({ max: 2, windowMs: 60_000, maxNames: 10, now: () => 0 });
  tries.begin('a');
  tries.begin('a');
  tries.takeBack('a');
  expect([tries.begin('a'), tries.begin('a')]).toEqual([0, 60]);
  tries.forget('a');
  expect(tries.begin('a')).toBe(0);
});

test('memory is bounded: the names that were tried longest ago are forgotten', () => {
  const tries = createTries({ max: 1, windowMs: 60_000, maxNames: 2, now: () => 0 });
  for (const name of ['a', 'b', 'c']) tries.begin(name);
  expect(['b', 'c', 'a'].map((name) => tries.begin(name) > 0)).toEqual([true, true, false]);
});
