/** A value that may be known at once: then nothing need be awaited, which costs more than most of what is asked for. */
export type Awaitable<T> = T | Promise<T>;

/** What follows from a value, at once where it is known. */
export function andThen<T, Next>(
  value: Awaitable<T>,
  next: (result: T) => Awaitable<Next>,
): Awaitable<Next> {
  return isPromise(value) ? value.then(next) : next(value);
}

/** Not by its constructor: a promise of Node's own may come from another realm. */
export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  );
}
