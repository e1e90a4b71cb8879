import { countStates, type MessageState } from '@belfry/shared';
import { fillOf, nameOfPeal } from './peal-slots';

function slot(state: MessageState, count: number, reason: string | null = null) {
  return { channel: 'sms', state, count, reason };
}

const bulk = countStates([
  slot('sent', 6),
  slot('skipped', 1, 'no_address'),
  slot('skipped', 1, 'opted_out'),
  slot('failed', 1),
  slot('queued', 1),
]);

describe('a slot of the peal', () => {
  test('is filled by what is done and what failed, and counts a skip as done', () => {
    expect(fillOf(bulk)).toEqual({ done: 0.8, failed: 0.1 });
  });

  test('is empty while nothing is counted', () => {
    expect(fillOf(countStates([]))).toEqual({ done: 0, failed: 0 });
  });

  test('is named in the fixed order, whatever order it came in', () => {
    const counts = countStates([]);
    const peal = {
      slack: { state: 'failed', reason: 'rejected_recipient', counts },
      sms: { state: 'sent', counts },
    };
    expect(nameOfPeal(['sms', 'email', 'slack'], peal, false)).toBe(
      'sms sent, slack failed, rejected_recipient',
    );
  });

  test('of a bulk is named by its counts, with the reasons of skips', () => {
    expect(nameOfPeal(['sms'], { sms: { state: 'sent', counts: bulk } }, true)).toBe(
      'sms: 1 waiting, 6 sent, 2 skipped (1 no_address, 1 opted_out), 1 failed',
    );
  });
});
