import { formatOutcome } from './run-outcome';

const run = { state: 'finished', result: 'failed', matched: 35, skipped: 0, cancelled: 0 } as const;

test('a finished run says how many messages were not delivered', () => {
  const now = { open: 2, accepted: 0, notDelivered: 33 };
  expect(formatOutcome({ ...run, now })).toBe('33 of 35 not delivered, 2 in progress');
});
