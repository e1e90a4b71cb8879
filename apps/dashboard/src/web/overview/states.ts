import type { OverviewCounts } from '../../api/overview';

/** The series of the charts, from the bottom up: good news first. `mark` is its state mark. */
export const series = [
  { name: 'read', text: 'Read' },
  { name: 'delivered', text: 'Delivered' },
  { name: 'sent', text: 'Sent' },
  { name: 'waiting', text: 'Waiting' },
  { name: 'unknown', text: 'Unknown' },
  { name: 'skipped', text: 'Skipped' },
  { name: 'failed', text: 'Failed' },
] as const satisfies readonly { name: keyof OverviewCounts; text: string }[];

export type Bar = { name: keyof OverviewCounts; from: number; to: number };

/** Stacks the states of a step, as parts of the highest step. */
export function stackBars(counts: OverviewCounts, peak: number): Bar[] {
  let top = 0;
  return series.flatMap(({ name }) => {
    const from = top;
    top += counts[name];
    return counts[name] > 0 ? [{ name, from: from / peak, to: top / peak }] : [];
  });
}

export function sumCounts(counts: OverviewCounts): number {
  return series.reduce((sum, { name }) => sum + counts[name], 0);
}

/** The smallest of 1, 2, 5, 10, 20, … that is not below the value. */
export function roundUp(value: number): number {
  if (value <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = [1, 2, 5, 10].find((each) => each * power >= value) ?? 10;
  return digit * power;
}

/** `2.4 %`; a rate above 0 is never shown as 0. */
export function formatRate(rate: number | null): string {
  if (rate === null) return 'none';
  const percent = rate * 100;
  if (percent === 0) return '0 %';
  if (percent < 0.1) return '< 0.1 %';
  return `${percent < 10 ? percent.toFixed(1) : Math.round(percent)} %`;
}
