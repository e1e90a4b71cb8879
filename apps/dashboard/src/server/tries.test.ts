import { createTries } from './tries';

test('after so many failures a name waits for the end of the window, and no other does', () => {
  let now = 0;
  const tries = createTries({ max: 2, windowMs: 60_000, maxNames: 10, now: () => now });
  tries.fail(['a']);
  expect(tries.waitSeconds(['a'])).toBe(0);
  now = 10_000;
  tries.fail(['a']);
  expect(tries.waitSeconds(['a', 'b'])).toBe(50);
  expect(tries.waitSeconds(['b'])).toBe(0);
  now = 60_000;
  expect(tries.waitSeconds(['a'])).toBe(0);
});

test('a success forgets the failures before it', () => {
  const tries = createTries({ max: 1, windowMs: 60_000, maxNames: 10, now: () => 0 });
  tries.fail(['a']);
  tries.succeed(['a']);
  expect(tries.waitSeconds(['a'])).toBe(0);
});

test('memory is bounded: the names that failed longest ago are forgotten', () => {
  const tries = createTries({ max: 1, windowMs: 60_000, maxNames: 2, now: () => 0 });
  for (const name of ['a', 'b', 'c']) tries.fail([name]);
  expect(['a', 'b', 'c'].map((name) => tries.waitSeconds([name]) > 0)).toEqual([false, true, true]);
});
