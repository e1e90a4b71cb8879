import type { CallerSignal } from './options';

export type TimeLimit = { timeoutMs: number; signal: CallerSignal | undefined };

export type Ended<T> =
  | { end: 'done'; value: T }
  | { end: 'failed' | 'timeout' | 'aborted'; cause: unknown };

/** Does the work until it ends, its time is over, or the caller's signal comes; its own signal tells the work. */
export async function withinTime<T>(
  { timeoutMs, signal }: TimeLimit,
  work: (limit: AbortSignal) => Promise<T>,
): Promise<Ended<T>> {
  if (signal?.aborted) return { end: 'aborted', cause: signal.reason };
  const controller = new AbortController();
  let leave = () => {};
  const left = new Promise<Ended<T>>((resolve) => {
    const timer = setTimeout(() => resolve({ end: 'timeout', cause: undefined }), timeoutMs);
    const onAbort = () => resolve({ end: 'aborted', cause: signal?.reason });
    signal?.addEventListener('abort', onAbort, { once: true });
    // Not AbortSignal.any: a signal that lives as long as the process would keep one of them a call.
    leave = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
    };
  });
  try {
    const done = work(controller.signal).then<Ended<T>, Ended<T>>(
      (value) => ({ end: 'done', value }),
      (cause: unknown) => ({ end: 'failed', cause }),
    );
    return await Promise.race([done, left]);
  } finally {
    leave();
    controller.abort();
  }
}
