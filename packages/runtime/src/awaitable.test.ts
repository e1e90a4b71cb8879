import { runInNewContext } from 'node:vm';
import { andThen, isPromise } from './awaitable';

describe('andThen', () => {
  test('calls the function synchronously for a plain value', () => {
    const values: number[] = [];
    expect(andThen(1, (value) => values.push(value))).toBe(1);
    expect(values).toEqual([1]);
  });

  test('calls it later for a promise, and returns a promise of the result', async () => {
    const followed = andThen(Promise.resolve(1), (value) => value + 1);
    expect(isPromise(followed)).toBe(true);
    expect(await followed).toBe(2);
  });

  test('throws an error of the function for a plain value, and rejects for a promise', async () => {
    const fail = () => {
      throw new Error('behind');
    };
    expect(() => andThen(1, fail)).toThrow('behind');
    await expect(andThen(Promise.resolve(1), fail)).rejects.toThrow('behind');
  });
});

describe('isPromise', () => {
  test('recognizes a promise from another realm, and no JSON value', () => {
    expect(isPromise(runInNewContext('Promise.resolve(1)'))).toBe(true);
    expect([JSON.parse('{"then":"x"}'), null, undefined, 1, 'then'].filter(isPromise)).toEqual([]);
  });
});
