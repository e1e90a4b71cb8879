import { createLogger } from '@belfry/runtime';
import { type AttemptResult, leaseExpired } from '../deliver/record.sql';
import { createLeases, type LeasesDeps } from './expire-leases';
import type { ExpiredLease } from './relay.sql';

const log = createLogger({ level: 'error', process: 'test' });
const lookEveryMs = 1_000;
const longAgoMs = 3_600_000;

const expiredLease: ExpiredLease = {
  id: 'message',
  attempt: 1,
  channel: 'email',
  versionId: 'version',
  unknownCount: 0,
  integrationId: undefined,
};

/** Leases over a PostgreSQL that answers, but for what a test breaks; and what each look told it. */
function setUp(overrides: Partial<LeasesDeps> = {}) {
  const recorded: AttemptResult[] = [];
  const backFor: number[] = [];
  const clock = { ms: Date.UTC(2027, 0, 1), isUnavailable: false };
  const leases = createLeases({
    async readUptimeMs() {
      if (clock.isUnavailable) throw new Error('away');
      return longAgoMs;
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

  /** Looks as `start` makes them, for that long. */
  async function look(forMs = 0): Promise<void> {
    for (let passedMs = 0; passedMs <= forMs; passedMs += lookEveryMs) {
      await leases.runOnce();
      clock.ms += lookEveryMs;
    }
  }

  return { clock, look, recorded, backForMs: () => backFor.at(-1) };
}

describe('a lease that ran out', () => {
  test('is recorded as an attempt whose outcome nobody knows', async () => {
    const { look, recorded } = setUp({ listExpiredLeases: async () => [expiredLease] });
    await look();
    expect(recorded).toMatchObject([
      { outcome: 'unknown', reason: leaseExpired, next: { state: 'unknown' } },
    ]);
  });
});

describe('for how long PostgreSQL is back', () => {
  test('is as long as it runs when the relay comes', async () => {
    const { look, backForMs } = setUp();
    await look();
    expect(backForMs()).toBe(longAgoMs);
  });

  test.each([
    ['is refused once', 1_000],
    ['has no PostgreSQL for 2 s', 2_000],
  ])('goes on when the relay %s', async (_what, awayMs) => {
    const { clock, look, backForMs } = setUp();
    await look();
    clock.isUnavailable = true;
    await look(awayMs - lookEveryMs);
    clock.isUnavailable = false;
    await look();
    expect(backForMs()).toBe(longAgoMs + lookEveryMs + awayMs);
  });

  test('goes on over any number of lost answers', async () => {
    const { clock, look, backForMs } = setUp();
    await look();
    for (let times = 0; times < 30; times += 1) {
      clock.isUnavailable = true;
      await look();
      clock.isUnavailable = false;
      await look();
    }
    expect(backForMs()).toBeGreaterThan(longAgoMs);
  });

  test('begins when PostgreSQL comes back', async () => {
    const { clock, look, backForMs } = setUp();
    await look();
    clock.isUnavailable = true;
    await look(10_000);
    clock.isUnavailable = false;
    await look();
    expect(backForMs()).toBe(0);
    await look(20_000);
    expect(backForMs()).toBe(21_000);
  });

  test.each([
    ['goes on when an answer comes late on a busy machine', 8_000, longAgoMs + 8_000],
    ['begins when an answer comes much later', 12_000, 0],
  ])('%s', async (_what, answerMs, expectedMs) => {
    const clock = { ms: Date.UTC(2027, 0, 1), answerMs: 0 };
    const { backForMs, look } = setUp({
      now: () => clock.ms,
      async readUptimeMs() {
        clock.ms += clock.answerMs;
        return longAgoMs;
      },
    });
    await look();
    clock.answerMs = answerMs;
    await look();
    expect(backForMs()).toBe(expectedMs);
  });

  test.each([
    ['was frozen', 60_000],
    ['finds its clock set back', -2 * longAgoMs],
  ])('begins when the relay %s', async (_what, byMs) => {
    const { clock, look, backForMs } = setUp();
    await look();
    clock.ms += byMs;
    await look();
    expect(backForMs()).toBe(0);
  });
});
