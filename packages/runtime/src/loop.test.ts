import { createLoop } from './loop';

const everyMs = 1;

/** Turns that end when they are told to; `began` resolves with the first of them. */
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
  return { turns: runs, turn: runOnce };
}

describe('a loop', () => {
  test('closes when the turn that runs is over, and begins no other', async () => {
    const { turns: runs, turn: runOnce } = createRuns();
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

  test('that is closed before its first turn begins none', async () => {
    const { turns: runs, turn: runOnce } = createRuns();
    const loop = createLoop(runOnce, () => everyMs);
    loop.start();
    await loop.close();
    await new Promise((resolve) => setTimeout(resolve, 10 * everyMs));
    expect(runs.count).toBe(0);
  });
});
