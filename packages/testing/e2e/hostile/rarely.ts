import fc from 'fast-check';

/** Mostly the usual value, sometimes another. */
export function rarely<T, U>(unusual: fc.Arbitrary<T>, usual: U): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: 24, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: unusual });
}
