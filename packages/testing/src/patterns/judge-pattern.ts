import { checkSync } from 'recheck';
import type { SourcePattern } from './find-patterns';

type Pattern = NonNullable<SourcePattern['pattern']>;

const timeoutMs = 30_000;

/** The problem of a regular expression: a text for which it takes more than linear time. Undefined if none exists. */
export function judgePattern({ source, flags }: Pattern): string | undefined {
  // The other engines are a JVM and native programs, which may not be installed.
  process.env['RECHECK_BACKEND'] = 'pure';
  const verdict = checkSync(withoutLargeCounts(source), flags, { timeout: timeoutMs });
  if (verdict.status === 'safe') return undefined;
  if (verdict.status === 'unknown') return `cannot be checked (${verdict.error.kind}): simplify it`;
  return `takes ${verdict.complexity.summary} time, for example on ${verdict.attack.pattern}`;
}

const largestCount = 32;

/**
 * `{1,4096}` is checked as `+`, which is at least as hard to match: recheck unrolls a counted repetition up to its maximum,
 * which takes minutes.
 */
function withoutLargeCounts(source: string): string {
  return source.replace(/(?<!\\)\{(\d+),(\d+)\}/g, (counts, least: string, most: string) =>
    Number(most) > largestCount ? `{${Math.min(Number(least), 1)},}` : counts,
  );
}
