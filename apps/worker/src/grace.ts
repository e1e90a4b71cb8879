export type GraceDeps = {
  /** How long PostgreSQL has been running. */
  readUptimeMs(): Promise<number>;
  /** The time of day: it goes on while the machine sleeps. */
  now(): number;
};

/**
 * A lease is 5 s longer than its attempt may take. What could not be recorded for this long is recorded before its lease
 * ends: a worker tries again every second.
 */
const shortAbsenceMs = 3_000;

/**
 * For how long workers could record what they know. PostgreSQL was away from when it was to answer until it did, whoever
 * of us was cut off or frozen; before this process came, its own start tells. One answer that was lost is no absence.
 */
export function createGrace({ readUptimeMs, now }: GraceDeps, lookEveryMs: number) {
  let backAtMs: number | undefined;
  let dueAtMs: number | undefined;

  async function ask(): Promise<number> {
    const askedAtMs = now();
    try {
      return await readUptimeMs();
    } catch (error) {
      dueAtMs ??= askedAtMs;
      throw error;
    }
  }

  return {
    /** Rejects while PostgreSQL is away. To be called every `lookEveryMs`. */
    async readBackForMs(): Promise<number> {
      const uptimeMs = await ask();
      const answeredAtMs = now();
      backAtMs ??= answeredAtMs - uptimeMs;
      const wasAway = dueAtMs !== undefined && answeredAtMs - dueAtMs > shortAbsenceMs;
      // The clock may be set back.
      if (wasAway || backAtMs > answeredAtMs) backAtMs = answeredAtMs;
      dueAtMs = answeredAtMs + lookEveryMs;
      return answeredAtMs - backAtMs;
    },
  };
}
