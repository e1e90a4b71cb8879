export type Loop = {
  start(): void;
  /** Resolves when the current run ends; no run starts after it. */
  close(): Promise<void>;
};

/** Calls `runOnce`, which never rejects, repeatedly, `waitMs()` after the previous run. */
export function createLoop(runOnce: () => Promise<void>, waitMs: () => number): Loop {
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  function schedule(): void {
    if (isClosed) return;
    timer = setTimeout(() => {
      running = runOnce().finally(schedule);
    }, waitMs());
  }

  return {
    start: schedule,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await running;
    },
  };
}
