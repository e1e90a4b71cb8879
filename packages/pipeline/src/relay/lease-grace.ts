export type GraceDeps = {
  /** PostgreSQL's uptime. */
  readUptimeMs(): Promise<number>;
  /** Wall-clock time in ms, which advances while the machine sleeps. */
  now(): number;
};

/**
 * A lease is at least 5 s longer than its attempt may take, and a worker retries to record every second. So a result that
 * could not be recorded for this long is still recorded before its lease ends.
 */
const shortAbsenceMs = 3_000;
/** Without a failed query: a longer delay means that the machine slept, a shorter one that it was busy. */
const longestDelayMs = 10_000;

/**
 * Measures for how long workers have been able to record results. PostgreSQL counts as unavailable from when it should
 * have answered until it did, whether it, the network or this machine was the cause. Before this process started, its
 * uptime decides. One lost response is no outage.
 */
export function createGrace({ readUptimeMs, now }: GraceDeps, runEveryMs: number) {
  let backAtMs: number | undefined;
  let dueAtMs: number | undefined;
  let hasFailed = false;

  async function queryUptime(): Promise<number> {
    const queriedAtMs = now();
    try {
      return await readUptimeMs();
    } catch (error) {
      dueAtMs ??= queriedAtMs;
      hasFailed = true;
      throw error;
    }
  }

  function wasUnavailable(untilMs: number): boolean {
    const lateMs = dueAtMs === undefined ? 0 : untilMs - dueAtMs;
    return lateMs > (hasFailed ? shortAbsenceMs : longestDelayMs);
  }

  return {
    /** Rejects while PostgreSQL is unavailable. Call it every `runEveryMs`. */
    async readBackForMs(): Promise<number> {
      const uptimeMs = await queryUptime();
      const answeredAtMs = now();
      backAtMs ??= answeredAtMs - uptimeMs;
      // The clock may have been set back.
      if (wasUnavailable(answeredAtMs) || backAtMs > answeredAtMs) backAtMs = answeredAtMs;
      dueAtMs = answeredAtMs + runEveryMs;
      hasFailed = false;
      return answeredAtMs - backAtMs;
    },
  };
}
