export type Loop = {
  start(): void;
  /** Resolves when the current run ends; no run starts after it. */
  close(): Promise<void>;
};

export type WakeableLoop = Loop & {
  /** Runs now; during a run, once more right after it. */
  wake(): void;
};

/**
 * Waits of at least this long end at a multiple of it, up to this much early: the loops of a process at rest share their
 * wake-ups.
 */
const sharedWakeUpMs = 500;

function alignWait(waitMs: number): number {
  if (waitMs < sharedWakeUpMs) return waitMs;
  return Math.max(1, waitMs - ((performance.now() + waitMs) % sharedWakeUpMs));
}

/** Calls `runOnce`, which never rejects, repeatedly, `waitMs()` after the previous run. */
export function createLoop(runOnce: () => Promise<void>, waitMs: () => number): WakeableLoop {
  let isClosed = false;
  let isWoken = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  function schedule(): void {
    if (isClosed) return;
    timer = setTimeout(run, isWoken ? 0 : alignWait(waitMs()));
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
