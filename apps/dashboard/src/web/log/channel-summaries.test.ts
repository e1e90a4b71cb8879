import { countStates, type MessageState } from '@belfry/shared';
import { computeFill, formatSummaries } from './channel-summaries';

function createCount(state: MessageState, count: number, reason: string | null = null) {
  return { channel: 'sms', state, count, reason };
}

const bulk = countStates([
  createCount('sent', 6),
  createCount('skipped', 1, 'no_address'),
  createCount('skipped', 1, 'opted_out'),
  createCount('failed', 1),
  createCount('queued', 1),
]);

describe('a channel column', () => {
  test('is filled by the share of each state, in the colours of single messages', () => {
    expect(computeFill(bulk)).toEqual([
      { state: 'delivered', share: 0 },
      { state: 'sent', share: 0.6 },
      { state: 'unknown', share: 0 },
      { state: 'skipped', share: 0.2 },
      { state: 'failed', share: 0.1 },
    ]);
    const shares = computeFill(countStates([])).map(({ share }) => share);
    expect(shares).toEqual([0, 0, 0, 0, 0]);
  });

  test('is described in channel order, whatever the input order', () => {
    const counts = countStates([]);
    const summaries = {
      slack: { state: 'failed', reason: 'rejected_recipient', counts },
      sms: { state: 'sent', counts },
    };
    expect(formatSummaries(['sms', 'email', 'slack'], summaries, false)).toBe(
      'sms sent, slack failed, rejected_recipient',
    );
  });

  test('of a bulk request is described by its counts, with the reasons of skips', () => {
    expect(formatSummaries(['sms'], { sms: { state: 'sent', counts: bulk } }, true)).toBe(
      'sms: 1 waiting, 6 sent, 2 skipped (1 no_address, 1 opted_out), 1 failed',
    );
  });
});
