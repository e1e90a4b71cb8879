import { fillOf, nameOfPeal } from './peal-slots';

describe('a slot of the peal', () => {
  test('is filled by what is done and what failed, and counts a skip as done', () => {
    expect(fillOf({ sent: 6, skipped: 2, failed: 1, queued: 1 })).toEqual({
      done: 0.8,
      failed: 0.1,
    });
  });

  test('is empty while nothing is counted', () => {
    expect(fillOf({})).toEqual({ done: 0, failed: 0 });
  });

  test('is named in the fixed order, whatever order it came in', () => {
    const peal = {
      slack: { state: 'failed', reason: 'rejected_recipient' },
      sms: { state: 'sent' },
    };
    expect(nameOfPeal(['sms', 'email', 'slack'], peal)).toBe(
      'sms sent, slack failed, rejected_recipient',
    );
  });
});
