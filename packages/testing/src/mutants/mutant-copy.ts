import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '../test-stores';
import { createWorkspaceCopy } from '../workspace-copy';
import { type Ran, type RunOptions, runScript } from './run-script';

/** A built copy of the workspace, whose sources may be changed. */
export type MutantCopy = {
  root: string;
  build(): Promise<Ran>;
  run(args: readonly string[], options: Omit<RunOptions, 'cwd' | 'signal'>): Promise<Ran>;
  remove(): void;
};

const buildTimeoutMs = 300_000;

export async function createMutantCopy(signal: AbortSignal | undefined): Promise<MutantCopy> {
  const root = createWorkspaceCopy();
  const run: MutantCopy['run'] = (args, options) =>
    runScript(args, { ...options, cwd: root, signal });
  const build = () => run(['scripts/build.mjs'], { timeoutMs: buildTimeoutMs });
  const remove = () => rmSync(root, { recursive: true, force: true });
  try {
    linkCache(root);
    const built = await build();
    if (built.code !== 0) throw new Error(`The copy cannot be built:\n${lastLines(built.output)}`);
  } catch (error) {
    remove();
    throw error;
  }
  return { root, build, run, remove };
}

/** Avoids fetching again what this checkout has fetched. */
function linkCache(copy: string): void {
  const cache = path.join(repositoryRoot, '.belfry', 'cache');
  mkdirSync(cache, { recursive: true });
  mkdirSync(path.join(copy, '.belfry'), { recursive: true });
  symlinkSync(cache, path.join(copy, '.belfry', 'cache'));
}

const shownLines = 40;

export function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-shownLines).join('\n');
}
