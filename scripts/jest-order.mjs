/** @typedef {{ path: string, context: { config: { displayName?: { name: string } } } }} TestFile */

const order = ['e2e', 'int', 'unit', 'page'];

/**
 * Jest's sequencer: the projects with the longest files come first, as a long file at the end leaves a worker idle. Jest's own
 * one sorts by earlier times, which a fresh checkout lacks, and then by size: the longest tests have small files.
 */
export default class TestOrder {
  /** @param {TestFile[]} tests */
  sort(tests) {
    /** @param {TestFile} test */
    const getRank = ({ context }) => order.indexOf(context.config.displayName?.name ?? '');
    return tests.toSorted((a, b) => getRank(a) - getRank(b) || (a.path < b.path ? -1 : 1));
  }

  /** Jest would store the times here. */
  cacheResults() {}
}
