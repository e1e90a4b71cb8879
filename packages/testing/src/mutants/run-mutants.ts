import { applyMutant } from './apply';
import { createMutantCopy, lastLines, type MutantCopy } from './mutant-copy';
import { type Mutant, mutants, type Suite } from './mutants';
import type { Ran } from './run-script';

/** `broken` could not be built, or its suite could not run: it proves nothing. */
export type Fate = {
  mutant: Mutant;
  fate: 'caught' | 'survived' | 'broken';
  seconds: number;
  /** What noticed the mutant: broken invariants, or failed tests. */
  evidence: string[];
  outputTail: string;
};

export type MutantsOptions = {
  /** Runs only mutants whose name contains one of these texts. */
  names: string[];
  signal?: AbortSignal;
  onFate(fate: Fate): void;
};

/**
 * Applies each mutant to a copy of the workspace, builds it there, and runs the suite that has to fail.
 * @public scripts/mutants.mjs loads the build.
 */
export async function runMutants({ names, signal, onFate }: MutantsOptions): Promise<Fate[]> {
  const selectedMutants = mutants.filter(
    ({ name }) => names.length === 0 || names.some((text) => name.includes(text)),
  );
  const copy = await createMutantCopy(signal);
  const fates: Fate[] = [];
  try {
    for (const mutant of selectedMutants) {
      if (signal?.aborted) break;
      const fate = await tryMutant(mutant, copy);
      fates.push(fate);
      onFate(fate);
    }
  } finally {
    copy.remove();
  }
  return fates;
}

const suiteTimeoutMs = 600_000;

async function tryMutant(mutant: Mutant, copy: MutantCopy): Promise<Fate> {
  const beganAtMs = performance.now();
  const end = (fate: Fate['fate'], output: string): Fate => {
    const seconds = Math.round((performance.now() - beganAtMs) / 1_000);
    return { mutant, fate, seconds, evidence: findEvidence(output), outputTail: lastLines(output) };
  };
  const undo = applyMutant(mutant, copy.root);
  try {
    const built = await copy.build();
    if (built.code !== 0) return end('broken', built.output);
    const ran = await copy.run(buildArgs(mutant.suite), { timeoutMs: suiteTimeoutMs });
    return end(determineFate(ran), ran.output);
  } finally {
    undo();
  }
}

function buildArgs(suite: Suite): string[] {
  if (suite.kind === 'chaos') {
    return ['scripts/chaos.mjs', '--keys', String(suite.keys), '--seed', String(suite.seed)];
  }
  const kind = suite.project === 'unit' ? ['--unit'] : [];
  return ['scripts/test.mjs', ...kind, suite.path, '-t', suite.names];
}

/** A suite that fails for another reason than its own verdict has caught nothing. */
function determineFate({ code, output }: Ran): Fate['fate'] {
  if (code === 0) return 'survived';
  return findEvidence(output).length > 0 ? 'caught' : 'broken';
}

function findEvidence(output: string): string[] {
  const lines = output.split('\n').filter((line) => /^BROKEN: |^ +● .* › /.test(line));
  return [...new Set(lines.map((line) => line.trim()))].slice(0, shownEvidence);
}

const shownEvidence = 5;
