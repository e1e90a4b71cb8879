import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '../test-stores';
import { createWorkspaceCopy } from '../workspace-copy';
import { applyMutant } from './apply';
import { type Mutant, mutants, type Suite } from './mutants';

/** `broken` could not be built, or its suite could not be run: it proves nothing. */
export type Fate = {
  mutant: Mutant;
  fate: 'caught' | 'survived' | 'broken';
  seconds: number;
  /** What noticed: broken invariants, or failed tests. */
  evidence: string[];
  shown: string;
};

export type MutantsOptions = {
  /** Only those whose name has one of these texts. */
  names: string[];
  signal?: AbortSignal;
  onFate(fate: Fate): void;
};

/** Makes each mutant in a copy of the workspace, builds it there, and runs the suite that has to fail. */
export async function runMutants({ names, signal, onFate }: MutantsOptions): Promise<Fate[]> {
  const chosen = mutants.filter(
    ({ name }) => names.length === 0 || names.some((text) => name.includes(text)),
  );
  const copy = createWorkspaceCopy();
  const fates: Fate[] = [];
  try {
    linkCache(copy);
    await buildOrThrow(copy, signal);
    for (const mutant of chosen) {
      if (signal?.aborted) break;
      const fate = await tryMutant(mutant, copy, signal);
      fates.push(fate);
      onFate(fate);
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  return fates;
}

/** What was fetched for this checkout need not be fetched again. */
function linkCache(copy: string): void {
  const cache = path.join(repositoryRoot, '.belfry', 'cache');
  mkdirSync(cache, { recursive: true });
  mkdirSync(path.join(copy, '.belfry'), { recursive: true });
  symlinkSync(cache, path.join(copy, '.belfry', 'cache'));
}

async function buildOrThrow(copy: string, signal: AbortSignal | undefined): Promise<void> {
  const built = await run(copy, ['scripts/build.mjs'], { timeoutMs: buildTimeoutMs, signal });
  if (built.code !== 0) throw new Error(`The copy cannot be built:\n${lastLines(built.output)}`);
}

const buildTimeoutMs = 300_000;
const suiteTimeoutMs = 600_000;

async function tryMutant(
  mutant: Mutant,
  copy: string,
  signal: AbortSignal | undefined,
): Promise<Fate> {
  const beganAtMs = performance.now();
  const end = (fate: Fate['fate'], output: string): Fate => {
    const seconds = Math.round((performance.now() - beganAtMs) / 1_000);
    return { mutant, fate, seconds, evidence: evidenceIn(output), shown: lastLines(output) };
  };
  const undo = applyMutant(mutant, copy);
  try {
    const built = await run(copy, ['scripts/build.mjs'], { timeoutMs: buildTimeoutMs, signal });
    if (built.code !== 0) return end('broken', built.output);
    const ran = await run(copy, argsOf(mutant.suite), { timeoutMs: suiteTimeoutMs, signal });
    return end(fateOf(ran), ran.output);
  } finally {
    undo();
  }
}

function argsOf(suite: Suite): string[] {
  if (suite.kind === 'chaos') {
    return ['scripts/chaos.mjs', '--keys', String(suite.keys), '--seed', String(suite.seed)];
  }
  const kind = suite.project === 'unit' ? ['--unit'] : [];
  return ['scripts/test.mjs', ...kind, suite.path, '-t', suite.names];
}

/** A suite that fails for another reason than its own judgement has caught nothing. */
function fateOf({ code, output }: Ran): Fate['fate'] {
  if (code === 0) return 'survived';
  return evidenceIn(output).length > 0 ? 'caught' : 'broken';
}

function evidenceIn(output: string): string[] {
  const lines = output.split('\n').filter((line) => /^BROKEN: |^ +● .* › /.test(line));
  return [...new Set(lines.map((line) => line.trim()))].slice(0, shownEvidence);
}

const shownEvidence = 5;

type Ran = { code: number | null; output: string };

const mostOutputCharacters = 4_000_000;

function run(
  cwd: string,
  args: string[],
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (piece: Buffer) => {
        if (output.length < mostOutputCharacters) output += String(piece);
      });
    }
    // In order: the scripts end what they started.
    const stop = () => child.kill('SIGTERM');
    const timer = setTimeout(stop, timeoutMs);
    signal?.addEventListener('abort', stop, { once: true });
    child.on('close', (code) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve({ code, output });
    });
  });
}

const shownLines = 40;

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-shownLines).join('\n');
}
