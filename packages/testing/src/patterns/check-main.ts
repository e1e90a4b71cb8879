// Run by `npm run check`: every regular expression of the sources must take linear time.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findPatterns, type SourcePattern } from './find-patterns';
import { judgePattern } from './judge-pattern';

const root = path.resolve(__dirname, '../../../..');
/** The expressions known to be safe: checking all of them takes a minute. It is in node_modules, so a new version of recheck discards it. */
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
  if (!pattern)
    return 'cannot be checked: write it as a literal, or add a comment `pattern-ignore: REASON`';
  const key = `/${pattern.source}/${pattern.flags}`;
  if (safe.has(key)) return undefined;
  const problem = judgePattern(pattern);
  if (problem !== undefined) return `${key} ${problem}`;
  safe.add(key);
  // Written each time, so that an interrupted check continues where it stopped.
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
