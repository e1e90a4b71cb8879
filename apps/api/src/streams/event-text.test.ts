import { formatRetry } from './event-text';

test.each([
  ['a client alone', 0, 0, 1_000],
  ['a client alone, at the longest', 1, 0, 3_000],
  ['the first of 10,000 clients', 0, 10_000, 1_000],
  ['the last of 10,000 clients: 1,000 come per second', 1, 10_000, 11_000],
  ['the last of 100,000 clients: none waits for over 31 s', 1, 100_000, 31_000],
])('%s waits before it reconnects', (_title, random, streams, waitMs) => {
  expect(formatRetry(random, streams)).toBe(`retry: ${waitMs}\n\n`);
});
