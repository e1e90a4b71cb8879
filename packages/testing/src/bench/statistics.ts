/** The values of several rounds of one measurement. */
export type Spread = { median: number; least: number; most: number; rounds: number };

export function computeSpread(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    median: round(computeQuantile(sorted, 0.5)),
    least: round(sorted[0] ?? Number.NaN),
    most: round(sorted.at(-1) ?? Number.NaN),
    rounds: sorted.length,
  };
}

/** A quantile of ascending values, interpolated; NaN for an empty list. */
export function computeQuantile(sorted: readonly number[], part: number): number {
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

const roundedDigits = 4;

/** Rounds to the precision of a measurement, to keep the record readable. */
export function round(value: number): number {
  return Number(value.toPrecision(roundedDigits));
}

/** The median of the per-round ratios of two values that were measured side by side. */
export function computeRatio(values: readonly number[], bases: readonly number[]): number {
  const ratios = values.flatMap((value, index) => {
    const base = bases[index];
    return base === undefined ? [] : [value / base];
  });
  return computeSpread(ratios).median;
}
