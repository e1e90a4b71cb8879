import { createLoop } from './loop';

const everyMs = 1;

/** Runs that end on command; `began` resolves when the first one starts. */
function createRuns() {
  let begin: () => void = () => {};
  let end: () => void = () => {};
  const began = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const runs = { count: 0, began, end: () => end() };
  async function runOnce(): Promise<void> {
    runs.count += 1;
    begin();
    await ended;
  }
  return { runs, runOnce };
}

describe('a loop', () => {
  test('close waits for the current run and starts no other', async () => {
    const { runs, runOnce } = createRuns();
    const loop = createLoop(runOnce, () => everyMs);
    loop.start();
    await runs.began;
    let isClosed = false;
    const closing = loop.close().then(() => {
      isClosed = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 10 * everyMs));
    expect(isClosed).toBe(false);
    runs.end();
    await closing;
    await new Promise((resolve) => setTimeout(resolve, 10 * everyMs));
    expect(runs.count).toBe(1);
  });

  test('runs at once when it is woken, and once more when it is woken during a run', async () => {
    const { runs, runOnce } = createRuns();
    const loop = createLoop(runOnce, () => 600_000);
    loop.start();
    loop.wake();
    loop.wake();
    loop.wake();
    expect(runs.count).toBe(1);
    runs.end();
    while (runs.count < 2) await new Promise((resolve) => setTimeout(resolve, everyMs));
    await new Promise((resolve) => setTimeout(resolve, 10 * everyMs));
    expect(runs.count).toBe(2);
    await loop.close();
    loop.wake();
    expect(runs.count).toBe(2);
  });

  test('starts no run after it was closed', async () => {
    const { runs, runOnce } = createRuns();
    const loop = createLoop(runOnce, () => everyMs);
    loop.start();
    await loop.close();
    await new Promise((resolve) => setTimeout(resolve, 10 * everyMs));
    expect(runs.count).toBe(0);
  });
});

describe('loops of one process', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test('share their wake-ups if they wait for 500 ms or more, whenever they were started', async () => {
    const times = new Set<number>();
    const loops = [500, 1_000, 5_000].map((waitMs) =>
      createLoop(
        async () => void times.add(Math.round(performance.now())),
        () => waitMs,
      ),
    );
    for (const loop of loops) {
      loop.start();
      await jest.advanceTimersByTimeAsync(137);
    }
    await jest.advanceTimersByTimeAsync(5_000);
    times.clear();
    await jest.advanceTimersByTimeAsync(10_000);
    await Promise.all(loops.map((loop) => loop.close()));
    expect(times.size).toBeGreaterThanOrEqual(19);
    expect(times.size).toBeLessThanOrEqual(21);
  });
});
