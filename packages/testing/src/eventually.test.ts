import { eventually } from './eventually';

describe('eventually', () => {
  test('returns the first result of the assertion that does not throw', async () => {
    let calls = 0;
    const result = await eventually(
      () => {
        calls += 1;
        if (calls < 3) throw new Error('not yet');
        return calls;
      },
      { intervalMs: 1 },
    );
    expect(result).toBe(3);
  });

  test('throws the last failure when the time is over', async () => {
    let calls = 0;
    const failing = eventually(
      () => {
        calls += 1;
        throw new Error(`failure ${calls}`);
      },
      { timeoutMs: 20, intervalMs: 5 },
    );
    await expect(failing).rejects.toThrow(/^failure \d+$/);
    expect(calls).toBeGreaterThan(1);
  });
});
