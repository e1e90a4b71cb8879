export type OpenTimeout = { dueAtMs: number; onLate(): void };

/** Timeouts of one length, with one timer for all that are open. */
export type Timeouts = {
  /** `onLate` is called once, unless the timeout is removed before. */
  add(onLate: () => void): OpenTimeout;
  remove(timeout: OpenTimeout): void;
};

export function createTimeouts(afterMs: number): Timeouts {
  // In the order in which they fall due.
  const open = new Set<OpenTimeout>();
  let timer: NodeJS.Timeout | undefined;

  function lookIn(waitMs: number): void {
    // What is waited for holds the process by itself.
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
