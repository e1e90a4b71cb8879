/** Counts failures by name within a window, in memory: a process that is started anew forgets them. */
export type Tries = {
  /** Seconds to wait, or 0 when one more may be made. */
  waitSeconds(names: string[]): number;
  fail(names: string[]): void;
  succeed(names: string[]): void;
};

export type TriesOptions = { max: number; windowMs: number; maxNames: number; now: () => number };

type Entry = { count: number; endsAtMs: number };

export function createTries({ max, windowMs, maxNames, now }: TriesOptions): Tries {
  const entries = new Map<string, Entry>();

  function current(name: string): Entry | undefined {
    const entry = entries.get(name);
    if (entry && entry.endsAtMs > now()) return entry;
    entries.delete(name);
    return undefined;
  }

  return {
    waitSeconds(names) {
      const waits = names.map((name) => {
        const entry = current(name);
        return entry && entry.count >= max ? entry.endsAtMs - now() : 0;
      });
      return Math.ceil(Math.max(0, ...waits) / 1_000);
    },
    fail(names) {
      for (const name of names) {
        const entry = current(name) ?? { count: 0, endsAtMs: now() + windowMs };
        entries.delete(name);
        entries.set(name, { ...entry, count: entry.count + 1 });
      }
      // The oldest are forgotten first.
      for (const name of entries.keys()) {
        if (entries.size <= maxNames) break;
        entries.delete(name);
      }
    },
    succeed(names) {
      for (const name of names) entries.delete(name);
    },
  };
}
