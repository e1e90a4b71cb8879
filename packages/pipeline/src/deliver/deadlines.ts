import { getEventListeners } from 'node:events';

/** Ends attempts: each at its own deadline, or all when the process must stop. */
export type Deadlines = {
  /** Call `end` when the attempt is over. */
  begin(deadlineMs: number): { signal: AbortSignal; end(): void };
  /** Aborts all attempts, running and future. */
  cut(): void;
  isCut(): boolean;
};

export function createDeadlines(): Deadlines {
  const running = new Set<AbortController>();
  // Controllers are reused: almost none is aborted, and creating them is a large part of an attempt's garbage.
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

/** Whether the controller can be reused: it was not aborted and has no listeners left. */
function isAsNew({ signal }: AbortController): boolean {
  return !signal.aborted && getEventListeners(signal, 'abort').length === 0;
}

/**
 * A timer that reads the sockets once more before it fires. A process that got no CPU for seconds would otherwise run the
 * timer first, before a response that arrived in time.
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

/** The same error as AbortSignal.timeout. */
function createTimeoutError(): DOMException {
  return new DOMException('The deadline of the attempt has passed', 'TimeoutError');
}
