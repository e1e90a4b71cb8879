/** What ends an attempt: its own deadline, or the process that has no time left. */
export type Deadlines = {
  /** `end` is called when the attempt is over. */
  begin(deadlineMs: number): { signal: AbortSignal; end(): void };
  /** Ends every attempt, now and from now on. */
  cut(): void;
  isCut(): boolean;
};

export function createDeadlines(): Deadlines {
  const running = new Set<AbortController>();
  let isCut = false;
  return {
    begin(deadlineMs) {
      const controller = new AbortController();
      const timer = afterReading(() => controller.abort(timeUp()), deadlineMs);
      running.add(controller);
      if (isCut) controller.abort(timeUp());
      return {
        signal: controller.signal,
        end() {
          timer.clear();
          running.delete(controller);
        },
      };
    },
    cut() {
      isCut = true;
      for (const controller of running) controller.abort(timeUp());
    },
    isCut: () => isCut,
  };
}

/**
 * A timer that lets the loop read its sockets once more before it calls: a process that had no processor for seconds finds
 * the timer first, and the answer that came in time behind it.
 */
function afterReading(call: () => void, ms: number): { clear(): void } {
  let immediate: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    immediate = setImmediate(() => {
      immediate = setImmediate(call);
    });
  }, ms);
  return {
    clear() {
      clearTimeout(timer);
      clearImmediate(immediate);
    },
  };
}

/** What AbortSignal.timeout gives. */
function timeUp(): DOMException {
  return new DOMException('The time of the attempt is over', 'TimeoutError');
}
