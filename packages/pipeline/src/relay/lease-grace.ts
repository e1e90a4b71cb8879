export type GraceDeps = {
  /** How long PostgreSQL has been running. */
  readUptimeMs(): Promise<number>;
  /** The time of day: it goes on while the machine sleeps. */
  now(): number;
};

/**
 * A lease is at least 5 s longer than its attempt may take. What could not be recorded for this long is recorded before its lease
 * ends: a worker tries again every second.
 */
const shortAbsenceMs = 3_000;
/** Without a failure, what is later than this slept; what is less late was busy. */
const longestDelayMs = 10_000;

/**
 * For how long workers could record what they know. PostgreSQL was away from when it was to answer until it did, whoever
 * of us was cut off or asleep; before this process came, its own start tells. One answer that was lost is no absence.
 */
export function createGrace({ readUptimeMs, now }: GraceDeps, lookEveryMs: number) {
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
    /** Rejects while PostgreSQL is away. To be called every `lookEveryMs`. */
    async readBackForMs(): Promise<number> {
      const uptimeMs = await queryUptime();
      const answeredAtMs = now();
      backAtMs ??= answeredAtMs - uptimeMs;
      // The clock may be set back.
      if (wasUnavailable(answeredAtMs) || backAtMs > answeredAtMs) backAtMs = answeredAtMs;
      dueAtMs = answeredAtMs + lookEveryMs;
      hasFailed = false;
      return answeredAtMs - backAtMs;
    },
  };
}
