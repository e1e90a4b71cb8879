export type OpenTimeout = { dueAtMs: number; onLate(): void };

/** Timeouts of one length that share one timer. */
export type Timeouts = {
  /** Calls `onLate` once, unless the timeout is removed before. */
  add(onLate: () => void): OpenTimeout;
  remove(timeout: OpenTimeout): void;
};

export function createTimeouts(afterMs: number): Timeouts {
  // In the order of their deadlines.
  const open = new Set<OpenTimeout>();
  let timer: NodeJS.Timeout | undefined;

  function lookIn(waitMs: number): void {
    // The awaited operation keeps the process alive, so the timer need not.
    timer = setTimeout(endLate, Math.ceil(waitMs)).unref();
  }

  function endLate(): void {
    timer = undefined;
    const nowMs = performance.now();
    for (const timeout of open) {
      if (timeout.dueAtMs > nowMs) {
        lookIn(timeout.dueAtMs - nowMs);
        return;
      }
      open.delete(timeout);
      timeout.onLate();
    }
  }

  return {
    add(onLate) {
      const timeout = { dueAtMs: performance.now() + afterMs, onLate };
      open.add(timeout);
      if (!timer) lookIn(afterMs);
      return timeout;
    },
    remove(timeout) {
      open.delete(timeout);
    },
  };
}
