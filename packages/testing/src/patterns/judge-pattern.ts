import { checkSync } from 'recheck';
import type { SourcePattern } from './find-patterns';

type Pattern = NonNullable<SourcePattern['pattern']>;

const timeoutMs = 30_000;

/** What is wrong with a regular expression: a text for which it takes more than linear time. Undefined when none exists. */
export function judgePattern({ source, flags }: Pattern): string | undefined {
  // Its other engines are a JVM and native programs, and need not be on this machine.
  process.env['RECHECK_BACKEND'] = 'pure';
  const verdict = checkSync(withoutLargeCounts(source), flags, { timeout: timeoutMs });
  if (verdict.status === 'safe') return undefined;
  if (verdict.status === 'unknown') return `cannot be judged (${verdict.error.kind}): simplify it`;
  return `takes ${verdict.complexity.summary} time, as with ${verdict.attack.pattern}`;
}

const largestCount = 32;

/**
 * `{1,4096}` is judged as `+`, which is at least as hard to match: the tool copies what is counted as often as it may
 * come, and takes minutes.
 */
function withoutLargeCounts(source: string): string {
  return source.replace(/(?<!\\)\{(\d+),(\d+)\}/g, (counts, least: string, most: string) =>
    Number(most) > largestCount ? `{${Math.min(Number(least), 1)},}` : counts,
  );
}
