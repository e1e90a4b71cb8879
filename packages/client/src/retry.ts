/** A failed attempt, with the facts that a retry depends on. */
export type Failure = {
  /** Undefined if there was no answer. */
  status: number | undefined;
  code: string;
  /** The gateway returned a stored answer. */
  isReplay: boolean;
};

const backoffBaseMs = 500;
const backoffCapMs = 10_000;

/**
 * Whether the same call can still succeed. A stored answer never changes. So the first 500 is retried, because it may
 * come from before anything was stored, and its replay is final.
 */
export function isRetryable({ status, code, isReplay }: Failure): boolean {
  if (status === undefined) return code === 'network_error' || code === 'timeout';
  if (isReplay) return false;
  if (status === 409) return code === 'idempotency_conflict';
  return status >= 500 || retriedStatuses.has(status);
}

/** Request timeout, too early, too many requests. */
const retriedStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

export type Progress = {
  attempts: number;
  retries: number;
  /** Time until the deadline. */
  leftMs: number;
  /** 0 or more, below 1. */
  random: number;
};

/** The wait before the next attempt; undefined if there is none, or if the wait would reach the deadline. */
export function nextWaitMs(
  failure: Failure & { retryAfterMs: number | undefined },
  { attempts, retries, leftMs, random }: Progress,
): number | undefined {
  if (attempts > retries || !isRetryable(failure)) return undefined;
  const waitMs = (failure.retryAfterMs ?? 0) + backoffMs(attempts, random);
  return waitMs < leftMs ? waitMs : undefined;
}

/** Full jitter, also added to Retry-After: otherwise all clients would return at the same time. */
export function backoffMs(attempts: number, random: number): number {
  return Math.floor(random * Math.min(backoffCapMs, backoffBaseMs * 2 ** (attempts - 1)));
}

/** Parses seconds or a date into milliseconds from now; undefined if it is neither. */
export function readRetryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const atMs = /[a-z]/i.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
