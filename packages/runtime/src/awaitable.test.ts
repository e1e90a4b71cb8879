import { runInNewContext } from 'node:vm';
import { andThen, isPromise } from './awaitable';

describe('andThen', () => {
  test('goes on at once with what is known', () => {
    const values: number[] = [];
    expect(andThen(1, (value) => values.push(value))).toBe(1);
    expect(values).toEqual([1]);
  });

  test('goes on later with what is promised, and gives what follows', async () => {
    const followed = andThen(Promise.resolve(1), (value) => value + 1);
    expect(isPromise(followed)).toBe(true);
    expect(await followed).toBe(2);
  });

  test('throws at once, or rejects, what goes wrong behind it', async () => {
    const fail = () => {
      throw new Error('behind');
    };
    expect(() => andThen(1, fail)).toThrow('behind');
    await expect(andThen(Promise.resolve(1), fail)).rejects.toThrow('behind');
  });
});

describe('isPromise', () => {
  test('knows a promise of another realm, and takes no JSON for one', () => {
    expect(isPromise(runInNewContext('Promise.resolve(1)'))).toBe(true);
    expect([JSON.parse('{"then":"x"}'), null, undefined, 1, 'then'].filter(isPromise)).toEqual([]);
  });
});
