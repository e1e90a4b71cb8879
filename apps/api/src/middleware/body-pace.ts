export type BodyPaceOptions = {
  /** Limit for a whole body. */
  timeoutMs: number;
  /** A body that brings less than `minBytes` in a window is ended. */
  windowMs: number;
  minBytes: number;
};

/** A body that is being received. */
export type ArrivingBody = {
  endsAtMs: number;
  windowEndsAtMs: number;
  bytesInWindow: number;
  onLate(): void;
};

export type BodyPace = {
  /** Calls `onLate` once, unless the body is removed before. */
  add(onLate: () => void): ArrivingBody;
  remove(body: ArrivingBody): void;
};

const checksPerWindow = 5;

/** Ends bodies that arrive too slowly, because they hold memory. One timer checks all of them. */
export function createBodyPace({ timeoutMs, windowMs, minBytes }: BodyPaceOptions): BodyPace {
  const everyMs = windowMs / checksPerWindow;
  const arriving = new Set<ArrivingBody>();
  let timer: NodeJS.Timeout | undefined;
  let dueAtMs = 0;

  function scheduleCheck(nowMs: number): void {
    dueAtMs = nowMs + everyMs;
    // The open connections keep the process alive.
    timer = setTimeout(checkAll, everyMs).unref();
  }

  function checkAll(): void {
    const nowMs = performance.now();
    timer = undefined;
    // If the event loop was blocked, first read what has arrived meanwhile.
    const wasBlocked = nowMs - dueAtMs > everyMs;
    if (!wasBlocked) for (const body of arriving) checkBody(body, nowMs);
    if (arriving.size > 0) scheduleCheck(nowMs);
  }

  function checkBody(body: ArrivingBody, nowMs: number): void {
    const isWindowOver = nowMs >= body.windowEndsAtMs;
    if (nowMs >= body.endsAtMs || (isWindowOver && body.bytesInWindow < minBytes)) {
      arriving.delete(body);
      body.onLate();
    } else if (isWindowOver) {
      body.windowEndsAtMs = nowMs + windowMs;
      body.bytesInWindow = 0;
    }
  }

  return {
    add(onLate) {
      const nowMs = performance.now();
      const body = {
        endsAtMs: nowMs + timeoutMs,
        windowEndsAtMs: nowMs + windowMs,
        bytesInWindow: 0,
        onLate,
      };
      arriving.add(body);
      if (!timer) scheduleCheck(nowMs);
      return body;
    },
    remove(body) {
      arriving.delete(body);
    },
  };
}
