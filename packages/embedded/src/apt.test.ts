import { choosePackages } from './apt';

describe('choosePackages', () => {
  test('returns the packages named after missing libraries', () => {
    const packages = ['libatomic1', 'libjemalloc2', 'liblzf1', 'libssl3t64', 'libsystemd0'];
    expect(choosePackages(['libjemalloc.so.2', 'liblzf.so.1'], packages)).toEqual([
      'libjemalloc2',
      'liblzf1',
    ]);
    expect(choosePackages(['libssl.so.3'], packages)).toEqual(['libssl3t64']);
  });

  test('returns all packages if none is named after a missing library', () => {
    expect(choosePackages(['libcrypto.so.3'], ['libssl3'])).toEqual(['libssl3']);
  });
});
