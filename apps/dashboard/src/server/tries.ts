/** Counts tries by name within a window, in memory: a process that is started anew forgets them. */
export type Tries = {
  /** Counts a try before it is judged, so that many at once are not let through together. Seconds to wait, or 0. */
  begin(name: string): number;
  /** It was right: it alone is not counted. */
  takeBack(name: string): void;
  /** It was right: what was counted before is forgotten, too. */
  forget(name: string): void;
};

export type TriesOptions = { max: number; windowMs: number; maxNames: number; now: () => number };

type Entry = { count: number; endsAtMs: number };

export function createTries({ max, windowMs, maxNames, now }: TriesOptions): Tries {
  const entries = new Map<string, Entry>();

  function current(name: string): Entry {
    const entry = entries.get(name);
    if (entry && entry.endsAtMs > now()) return entry;
    return { count: 0, endsAtMs: now() + windowMs };
  }

  function keep(name: string, entry: Entry): void {
    entries.delete(name);
    entries.set(name, entry);
    // The oldest are forgotten first.
    for (const oldest of entries.keys()) {
      if (entries.size <= maxNames) break;
      entries.delete(oldest);
    }
  }

  return {
    begin(name) {
      const { count, endsAtMs } = current(name);
      if (count >= max) return Math.ceil((endsAtMs - now()) / 1_000);
      keep(name, { count: count + 1, endsAtMs });
      return 0;
    },
    takeBack(name) {
      const { count, endsAtMs } = current(name);
      if (count > 0) keep(name, { count: count - 1, endsAtMs });
    },
    forget(name) {
      entries.delete(name);
    },
  };
}
