import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MutantCopy } from '../mutant-copy';
import { applyMutation, type RandomMutant } from './random-mutants';

const timeoutMs = 180_000;

/**
 * Drops mutants that TypeScript or the linter refuses, as those never reach a test. Several files are checked at once. A mutant
 * in a file with errors is refused; if only other files have errors, each half is checked separately.
 */
export async function dropRefused(
  mutants: readonly RandomMutant[],
  copy: MutantCopy,
): Promise<RandomMutant[]> {
  const accepted: RandomMutant[] = [];
  for (let rest = mutants; rest.length > 0; ) {
    const group = rest.filter(
      ({ file }, index) => rest.findIndex((other) => other.file === file) === index,
    );
    accepted.push(...(await checkGroup(group, copy)));
    rest = rest.filter((mutant) => !group.includes(mutant));
  }
  return mutants.filter((mutant) => accepted.includes(mutant));
}

async function checkGroup(
  group: readonly RandomMutant[],
  copy: MutantCopy,
): Promise<readonly RandomMutant[]> {
  if (group.length === 0) return [];
  const brokenFiles = await findBrokenFiles(group, copy);
  if (brokenFiles.size === 0) return group;
  const remaining = group.filter(({ file }) => !brokenFiles.has(file));
  if (remaining.length < group.length) return checkGroup(remaining, copy);
  if (group.length === 1) return [];
  const half = Math.ceil(group.length / 2);
  const first = await checkGroup(group.slice(0, half), copy);
  return [...first, ...(await checkGroup(group.slice(half), copy))];
}

async function findBrokenFiles(
  group: readonly RandomMutant[],
  copy: MutantCopy,
): Promise<Set<string>> {
  const { root, run } = copy;
  const undo = group.map((mutant) => applyInFolder(mutant, root));
  const page = 'apps/dashboard/src/web';
  const hasPage = group.some(({ file }) => file.startsWith(page));
  const projects = ['tsconfig.test.json', ...(hasPage ? [page] : [])];
  try {
    const outputs = [];
    for (const project of projects) {
      // Only files that depend on a mutant are checked again.
      const info = path.join('.belfry', `${path.basename(project)}.tsbuildinfo`);
      const args = ['-p', project, '--pretty', 'false', '--incremental', '--tsBuildInfoFile', info];
      outputs.push(await run(['node_modules/typescript/bin/tsc', ...args], { timeoutMs }));
    }
    const failed = outputs.filter(({ code }) => code !== 0).map(({ output }) => output);
    const lines = failed.join('\n').split('\n');
    const files = lines.flatMap((line) => /^(\S+)\(\d+,\d+\): error TS/.exec(line)?.[1] ?? []);
    if (failed.length > 0 && files.length === 0) throw new Error(failed.join('\n'));
    return new Set([...files, ...(await findFloatingPromises(group, copy))]);
  } finally {
    for (const restore of undo) restore();
  }
}

/** Files in which the linter finds a floating promise. */
async function findFloatingPromises(
  group: readonly RandomMutant[],
  { run }: MutantCopy,
): Promise<string[]> {
  const files = group.filter(({ kind }) => kind === 'dropped await').map(({ file }) => file);
  if (files.length === 0) return [];
  const args = ['node_modules/oxlint/bin/oxlint', '--format=unix', ...files];
  const { code, output } = await run(args, { timeoutMs });
  const broken = [...output.matchAll(/^(\S+?):\d+:\d+: /gm)].map(([, file = '']) => file);
  if (code !== 0 && broken.length === 0) throw new Error(output);
  return broken;
}

/** Changes the file in a folder; returns a function that undoes it. */
export function applyInFolder(mutant: RandomMutant, root: string): () => void {
  const file = path.join(root, mutant.file);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, applyMutation(text, mutant));
  return () => writeFileSync(file, text);
}
