import { createLogger } from '@belfry/runtime';
import { endRoles, getEndTimes, getShutdownTimeoutMs } from './end-roles';

const log = createLogger({ level: 'error', process: 'test' });
const never = () => new Promise<void>(() => undefined);

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

async function end(close: (whenCut: Promise<void>) => Promise<void>) {
  const startedAt = Date.now();
  let cutAfterMs: number | undefined;
  let endedAfterMs: number | undefined;
  let cut: () => void = () => undefined;
  const whenCut = new Promise<void>((resolve) => {
    cut = resolve;
  });
  void endRoles({
    roles: [{ close: () => close(whenCut) }],
    cut() {
      cutAfterMs = Date.now() - startedAt;
      cut();
    },
    shutdownTimeoutMs: 25_000,
    log,
  }).then(() => {
    endedAfterMs = Date.now() - startedAt;
  });
  await jest.advanceTimersByTimeAsync(60_000);
  return { cutAfterMs, endedAfterMs };
}

describe('endRoles', () => {
  test('waits for roles to close and aborts nothing if they close in time', async () => {
    const close = () => new Promise<void>((resolve) => setTimeout(resolve, 15_000));
    expect(await end(close)).toEqual({ cutAfterMs: undefined, endedAfterMs: 15_000 });
  });

  test('aborts attempts that still run 8 s before the timeout', async () => {
    expect(await end((whenCut) => whenCut)).toEqual({ cutAfterMs: 17_000, endedAfterMs: 17_000 });
  });

  test('leaves unrecorded attempts to their leases 5 s before the timeout', async () => {
    expect(await end(never)).toEqual({ cutAfterMs: 17_000, endedAfterMs: 20_000 });
  });
});

describe('getEndTimes', () => {
  test.each([100, 1_000, 10_000, 25_000, 50_000, 300_000])(
    'aborts, then stops waiting, both within %i ms',
    (timeoutMs) => {
      const { cutAfterMs, leaveAfterMs } = getEndTimes(timeoutMs);
      expect(cutAfterMs).toBeGreaterThan(0);
      expect(leaveAfterMs).toBeGreaterThan(cutAfterMs);
      expect(timeoutMs).toBeGreaterThan(leaveAfterMs);
    },
  );
});

describe('getShutdownTimeoutMs', () => {
  test.each([
    ['the configured time', 7_000, [40_000], 7_000],
    ['the longest deadline plus 10 s', 0, [15_000, 40_000, 0], 50_000],
    ['25 s for a process that sends nothing', 0, [0], 25_000],
  ])('is %s', (_title, configured, deadlines, expected) => {
    expect(getShutdownTimeoutMs(configured, deadlines)).toBe(expected);
  });

  test.each([[[15_000]], [[40_000]]])(
    'leaves attempts with deadlines of %j ms time to finish',
    (deadlines) => {
      const { cutAfterMs } = getEndTimes(getShutdownTimeoutMs(0, deadlines));
      expect(cutAfterMs).toBeGreaterThan(Math.max(...deadlines));
    },
  );
});
