const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Waits after each failed try: ten tries in 71 hours and 35 minutes. */
export const defaultWaitsMs: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  20 * hour,
];

/** A wait is up to this share shorter, so that the retries after an outage do not arrive together. */
const jitterShare = 0.1;
/** A receiver cannot ask for a longer wait. */
export const maxRetryAfterMs = 24 * hour;

export type FailedTry = {
  /** Failed tries before this one. */
  failures: number;
  /** The wait that the receiver asked for. */
  retryAfterMs: number | undefined;
};

/** The wait until the next try; undefined after the last one. */
export function getNextWaitMs(
  { failures, retryAfterMs = 0 }: FailedTry,
  { waitsMs, random }: { waitsMs: readonly number[]; random: () => number },
): number | undefined {
  const waitMs = waitsMs[failures];
  if (waitMs === undefined) return undefined;
  const ownMs = Math.round(waitMs * (1 - jitterShare * random()));
  return Math.max(ownMs, Math.min(retryAfterMs, maxRetryAfterMs));
}
