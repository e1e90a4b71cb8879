import { createLogger } from '@belfry/runtime';
import { type AttemptResult, leaseExpired } from '../deliver/record.sql';
import { createLeases, type LeasesDeps } from './expire-leases';
import type { ExpiredLease } from './relay.sql';

const log = createLogger({ level: 'error', process: 'test' });
const lookEveryMs = 1_000;
const longAgoMs = 3_600_000;
const longAgo = { uptimeMs: longAgoMs, hasOpenMessages: true };

const expiredLease: ExpiredLease = {
  id: 'message',
  attempt: 1,
  channel: 'email',
  versionId: 'version',
  unknownCount: 0,
  integrationId: undefined,
};

/** Leases with a working PostgreSQL, unless a test breaks it; records what each run passed to the query. */
function setUp(overrides: Partial<LeasesDeps> = {}) {
  const recorded: AttemptResult[] = [];
  const backFor: number[] = [];
  const clock = { ms: Date.UTC(2027, 0, 1), isUnavailable: false };
  const leases = createLeases({
    async readUptime() {
      if (clock.isUnavailable) throw new Error('away');
      return longAgo;
    },
    now: () => clock.ms,
    async listExpiredLeases({ backForMs }) {
      backFor.push(backForMs);
      return [];
    },
    findVersion: async () => undefined,
    async recordResults(results) {
      recorded.push(...results);
      return results.map(() => true);
    },
    backoff: { baseMs: 1, capMs: 1, random: () => 0 },
    log,
    ...overrides,
  });

  /** Runs once a second for this long, as `start` does. */
  async function runFor(forMs = 0): Promise<void> {
    for (let passedMs = 0; passedMs <= forMs; passedMs += lookEveryMs) {
      await leases.runOnce();
      clock.ms += lookEveryMs;
    }
  }

  return { clock, runFor, recorded, backForMs: () => backFor.at(-1) };
}

describe('an expired lease', () => {
  test('is recorded as an attempt with an unknown outcome', async () => {
    const { runFor, recorded } = setUp({ listExpiredLeases: async () => [expiredLease] });
    await runFor();
    expect(recorded).toMatchObject([
      { outcome: 'unknown', reason: leaseExpired, next: { state: 'unknown' } },
    ]);
  });
});

describe('the time since PostgreSQL became available', () => {
  test('is its uptime when the relay starts', async () => {
    const { runFor, backForMs } = setUp();
    await runFor();
    expect(backForMs()).toBe(longAgoMs);
  });

  test.each([
    ['has one failed query', 1_000],
    ['has no PostgreSQL for 2 s', 2_000],
  ])('continues if the relay %s', async (_what, awayMs) => {
    const { clock, runFor, backForMs } = setUp();
    await runFor();
    clock.isUnavailable = true;
    await runFor(awayMs - lookEveryMs);
    clock.isUnavailable = false;
    await runFor();
    expect(backForMs()).toBe(longAgoMs + lookEveryMs + awayMs);
  });

  test('continues over any number of lost responses', async () => {
    const { clock, runFor, backForMs } = setUp();
    await runFor();
    for (let times = 0; times < 30; times += 1) {
      clock.isUnavailable = true;
      await runFor();
      clock.isUnavailable = false;
      await runFor();
    }
    expect(backForMs()).toBeGreaterThan(longAgoMs);
  });

  test('restarts when PostgreSQL returns after an outage', async () => {
    const { clock, runFor, backForMs } = setUp();
    await runFor();
    clock.isUnavailable = true;
    await runFor(10_000);
    clock.isUnavailable = false;
    await runFor();
    expect(backForMs()).toBe(0);
    await runFor(20_000);
    expect(backForMs()).toBe(21_000);
  });

  test('are not looked for while no message is open', async () => {
    const { backForMs, runFor } = setUp({
      readUptime: async () => ({ ...longAgo, hasOpenMessages: false }),
    });
    await runFor(5_000);
    expect(backForMs()).toBeUndefined();
  });

  test.each([
    ['continues if a response is late on a busy machine', 8_000, longAgoMs + 8_000],
    ['restarts if a response is much later', 12_000, 0],
  ])('%s', async (_what, answerMs, expectedMs) => {
    const clock = { ms: Date.UTC(2027, 0, 1), answerMs: 0 };
    const { backForMs, runFor } = setUp({
      now: () => clock.ms,
      async readUptime() {
        clock.ms += clock.answerMs;
        return longAgo;
      },
    });
    await runFor();
    clock.answerMs = answerMs;
    await runFor();
    expect(backForMs()).toBe(expectedMs);
  });

  test.each([
    ['was frozen', 60_000],
    ['finds its clock set back', -2 * longAgoMs],
  ])('restarts if the relay %s', async (_what, byMs) => {
    const { clock, runFor, backForMs } = setUp();
    await runFor();
    clock.ms += byMs;
    await runFor();
    expect(backForMs()).toBe(0);
  });
});
