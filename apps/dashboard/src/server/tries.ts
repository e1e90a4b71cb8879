/** Counts attempts per name in memory; a restart resets them. */
export type Tries = {
  /**
   * Counts an attempt before the password is checked, so that concurrent attempts all count. Returns seconds to wait,
   * or 0.
   */
  begin(name: string): number;
  /** Undoes the last attempt. */
  takeBack(name: string): void;
  /** Resets all attempts of the name. */
  forget(name: string): void;
};

export type TriesOptions = {
  /** Size of the burst; after it, one attempt per `refillMs`. */
  max: number;
  refillMs: number;
  /** Names in memory; the least recently used one is evicted first. */
  maxNames: number;
  now: () => number;
};

/** A token bucket per name. A lockout would let anyone lock out the operator. */
export function createTries({ max, refillMs, maxNames, now }: TriesOptions): Tries {
  /** When the bucket of each name is full again. */
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
