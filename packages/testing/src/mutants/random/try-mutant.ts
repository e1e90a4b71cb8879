import type { MutantCopy } from '../mutant-copy';
import { applyInFolder } from './drop-refused';
import type { RandomMutant } from './random-mutants';
import { runTests, type TestRun } from './run-tests';

export type RandomFate = {
  mutant: RandomMutant;
  /**
   * Two fates prove nothing: `npm run check` refuses a `refused` mutant, and PostgreSQL does not parse the SQL of an `invalid` one, so
   * any test that reaches it fails.
   */
  fate: 'caught' | 'survived' | 'refused' | 'invalid';
  seconds: number;
  /** The test file that failed, and its tests. */
  by?: string;
  tests?: string[];
  /** Test files that passed, and files that there was no time for. */
  passed: number;
  left: number;
};

export type Trial = {
  copy: MutantCopy;
  env: Record<string, string>;
  serversFolder: string;
  /** Time for the unit and integration tests of a mutant, and again for its end-to-end tests. */
  limitMs: number;
  /** Unit and integration tests, nearest first. */
  nearTests: readonly string[];
  /** They need the mutant built. */
  endToEndTests: readonly string[];
  /** Test files that passed once: when one fails, the mutant is the cause. */
  passing: Set<string>;
};

type Verdict = Omit<RandomFate, 'mutant' | 'seconds'>;

export async function tryMutant(mutant: RandomMutant, trial: Trial): Promise<RandomFate> {
  const beganAtMs = performance.now();
  let undo = applyInFolder(mutant, trial.copy.root);
  /** Runs without the mutant. */
  async function unmutated<T>(work: () => Promise<T>): Promise<T> {
    undo();
    try {
      return await work();
    } finally {
      undo = applyInFolder(mutant, trial.copy.root);
    }
  }
  let verdict: Verdict;
  try {
    verdict = await runInOrder(trial, trial.nearTests, unmutated);
    // If near tests are left, there is no time for end-to-end tests either.
    const isForMore = verdict.fate === 'survived' && verdict.left === 0;
    if (isForMore) verdict = await runBuilt(trial, verdict, unmutated);
  } finally {
    undo();
  }
  const seconds = Math.round((performance.now() - beganAtMs) / 1_000);
  return {
    mutant,
    ...verdict,
    ...(isInvalid(mutant, verdict) ? { fate: 'invalid' as const } : {}),
    seconds,
  };
}

type Unmutated = <T>(work: () => Promise<T>) => Promise<T>;

async function runBuilt(trial: Trial, near: Verdict, unmutated: Unmutated): Promise<Verdict> {
  const build = () => buildCopy(trial.copy);
  const builtUnmutated: Unmutated = async (work) => {
    const result = await unmutated(async () => {
      await build();
      return work();
    });
    await build();
    return result;
  };
  await build();
  try {
    const far = await runInOrder(trial, trial.endToEndTests, builtUnmutated);
    return { ...far, passed: near.passed + far.passed, left: near.left + far.left };
  } finally {
    await unmutated(build);
  }
}

async function buildCopy(copy: MutantCopy): Promise<void> {
  const { code, output } = await copy.build();
  if (code !== 0) throw new Error(`The copy cannot be built:\n${output}`);
}

const firstTogether = 2;
const mostTogether = 8;

/** A few files at first, then more at once: starting Jest costs as much as a test. */
async function runInOrder(
  trial: Trial,
  tests: readonly string[],
  unmutated: Unmutated,
): Promise<Verdict> {
  const endsAtMs = performance.now() + trial.limitMs;
  const rest = new Set(tests);
  let passed = 0;
  for (let together = firstTogether; rest.size > 0; together *= 2) {
    const leftMs = endsAtMs - performance.now();
    if (leftMs <= 0) break;
    const files = [...rest].slice(0, Math.min(together, mostTogether));
    const limits = { timeoutMs: leftMs + silenceMs, silenceMs };
    const run = await runTests(trial.copy, files, { ...trial, ...limits });
    passed += run.passed.length;
    const caught = await findProof(trial, run, unmutated);
    if (caught) return { fate: 'caught', ...caught, passed, left: rest.size };
    for (const file of [...run.passed, ...run.failed]) rest.delete(file);
    if (run.hanging.length > 0) break;
  }
  return { fate: 'survived', passed, left: rest.size };
}

/** A failed test proves something if it passes without the mutant; a test that hangs, if it finishes without it. */
async function findProof(
  trial: Trial,
  run: TestRun,
  unmutated: Unmutated,
): Promise<Pick<Verdict, 'by' | 'tests'> | undefined> {
  for (const file of run.passed) trial.passing.add(file);
  for (const by of run.failed) {
    const canPass =
      trial.passing.has(by) || (await unmutated(() => passes(trial, [by], silenceMs)));
    if (canPass) trial.passing.add(by);
    if (canPass && (await failsAgain(trial, by))) return { by, tests: describe(run) };
  }
  const hanging = run.hanging.slice(0, firstTogether);
  const [by] = hanging;
  if (by === undefined) return undefined;
  // Without the mutant it has a third of the time.
  const ends = await unmutated(() => passes(trial, hanging, silenceMs / 3));
  return ends ? { by, tests: ['does not end'] } : undefined;
}

/** A file whose tests all wait for their timeout is silent for longer: it is caught as a hanging one. */
const silenceMs = 75_000;

async function passes(
  trial: Trial,
  tests: readonly string[],
  mostSilenceMs: number,
): Promise<boolean> {
  const limits = { timeoutMs: 2 * silenceMs, silenceMs: mostSilenceMs };
  const { passed } = await runTests(trial.copy, tests, { ...trial, ...limits });
  return passed.length === tests.length;
}

/** End-to-end tests wait for processes, so one may fail on a busy machine. */
async function failsAgain(trial: Trial, test: string): Promise<boolean> {
  if (!test.includes('.e2e.')) return true;
  const limits = { timeoutMs: 2 * silenceMs, silenceMs };
  const { failed } = await runTests(trial.copy, [test], { ...trial, ...limits });
  return failed.length > 0;
}

const refusedByPostgres =
  /syntax error at (or near|end)|could not determine data type|operator does not exist|must be type boolean/;

function describe({ failedTests, output }: TestRun): string[] {
  const refusal = refusedByPostgres.exec(output)?.[0];
  return refusal === undefined ? failedTests : [refusal, ...failedTests];
}

function isInvalid({ kind }: RandomMutant, { tests = [] }: Verdict): boolean {
  return /SQL|tenant/.test(kind) && refusedByPostgres.test(tests[0] ?? '');
}

export function isProof({ fate }: RandomFate): boolean {
  return fate === 'caught' || fate === 'survived';
}
