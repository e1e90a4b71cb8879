/** Buckets per doubling of the time: a time is known to within 41 %. */
const bucketsPerDoubling = 2;
/** The last bucket has every time above 1.6 h. */
const lastBucket = 46;

/** SQL expression: the bucket of a time in milliseconds. Bucket 0 ends at 1 ms; each next one ends at 1.41 times the end before. */
export function buildBucket(ms: string): string {
  return `CASE WHEN ${ms} <= 1 THEN 0 ELSE least(${lastBucket}, ceil(${bucketsPerDoubling} * ln(${ms}) / ln(2)))::int END`;
}

/** Bucket to number of times. */
export type Histogram = ReadonlyMap<number, number>;

export function countTimes(histogram: Histogram): number {
  return [...histogram.values()].reduce((sum, times) => sum + times, 0);
}

/** The time that `share` of all times do not exceed, interpolated within its bucket; undefined without times. */
export function computePercentileMs(histogram: Histogram, share: number): number | undefined {
  const rank = Math.ceil(countTimes(histogram) * share);
  let before = 0;
  for (const [bucket, times] of [...histogram].sort(([a], [b]) => a - b)) {
    if (before + times >= rank) {
      const place = bucket === 0 ? 0 : bucket - 1 + (rank - before) / times;
      return 2 ** (place / bucketsPerDoubling);
    }
    before += times;
  }
  return undefined;
}
