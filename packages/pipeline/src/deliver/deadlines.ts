import { getEventListeners } from 'node:events';

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
  // Nearly none ever fires, and making one is a good part of what an attempt leaves to be collected.
  const unused: AbortController[] = [];
  let isCut = false;
  return {
    begin(deadlineMs) {
      const controller = unused.pop() ?? new AbortController();
      const timer = afterReading(() => controller.abort(createTimeoutError()), deadlineMs);
      running.add(controller);
      if (isCut) controller.abort(createTimeoutError());
      return {
        signal: controller.signal,
        end() {
          timer.clear();
          if (running.delete(controller) && isAsNew(controller)) unused.push(controller);
        },
      };
    },
    cut() {
      isCut = true;
      for (const controller of running) controller.abort(createTimeoutError());
    },
    isCut: () => isCut,
  };
}

/** Whom nobody listens to any more: one whose end came, or to which somebody still listens, is never given again. */
function isAsNew({ signal }: AbortController): boolean {
  return !signal.aborted && getEventListeners(signal, 'abort').length === 0;
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
function createTimeoutError(): DOMException {
  return new DOMException('The time of the attempt is over', 'TimeoutError');
}
