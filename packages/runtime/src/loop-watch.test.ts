import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from './log';
import { type LoopWatch, watchLoop } from './loop-watch';

type Work = (watch: LoopWatch) => Promise<void> | void;

async function countStalls(work: Work): Promise<number> {
  let stalls = 0;
  const stream = new PassThrough();
  const log = createLogger({ level: 'warn', process: 'test', stream });
  const watch = watchLoop({ log, metrics: { countLoopStall: () => (stalls += 1) } });
  await sleep(60);
  await work(watch);
  await sleep(100);
  watch.stop();
  expect(String(stream.read() ?? '').includes('loop.stalled')).toBe(stalls > 0);
  return stalls;
}

/** Longer than a watch stays at its short interval without work. */
const restAfterMs = 2_500;

function workFor(ms: number): void {
  const { user } = process.cpuUsage();
  while ((process.cpuUsage().user - user) / 1_000 < ms);
}

describe('watchLoop', () => {
  test('logs and counts work that blocks the event loop', async () => {
    expect(await countStalls(() => workFor(250))).toBe(1);
  });

  test('does not report waiting', async () => {
    expect(await countStalls(() => sleep(250))).toBe(0);
  });

  test('also notices the first work after a rest, if it is announced', async () => {
    const workAfterRest: Work = async ({ expectWork }) => {
      await sleep(restAfterMs);
      expectWork();
      workFor(250);
    };
    expect(await countStalls(workAfterRest)).toBe(1);
  });

  test('checks at most twice a second at rest', () => {
    const log = createLogger({ level: 'warn', process: 'test' });
    const cpuUsage = jest.spyOn(process, 'cpuUsage').mockReturnValue({ user: 0, system: 0 });
    jest.useFakeTimers();
    try {
      const watch = watchLoop({ log, metrics: { countLoopStall: () => undefined } });
      jest.advanceTimersByTime(restAfterMs);
      cpuUsage.mockClear();
      jest.advanceTimersByTime(60_000);
      watch.stop();
      expect(cpuUsage.mock.calls.length).toBeGreaterThan(0);
      expect(cpuUsage.mock.calls.length).toBeLessThanOrEqual(120);
    } finally {
      jest.useRealTimers();
      cpuUsage.mockRestore();
    }
  });
});
