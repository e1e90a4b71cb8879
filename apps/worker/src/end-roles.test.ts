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
  test('waits for what ends by itself, and cuts nothing off', async () => {
    const close = () => new Promise<void>((resolve) => setTimeout(resolve, 15_000));
    expect(await end(close)).toEqual({ cutAfterMs: undefined, endedAfterMs: 15_000 });
  });

  test('cuts off what does not end 8 s before the end', async () => {
    expect(await end((whenCut) => whenCut)).toEqual({ cutAfterMs: 17_000, endedAfterMs: 17_000 });
  });

  test('leaves what cannot be recorded to its lease, with time left for closing the rest', async () => {
    expect(await end(never)).toEqual({ cutAfterMs: 17_000, endedAfterMs: 20_000 });
  });
});

describe('endTimesOf', () => {
  test.each([100, 1_000, 10_000, 25_000, 50_000, 300_000])(
    'cuts off, then leaves, then closes, all within %i ms',
    (timeoutMs) => {
      const { cutAfterMs, leaveAfterMs } = getEndTimes(timeoutMs);
      expect(cutAfterMs).toBeGreaterThan(0);
      expect(leaveAfterMs).toBeGreaterThan(cutAfterMs);
      expect(timeoutMs).toBeGreaterThan(leaveAfterMs);
    },
  );
});

describe('shutdownTimeoutOf', () => {
  test.each([
    ['what is configured', 7_000, [40_000], 7_000],
    ['10 s beyond the longest attempt', 0, [15_000, 40_000, 0], 50_000],
    ['as long for a process that sends nothing', 0, [0], 25_000],
  ])('is %s', (_what, configured, deadlines, expected) => {
    expect(getShutdownTimeoutMs(configured, deadlines)).toBe(expected);
  });

  test.each([[[15_000]], [[40_000]]])('cuts no attempt of %j ms off by itself', (deadlines) => {
    const { cutAfterMs } = getEndTimes(getShutdownTimeoutMs(0, deadlines));
    expect(cutAfterMs).toBeGreaterThan(Math.max(...deadlines));
  });
});
