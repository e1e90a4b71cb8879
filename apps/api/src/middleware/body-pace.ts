export type BodyPaceOptions = {
  /** For a whole body. */
  timeoutMs: number;
  /** In each window a body brings `minBytes`, or ends. */
  windowMs: number;
  minBytes: number;
};

/** A body on its way. */
export type ArrivingBody = {
  endsAtMs: number;
  windowEndsAtMs: number;
  bytesInWindow: number;
  onLate(): void;
};

export type BodyPace = {
  /** `onLate` is called once, unless the body is removed before. */
  add(onLate: () => void): ArrivingBody;
  remove(body: ArrivingBody): void;
};

const looksInWindow = 5;

/** Ends bodies that arrive slowly, with one timer for all of them: what stalls or drips must not hold memory. */
export function createBodyPace({ timeoutMs, windowMs, minBytes }: BodyPaceOptions): BodyPace {
  const everyMs = windowMs / looksInWindow;
  const arriving = new Set<ArrivingBody>();
  let timer: NodeJS.Timeout | undefined;
  let dueAtMs = 0;

  function lookLater(nowMs: number): void {
    dueAtMs = nowMs + everyMs;
    // What is waited for holds the process by itself.
    timer = setTimeout(look, everyMs).unref();
  }

  function look(): void {
    const nowMs = performance.now();
    timer = undefined;
    // The process had no time: what has arrived meanwhile is read first.
    const wasHeldUp = nowMs - dueAtMs > everyMs;
    if (!wasHeldUp) for (const body of arriving) lookAt(body, nowMs);
    if (arriving.size > 0) lookLater(nowMs);
  }

  function lookAt(body: ArrivingBody, nowMs: number): void {
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
      if (!timer) lookLater(nowMs);
      return body;
    },
    remove(body) {
      arriving.delete(body);
    },
  };
}
