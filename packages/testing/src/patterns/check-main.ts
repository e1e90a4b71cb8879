// Run by `npm run check`: every regular expression of the sources takes linear time in what it reads.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findPatterns, type SourcePattern } from './find-patterns';
import { judgePattern } from './judge-pattern';

const root = path.resolve(__dirname, '../../../..');
/** The safe ones: judging all of them takes a minute. It lies in node_modules, which a new version of the judge replaces. */
const cacheFile = path.join(root, 'node_modules/.cache/belfry/safe-patterns.json');

main();

function main(): void {
  const safe = new Set(readSafe());
  const patterns = findPatterns(root);
  const problems = patterns.flatMap((pattern) => {
    const problem = findProblem(pattern, safe);
    return problem === undefined ? [] : [`${pattern.file}:${pattern.line} ${problem}`];
  });
  process.stdout.write(`${[...problems, `${patterns.length} patterns judged`].join('\n')}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function findProblem({ pattern, ignored }: SourcePattern, safe: Set<string>): string | undefined {
  if (ignored !== undefined) return undefined;
  if (!pattern) return 'cannot be judged: write it as a literal, or say why not (pattern-ignore)';
  const key = `/${pattern.source}/${pattern.flags}`;
  if (safe.has(key)) return undefined;
  const problem = judgePattern(pattern);
  if (problem !== undefined) return `${key} ${problem}`;
  safe.add(key);
  // Written each time: a check that was stopped goes on where it was.
  mkdirSync(path.dirname(cacheFile), { recursive: true });
  writeFileSync(cacheFile, JSON.stringify([...safe]));
  return undefined;
}

function readSafe(): string[] {
  try {
    return JSON.parse(readFileSync(cacheFile, 'utf8'));
  } catch {
    return [];
  }
}
