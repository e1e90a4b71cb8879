import { choosePackages } from './apt';

describe('packagesFor', () => {
  test('takes only the packages that the missing libraries are named after', () => {
    const packages = ['libatomic1', 'libjemalloc2', 'liblzf1', 'libssl3t64', 'libsystemd0'];
    expect(choosePackages(['libjemalloc.so.2', 'liblzf.so.1'], packages)).toEqual([
      'libjemalloc2',
      'liblzf1',
    ]);
    expect(choosePackages(['libssl.so.3'], packages)).toEqual(['libssl3t64']);
  });

  test('takes them all where none is named after what is missing', () => {
    expect(choosePackages(['libcrypto.so.3'], ['libssl3'])).toEqual(['libssl3']);
  });
});
