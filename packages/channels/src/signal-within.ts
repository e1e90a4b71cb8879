/** Fires with `signal`, or after the time; `clear` is called when the work is over. */
export type SignalWithin = { signal: AbortSignal; clear(): void };

/**
 * What AbortSignal.any and AbortSignal.timeout give together, but that nothing of it is left when the call is over: a
 * timer of ten seconds a call is thousands of them at once.
 */
export function signalWithin(signal: AbortSignal, timeoutMs: number): SignalWithin {
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  const timer = setTimeout(
    () => controller.abort(new DOMException('The time of the call is over', 'TimeoutError')),
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
