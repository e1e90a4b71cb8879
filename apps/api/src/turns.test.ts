import { createTurns } from './turns';

/** Work that notes its name, and ends when it is told to. */
function createWork() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  async function endNext() {
    ends.shift()?.();
    await new Promise(setImmediate);
  }
  return { begun, work, endNext };
}

describe('turns', () => {
  test('go from account to account, one at a time, so that none waits for all of another one', async () => {
    const inTurn = createTurns();
    const { begun, work, endNext } = createWork();
    const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) =>
      inTurn(name.charAt(0), work(name)),
    );
    for (const _each of all) await endNext();
    await Promise.all(all);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  test('go on behind work that fails', async () => {
    const inTurn = createTurns();
    const failed = inTurn('a', () => Promise.reject(new Error('broken')));
    const next = inTurn('a', async () => 'done');
    await expect(failed).rejects.toThrow('broken');
    expect(await next).toBe('done');
    expect(await inTurn('a', async () => 'again')).toBe('again');
  });

  test('refuse an account whose own work fills the queue, and nobody else', async () => {
    const inTurn = createTurns();
    const { work, endNext } = createWork();
    const all = Array.from({ length: 101 }, () => inTurn('a', work('a')));
    await expect(inTurn('a', work('a'))).rejects.toMatchObject({ code: 'rate_limited' });
    const other = inTurn('b', async () => 'done');
    for (let time = 0; time < 102; time += 1) await endNext();
    await Promise.all(all);
    expect(await other).toBe('done');
  });
});
