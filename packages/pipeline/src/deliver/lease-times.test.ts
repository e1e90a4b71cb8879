import { channelNames } from '@belfry/channels';
import { readEnv } from '@belfry/runtime';
import { testEnvironment } from '@belfry/testing';
import { getDeadlineMs, getLeaseMs, getPreparationMs } from './lease-times';
import { longestPaceMs } from './rate-limits';

const readWorkerEnv = async (env: Record<string, string> = {}) =>
  readEnv('worker', await testEnvironment({ databaseUrl: 'postgres://127.0.0.1/x', env }));

describe('a lease', () => {
  test.each([
    // Files and connections.
    ['email' as const, 10_000 + 5_000],
    // Access tokens.
    ['push' as const, 10_000],
    ['slack' as const, 0],
  ])('of %s includes %i ms of preparation', async (channel, preparationMs) => {
    const env = await readWorkerEnv();
    expect(getPreparationMs(channel)).toBe(preparationMs);
    expect(getLeaseMs(channel, env)).toBe(
      preparationMs + longestPaceMs + getDeadlineMs(channel, env) + 2_000,
    );
  });

  test('fits a whole deadline after the longest preparation, on every channel', async () => {
    const env = await readWorkerEnv({ SEND_TIMEOUT_MS: '500' });
    for (const channel of channelNames) {
      const otherMs = getLeaseMs(channel, env) - getPreparationMs(channel) - longestPaceMs - 500;
      expect([channel, otherMs]).toEqual([channel, 2_000]);
    }
  });
});
