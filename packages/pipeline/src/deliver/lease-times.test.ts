import { channelNames } from '@belfry/channels';
import { getDeadlineMs, getLeaseMs, getPreparationMs } from './lease-times';
import { longestPaceMs } from './rate-limits';

describe('a lease', () => {
  test.each([
    // Files and connections.
    ['email' as const, 10_000 + 5_000],
    // Access tokens.
    ['push' as const, 10_000],
    ['slack' as const, 0],
  ])('of %s includes %i ms of preparation', (channel, preparationMs) => {
    const env = { SEND_TIMEOUT_MS: 0 };
    expect(getPreparationMs(channel)).toBe(preparationMs);
    expect(getLeaseMs(channel, env)).toBe(
      preparationMs + longestPaceMs + getDeadlineMs(channel, env) + 2_000,
    );
  });

  test('fits a whole deadline after the longest preparation, on every channel', () => {
    const env = { SEND_TIMEOUT_MS: 500 };
    for (const channel of channelNames) {
      const otherMs = getLeaseMs(channel, env) - getPreparationMs(channel) - longestPaceMs - 500;
      expect([channel, otherMs]).toEqual([channel, 2_000]);
    }
  });
});
