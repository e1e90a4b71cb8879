import type { BlockReport } from './block-watch';

/** The result of one kind of attack. */
export type KindReport = {
  kind: string;
  title: string;
  trialCount: number;
  /** By process: the longest block of its event loop, in wall-clock time and without the wait for a core. */
  blockMs: number;
  heldMs: number;
  growthMb: number;
  /** The input of the worst of these, to reproduce it. */
  worst?: string;
  /** Missed goals of time and memory. A busy machine may be the cause. */
  missed: string[];
  /** Wrong answers, exceptions and ended processes: always a fault, however busy the machine is. */
  problems: string[];
};

export type AbuseReport = { seed: number; kinds: KindReport[]; isGood: boolean };

/** No template within the limits may block a process for longer, or make it grow by more. */
export const goals = { blockMs: 50, growthMb: 32, waitMs: 2_000 } as const;

export function createKind(kind: string, title: string): KindReport {
  const numbers = { trialCount: 0, blockMs: 0, heldMs: 0, growthMb: 0 };
  return { kind, title, ...numbers, missed: [], problems: [] };
}

/** Adds one trial, as its process measured it. The caller judges the growth. */
export function recordTrial(
  kind: KindReport,
  { blockMs, heldMs, startMb, peakMb }: BlockReport,
  input: string,
): void {
  kind.trialCount += 1;
  if (heldMs > kind.heldMs) kind.worst = input;
  kind.blockMs = Math.max(kind.blockMs, blockMs);
  kind.heldMs = Math.max(kind.heldMs, heldMs);
  kind.growthMb = Math.max(kind.growthMb, peakMb - startMb);
  if (heldMs > goals.blockMs) kind.missed.push(`blocked for ${heldMs.toFixed(0)} ms: ${input}`);
}

export function concludeAbuse(seed: number, kinds: KindReport[]): AbuseReport {
  const isGood = kinds.every(({ missed, problems }) => missed.length + problems.length === 0);
  return { seed, kinds, isGood };
}

const shownProblems = 10;

/** A table of all kinds, followed by the problems. */
export function formatAbuse({ seed, kinds, isGood }: AbuseReport): string {
  const rows = kinds.map(({ kind, title, trialCount, blockMs, heldMs, growthMb }) => [
    kind,
    title,
    String(trialCount),
    blockMs.toFixed(0),
    heldMs.toFixed(0),
    growthMb.toFixed(0),
  ]);
  const head = ['kind', 'attack', 'runs', 'block ms', 'without waiting for a core', 'growth MB'];
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const lines = [head, ...rows].map((row) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '),
  );
  const problemLines = kinds.flatMap(({ kind, title, missed, problems, worst }) => {
    const all = [...problems, ...missed];
    const visibleProblems = all.slice(0, shownProblems).map((text) => `${kind} ${title}: ${text}`);
    const more = all.length > shownProblems ? [`… and ${all.length - shownProblems} more`] : [];
    return all.length > 0 && worst
      ? [...visibleProblems, ...more, `  worst: ${worst}`]
      : [...visibleProblems, ...more];
  });
  const verdict = isGood ? 'All goals met.' : 'Some goals missed.';
  return [...lines, '', ...problemLines, `Seed ${seed}. ${verdict}`].join('\n');
}
