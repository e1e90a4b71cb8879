import { createAccountQueue } from './account-queue';

/** Creates work that records its name when it starts and ends on `endNext`. */
function createWork() {
  const startedNames: string[] = [];
  const ends: (() => void)[] = [];
  const work = (name: string) => () => {
    startedNames.push(name);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  async function endNext() {
    ends.shift()?.();
    await new Promise(setImmediate);
  }
  return { startedNames, work, endNext };
}

describe('createAccountQueue', () => {
  test('alternates between accounts, one piece of work at a time', async () => {
    const runInSequence = createAccountQueue();
    const { startedNames, work, endNext } = createWork();
    const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map((name) =>
      runInSequence(name.charAt(0), work(name)),
    );
    for (const _each of all) await endNext();
    await Promise.all(all);
    expect(startedNames).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  test('continues after work that failed', async () => {
    const runInSequence = createAccountQueue();
    const failed = runInSequence('a', () => Promise.reject(new Error('broken')));
    const next = runInSequence('a', async () => 'done');
    await expect(failed).rejects.toThrow('broken');
    expect(await next).toBe('done');
    expect(await runInSequence('a', async () => 'again')).toBe('again');
  });

  test('refuses only the account whose queue is full', async () => {
    const runInSequence = createAccountQueue();
    const { work, endNext } = createWork();
    const all = Array.from({ length: 101 }, () => runInSequence('a', work('a')));
    await expect(runInSequence('a', work('a'))).rejects.toMatchObject({ code: 'rate_limited' });
    const otherWork = runInSequence('b', async () => 'done');
    for (let time = 0; time < 102; time += 1) await endNext();
    await Promise.all(all);
    expect(await otherWork).toBe('done');
  });
});
