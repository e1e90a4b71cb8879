/** Limits concurrency; callers are served in order of arrival. */
export type Semaphore = {
  /** Resolves with the function that releases the slot. */
  acquire(): Promise<() => void>;
};

export function createSemaphore(slots: number): Semaphore {
  let free = slots;
  const waiting: (() => void)[] = [];

  function release(): void {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }

  function once(): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      release();
    };
  }

  return {
    async acquire() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return once();
    },
  };
}
