/** A value or a promise. A plain value saves an await, which often costs more than the work itself. */
export type Awaitable<T> = T | Promise<T>;

/** Like `then`, but synchronous for a plain value. */
export function andThen<T, Next>(
  value: Awaitable<T>,
  next: (result: T) => Awaitable<Next>,
): Awaitable<Next> {
  return isPromise(value) ? value.then(next) : next(value);
}

/** Does not check the constructor: Node's own promises may come from another realm. */
export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  );
}
