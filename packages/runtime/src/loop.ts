export type Loop = {
  start(): void;
  /** Resolves when the turn that runs is over; there is none after it. */
  close(): Promise<void>;
};

/** Runs `turn`, which never rejects, again and again, each time `waitMs()` after the last one. */
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
