import type { CallerSignal } from './options';

export type TimeLimit = { timeoutMs: number; signal: CallerSignal | undefined };

export type Ending<T> =
  | { end: 'done'; value: T }
  | { end: 'failed' | 'timeout' | 'aborted'; cause: unknown };

/** Runs the work until it ends, times out, or the caller's signal is aborted; aborts the signal of the work. */
export async function withinTime<T>(
  { timeoutMs, signal }: TimeLimit,
  work: (limit: AbortSignal) => Promise<T>,
): Promise<Ending<T>> {
  if (signal?.aborted) return { end: 'aborted', cause: signal.reason };
  const controller = new AbortController();
  let cleanUp = () => {};
  const interruption = new Promise<Ending<T>>((resolve) => {
    const timer = setTimeout(() => resolve({ end: 'timeout', cause: undefined }), timeoutMs);
    const onAbort = () => resolve({ end: 'aborted', cause: signal?.reason });
    signal?.addEventListener('abort', onAbort, { once: true });
    // Not AbortSignal.any: a signal that lives as long as the process would retain one for each call.
    cleanUp = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
  });
  try {
    const completion = work(controller.signal).then<Ending<T>, Ending<T>>(
      (value) => ({ end: 'done', value }),
      (cause: unknown) => ({ end: 'failed', cause }),
    );
    return await Promise.race([completion, interruption]);
  } finally {
    cleanUp();
    controller.abort();
  }
}
