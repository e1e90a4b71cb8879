import { queueReasonNames } from '@belfry/shared';
import { formatWait, waitNames } from './waits';

const now = new Date(2026, 10, 14, 22, 0).getTime();
const wait = { attempts: 3, maxAttempts: 8, dueAt: new Date(2026, 10, 14, 22, 45, 51).getTime() };

describe('the reason that a message waits for', () => {
  test('has a label, whatever the reason', () => {
    expect(waitNames.toSorted()).toEqual(queueReasonNames.toSorted());
  });

  test('includes attempts and the next time while it is retrying', () => {
    expect(formatWait({ ...wait, reason: 'retry' }, now)).toBe(
      'retrying (3 of 8), next at 22:45:51',
    );
    expect(formatWait({ ...wait, reason: 'schedule' }, now)).toBe('scheduled for 22:45:51');
    expect(formatWait({ ...wait, reason: 'limit' }, now)).toBe('rate limited');
  });
});
