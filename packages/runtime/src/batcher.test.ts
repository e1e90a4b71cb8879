import fc from 'fast-check';
import { BatcherFullError, createBatcher } from './batcher';

const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('createBatcher', () => {
  test('flushes inputs that arrive together in one batch', async () => {
    const flushes: number[][] = [];
    const batcher = createBatcher<number, number>({
      flush: async (inputs) => {
        flushes.push(inputs);
        return inputs.map((input) => input * 2);
      },
      maxBatch: 10,
      maxWaiting: 10,
    });
    expect(await Promise.all([1, 2, 3].map((input) => batcher.add(input)))).toEqual([2, 4, 6]);
    expect(flushes).toEqual([[1, 2, 3]]);
  });

  test('starts the next flush only after the previous one ended', async () => {
    let running = 0;
    const batcher = createBatcher<number, number>({
      flush: async (inputs) => {
        running += 1;
        expect(running).toBe(1);
        await settled();
        running -= 1;
        return inputs;
      },
      maxBatch: 2,
      maxWaiting: 100,
    });
    await Promise.all(Array.from({ length: 9 }, (_, index) => batcher.add(index)));
  });

  describe('after a flush of 4 ms', () => {
    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());

    /** The times at which a flush of one or two callers and the flush of a later caller start. */
    async function readStarts(callers: number, rests: boolean): Promise<number[]> {
      const startsMs: number[] = [];
      const batcher = createBatcher<number, number>({
        async flush(inputs) {
          startsMs.push(performance.now());
          await new Promise((resolve) => setTimeout(resolve, 4));
          return inputs;
        },
        maxBatch: 10,
        maxWaiting: 10,
        rests,
      });
      const startedAtMs = performance.now();
      for (let caller = 0; caller < callers; caller += 1) void batcher.add(caller);
      await jest.advanceTimersByTimeAsync(5);
      void batcher.add(callers);
      await jest.advanceTimersByTimeAsync(20);
      return startsMs.map((ms) => ms - startedAtMs);
    }

    test.each([
      ['that callers shared, rests as long', 2, true, [0, 8]],
      ['with one caller, does not rest', 1, true, [0, 5]],
      ['does not rest unless asked to', 2, false, [0, 5]],
    ])('%s', async (_what, callers, rests, startsMs) => {
      expect(await readStarts(callers, rests)).toEqual(startsMs);
    });
  });

  test('rejects callers beyond its limit, and serves the earlier ones', async () => {
    const batcher = createBatcher<number, number>({
      flush: async (inputs) => inputs,
      maxBatch: 10,
      maxWaiting: 2,
    });
    const [first, second, third] = [batcher.add(1), batcher.add(2), batcher.add(3)];
    await expect(third).rejects.toBeInstanceOf(BatcherFullError);
    expect(await Promise.all([first, second])).toEqual([1, 2]);
  });

  test('close waits for accepted callers and rejects later ones', async () => {
    const batcher = createBatcher<number, number>({
      flush: async (inputs) => inputs,
      maxBatch: 1,
      maxWaiting: 10,
    });
    const added = Promise.all([batcher.add(1), batcher.add(2)]);
    await batcher.close();
    expect(await added).toEqual([1, 2]);
    await expect(batcher.add(3)).rejects.toBeInstanceOf(BatcherFullError);
  });

  test('gives each caller its own result or the error of its flush, and never flushes equal keys together', async () => {
    const inputs = fc.array(
      fc.record({
        key: fc.option(fc.constantFrom('a', 'b')),
        fails: fc.boolean(),
        gap: fc.boolean(),
      }),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(inputs, fc.integer({ min: 1, max: 7 }), async (callers, maxBatch) => {
        const batcher = createBatcher<
          { index: number; key: string | null; fails: boolean },
          number
        >({
          flush: async (batch) => {
            const keys = batch.flatMap(({ key }) => key ?? []);
            expect(new Set(keys).size).toBe(keys.length);
            expect(batch.length).toBeLessThanOrEqual(maxBatch);
            if (batch.some(({ fails }) => fails)) throw new Error('flush');
            return batch.map(({ index }) => index);
          },
          maxBatch,
          maxWaiting: 1_000,
          getKey: ({ key }) => key ?? undefined,
        });
        const answers: Promise<number | string>[] = [];
        for (const [index, { key, fails, gap }] of callers.entries()) {
          answers.push(batcher.add({ index, key, fails }).catch(() => 'failed'));
          if (gap) await new Promise((resolve) => setImmediate(resolve));
        }
        const results = await Promise.all(answers);
        for (const [index, answer] of results.entries())
          expect([index, 'failed']).toContain(answer);
      }),
      { numRuns: 100 },
    );
  });
});
