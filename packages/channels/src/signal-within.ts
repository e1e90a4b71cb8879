/** Fires with `signal`, or after the time limit. Call `clear` when the work ends. */
export type SignalWithin = { signal: AbortSignal; clear(): void };

/**
 * Like AbortSignal.any with AbortSignal.timeout, but without a timer left after the call:
 * ten-second timers of fast calls add up to thousands.
 */
export function signalWithin(signal: AbortSignal, timeoutMs: number): SignalWithin {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  const timer = setTimeout(
    () =>
      controller.abort(new DOMException('The time limit of the call has passed', 'TimeoutError')),
    timeoutMs,
  );
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    },
  };
}
