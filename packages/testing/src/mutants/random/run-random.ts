import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { closeFolder } from '@belfry/embedded';
import { listTypeScript } from '../../syntax';
import { startTestStores } from '../../test-stores';
import { createMutantCopy, type MutantCopy } from '../mutant-copy';
import { dropRefused } from './drop-refused';
import { countSharedWords, readImportGraph } from './import-graph';
import { listCandidates } from './list-candidates';
import { type RandomMutant, shuffleMutants } from './random-mutants';
import { isProof, type RandomFate, type Trial, tryMutant } from './try-mutant';

export type RandomOptions = {
  count: number;
  seed: number;
  /** Time for the near tests of one mutant, and again for its end-to-end tests. */
  limitMs: number;
  /** Fates from an interrupted run. */
  earlier: readonly RandomFate[];
  signal: AbortSignal;
  onFate(fate: RandomFate): void;
  onProgress(text: string): void;
};

/** Tries mutants until `count` of them were caught or survived. */
export async function runRandomMutants(options: RandomOptions): Promise<RandomFate[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'belfry-mutants-'));
  const closers = [async () => rmSync(folder, { recursive: true, force: true })];
  try {
    await closeFolder(folder);
    const copy = await createMutantCopy(options.signal);
    closers.unshift(async () => copy.remove());
    // One PostgreSQL and one Redis for all mutants.
    const stores = await startTestStores({ folder });
    closers.unshift(stores.stop);
    const servers = { env: stores.env, serversFolder: path.join(folder, 'tests') };
    return await tryAll(copy, servers, options);
  } finally {
    for (const close of closers) await close();
  }
}

type Servers = Pick<Trial, 'env' | 'serversFolder'>;

async function tryAll(copy: MutantCopy, servers: Servers, options: RandomOptions) {
  const { count, limitMs, earlier, signal, onFate } = options;
  const graph = readImportGraph(copy.root);
  const endToEnd = listEndToEndTests(copy.root);
  const passing = new Set<string>();
  const fates: RandomFate[] = [];
  for await (const mutant of acceptedMutants(copy, listCandidates(copy.root, graph), options)) {
    if (signal.aborted || fates.filter(isProof).length === count) break;
    const earlierFate = earlier.find((fate) => fate.mutant.id === mutant.id);
    const trial = {
      copy,
      ...servers,
      limitMs,
      nearTests: orderTests(mutant, graph.findTests(mutant.file, mutant.start)),
      endToEndTests: endToEnd(mutant.file),
      passing,
    };
    const fate = earlierFate ?? (await tryMutant(mutant, trial));
    if (signal.aborted) break;
    fates.push(fate);
    onFate(fate);
  }
  return fates;
}

/** The check refuses about a third of them. */
const checkedForEach = 1.5;

async function* acceptedMutants(
  copy: MutantCopy,
  candidates: readonly RandomMutant[],
  { count, seed, earlier, onFate, onProgress }: RandomOptions,
): AsyncGenerator<RandomMutant> {
  const earlierFates = new Map(earlier.map(({ mutant, fate }) => [mutant.id, fate]));
  const shuffled = shuffleMutants(candidates, seed);
  const size = Math.ceil(checkedForEach * count);
  for (let start = 0; start < shuffled.length; start += size) {
    const group = shuffled.slice(start, start + size);
    const checked = group.filter(({ id }) => !earlierFates.has(id));
    onProgress(`checking ${checked.length} mutants with tsc and the linter`);
    const accepted = await dropRefused(checked, copy);
    onProgress(`they accept ${accepted.length} of ${checked.length} mutants`);
    for (const mutant of checked.filter((each) => !accepted.includes(each))) {
      onFate({ mutant, fate: 'refused', seconds: 0, passed: 0, left: 0 });
    }
    yield* group.filter((mutant) =>
      earlierFates.has(mutant.id)
        ? earlierFates.get(mutant.id) !== 'refused'
        : accepted.includes(mutant),
    );
  }
}

/** The test whose guarantee is that no statement crosses accounts comes first for a mutant that drops such a condition. */
function orderTests({ kind }: RandomMutant, tests: readonly string[]): readonly string[] {
  if (kind !== 'dropped tenant condition') return tests;
  const isFirst = (test: string) => test.endsWith('/isolation.int.test.ts');
  return [...tests.filter(isFirst), ...tests.filter((test) => !isFirst(test))];
}

/** They generate inputs for minutes, or need a browser: other commands run them. */
const slow = /\/(abuse|attacks|chaos|hostile|worker-memory|test-your-service|start)\.e2e\./;

/** Tests of the same part first, then quick ones that cross the whole system. */
function listEndToEndTests(root: string): (file: string) => string[] {
  const tests = listTypeScript(root).filter(
    (file) => file.endsWith('.e2e.test.ts') && !slow.test(file),
  );
  return (file) => [...tests].sort((a, b) => countSharedWords(file, b) - countSharedWords(file, a));
}
