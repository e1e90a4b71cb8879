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
      const timer = setTimeout(() => controller.abort(timeUp()), deadlineMs);
      running.add(controller);
      if (isCut) controller.abort(timeUp());
      return {
        signal: controller.signal,
        end() {
          clearTimeout(timer);
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

/** What AbortSignal.timeout gives. */
function timeUp(): DOMException {
  return new DOMException('The time of the attempt is over', 'TimeoutError');
}
