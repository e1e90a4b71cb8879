/** The used parts of a browser. Outside of one, there are no other tabs and the page counts as visible. */
export type Platform = {
  fetch: typeof fetch;
  /** Undefined in a page that is not served over HTTPS or from this machine. */
  locks: Pick<LockManager, 'request'> | undefined;
  openChannel: ((name: string) => BroadcastChannel) | undefined;
  isVisible(): boolean;
  isOnline(): boolean;
  /** Calls back when the page is shown, hidden, online or offline. Returns the function that stops this. */
  watch(listener: () => void): () => void;
  random(): number;
  now(): number;
  times: Times;
};

export type Times = {
  /** Limit of one call, and of one call of `getToken`. */
  callMs: number;
  /** Wait before the second attempt of a call; it doubles. */
  retryMs: number;
  /** Limit until the first byte of a stream. A proxy that collects the answer is noticed by it. */
  openMs: number;
  /** A stream without bytes for this long is broken: the gateway sends a comment every 15 s. */
  idleMs: number;
  /** Wait before the stream is opened again, until the gateway names another. */
  reopenMs: number;
  /** The longest wait before the stream is opened again. */
  maxReopenMs: number;
  pollMs: number;
  /** A tab that is hidden for this long stops streaming. */
  hiddenMs: number;
  /** An inbox without subscribers disconnects after this. */
  releaseMs: number;
};

const defaultTimes: Times = {
  callMs: 15_000,
  retryMs: 500,
  openMs: 15_000,
  idleMs: 45_000,
  reopenMs: 2_000,
  maxReopenMs: 300_000,
  pollMs: 30_000,
  hiddenMs: 30_000,
  releaseMs: 1_000,
};

const events = ['visibilitychange', 'online', 'offline', 'pageshow'] as const;

export function readPlatform(ownFetch: typeof fetch | undefined): Platform {
  // On a server, these are undefined.
  const { document, navigator, window, BroadcastChannel } = globalThis;
  return {
    fetch: ownFetch ?? ((...args) => globalThis.fetch(...args)),
    locks: document && navigator?.locks,
    openChannel: BroadcastChannel && ((name) => new BroadcastChannel(name)),
    isVisible: () => document?.visibilityState !== 'hidden',
    isOnline: () => navigator?.onLine !== false,
    watch(listener) {
      for (const event of events) window?.addEventListener(event, listener);
      return () => {
        for (const event of events) window?.removeEventListener(event, listener);
      };
    },
    random: Math.random,
    now: Date.now,
    times: defaultTimes,
  };
}

const maxTimerMs = 2_147_483_647;

/** Waits; ends early when the signal aborts, or when the page becomes visible or online. The result is whether it did. */
export function wait(platform: Platform, ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => end(false), Math.min(ms, maxTimerMs));
    const unwatch = platform.watch(() => {
      if (platform.isVisible() && platform.isOnline()) end(true);
    });
    const abort = () => end(true);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();

    function end(isEarly: boolean): void {
      clearTimeout(timer);
      unwatch();
      signal.removeEventListener('abort', abort);
      resolve(isEarly);
    }
  });
}

/** Runs work with a signal that aborts after the time, or with the other signal. Then the result is an error. */
export async function limit<T>(
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => T | Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort(new Error(`no answer after ${ms} ms`));
  const timer = setTimeout(abort, ms);
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  try {
    return await Promise.race([work(controller.signal), waitForAbort(controller.signal)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

function waitForAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
  });
}
