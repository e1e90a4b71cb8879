export type RoundsOptions = {
  rounds: number;
  /** The minimum number of rounds, also after the time limit. */
  leastRounds: number;
  /** No round begins after it, so a run always ends. */
  budgetMs: number;
  signal: AbortSignal;
};

/** Runs rounds one after the other, as many as the time allows. */
export async function runRounds(
  { rounds, leastRounds, budgetMs, signal }: RoundsOptions,
  round: (index: number) => Promise<void>,
): Promise<void> {
  const beganAtMs = performance.now();
  for (let index = 0; index < rounds; index += 1) {
    signal.throwIfAborted();
    if (index >= leastRounds && performance.now() - beganAtMs > budgetMs) return;
    await round(index);
  }
}

/** Collects the figures of rounds by line and name. */
export function createSeries() {
  const series = new Map<string, Map<string, number[]>>();
  return {
    add(line: string, figures: Record<string, number>): void {
      const figuresByName = series.get(line) ?? new Map<string, number[]>();
      series.set(line, figuresByName);
      for (const [name, value] of Object.entries(figures)) {
        figuresByName.set(name, [...(figuresByName.get(name) ?? []), value]);
      }
    },
    getValues: (line: string, name: string): number[] => series.get(line)?.get(name) ?? [],
    lines: () => [...series.keys()],
    names: (line: string) => [...(series.get(line)?.keys() ?? [])],
  };
}

export type Series = ReturnType<typeof createSeries>;
