import { createLoop } from './loop';

const everyMs = 1;

/** Turns that end when they are told to; `began` resolves with the first of them. */
function createTurns() {
  let begin: () => void = () => {};
  let end: () => void = () => {};
  const began = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const turns = { count: 0, began, end: () => end() };
  async function turn(): Promise<void> {
    turns.count += 1;
    begin();
    await ended;
  }
  return { turns, turn };
}

describe('a loop', () => {
  test('closes when the turn that runs is over, and begins no other', async () => {
    const { turns, turn } = createTurns();
    const loop = createLoop(turn, () => everyMs);
    loop.start();
    await turns.began;
    let isClosed = false;
    const closing = loop.close().then(() => {
      isClosed = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 10 * everyMs));
    expect(isClosed).toBe(false);
    turns.end();
    await closing;
    await new Promise((resolve) => setTimeout(resolve, 10 * everyMs));
    expect(turns.count).toBe(1);
  });

  test('that is closed before its first turn begins none', async () => {
    const { turns, turn } = createTurns();
    const loop = createLoop(turn, () => everyMs);
    loop.start();
    await loop.close();
    await new Promise((resolve) => setTimeout(resolve, 10 * everyMs));
    expect(turns.count).toBe(0);
  });
});
