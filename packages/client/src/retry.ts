/** What one attempt came to, as far as trying again depends on it. */
export type Failure = {
  /** Undefined when no answer came. */
  status: number | undefined;
  code: string;
  /** The gateway gave a stored answer. */
  isReplay: boolean;
};

const backoffBaseMs = 500;
const backoffCapMs = 10_000;

/**
 * Whether the same call may yet succeed. A stored answer never changes: the first 500 is tried again, as it may come
 * from a step before anything is stored, and its replay is the end.
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
  /** Until the deadline. */
  leftMs: number;
  /** From 0 to below 1. */
  random: number;
};

/** The wait before the next attempt; undefined when there is none. A wait that the deadline would cut short is not begun. */
export function nextWaitMs(
  failure: Failure & { retryAfterMs: number | undefined },
  { attempts, retries, leftMs, random }: Progress,
): number | undefined {
  if (attempts > retries || !isRetryable(failure)) return undefined;
  const waitMs = (failure.retryAfterMs ?? 0) + backoffMs(attempts, random);
  return waitMs < leftMs ? waitMs : undefined;
}

/** Full jitter, also on top of what the gateway asked for: else everybody that it told would come back at once. */
export function backoffMs(attempts: number, random: number): number {
  return Math.floor(random * Math.min(backoffCapMs, backoffBaseMs * 2 ** (attempts - 1)));
}

/** Seconds or a date, as milliseconds from now; undefined for what is neither. */
export function readRetryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const atMs = /[a-z]/i.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
