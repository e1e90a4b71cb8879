export type Loop = {
  start(): void;
  /** Resolves when the current run ends; no run starts after it. */
  close(): Promise<void>;
};

export type WakeableLoop = Loop & {
  /** Runs now; during a run, once more right after it. */
  wake(): void;
};

/** Calls `runOnce`, which never rejects, repeatedly, `waitMs()` after the previous run. */
export function createLoop(runOnce: () => Promise<void>, waitMs: () => number): WakeableLoop {
  let isClosed = false;
  let isWoken = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  function schedule(): void {
    if (isClosed) return;
    timer = setTimeout(run, isWoken ? 0 : waitMs());
    isWoken = false;
  }

  function run(): void {
    timer = undefined;
    running = runOnce().finally(schedule);
  }

  return {
    start: schedule,
    wake() {
      isWoken = timer === undefined;
      if (isWoken) return;
      clearTimeout(timer);
      run();
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      timer = undefined;
      await running;
    },
  };
}
