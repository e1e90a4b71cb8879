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
    const fill = computeFill(bulk);
    expect(fill.map(({ state }) => state)).toEqual(['sent', 'skipped', 'failed', 'waiting']);
    const [sent = 0, skipped = 0, failed = 0, waiting = 0] = fill.map(({ share }) => share);
    expect(sent + skipped + failed + waiting).toBeCloseTo(1);
    expect(sent).toBeGreaterThan(skipped);
    expect(skipped).toBeGreaterThan(failed);
    expect(failed).toBe(waiting);
    expect(computeFill(countStates([]))).toEqual([]);
  });

  test('shows one failure of many', () => {
    const [, failed] = computeFill(
      countStates([createCount('sent', 9_999), createCount('failed', 1)]),
    );
    expect(failed).toMatchObject({ state: 'failed', share: expect.closeTo(0.15) });
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
