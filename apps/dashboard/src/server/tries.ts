/** Counts attempts by name, in memory: a process that restarts forgets them. */
export type Tries = {
  /** Counts an attempt before it is judged, so that many at once are not let through together. Seconds to wait, or 0. */
  begin(name: string): number;
  /** Does not count the last attempt after all. */
  takeBack(name: string): void;
  /** Forgets all attempts. */
  forget(name: string): void;
};

export type TriesOptions = {
  /** Attempts at once; after them one every `refillMs`. */
  max: number;
  refillMs: number;
  /** Names in memory; the one that was tried longest ago is forgotten first. */
  maxNames: number;
  now: () => number;
};

/** A token bucket for each name. A full lock would let anybody keep the right person out for its whole length. */
export function createTries({ max, refillMs, maxNames, now }: TriesOptions): Tries {
  /** When the bucket of a name is full again. */
  const fullAt = new Map<string, number>();

  function keep(name: string, timeMs: number): void {
    fullAt.delete(name);
    if (timeMs > now()) fullAt.set(name, timeMs);
    for (const oldest of fullAt.keys()) {
      if (fullAt.size <= maxNames) break;
      fullAt.delete(oldest);
    }
  }

  return {
    begin(name) {
      const nextFullAt = Math.max(fullAt.get(name) ?? 0, now()) + refillMs;
      const waitMs = nextFullAt - now() - max * refillMs;
      if (waitMs > 0) return Math.ceil(waitMs / 1_000);
      keep(name, nextFullAt);
      return 0;
    },
    takeBack: (name) => keep(name, (fullAt.get(name) ?? 0) - refillMs),
    forget: (name) => void fullAt.delete(name),
  };
}
