/** Groups callers that arrive together into one call of `flush`. */
export type Batcher<Input, Output> = {
  /** Resolves with the caller's own result, or rejects with the error of its flush. */
  add(input: Input): Promise<Output>;
  /** The same for who needs no promise: one of its two functions is called, once, and must not throw. */
  addFor(input: Input, told: Told<Output>): void;
  /** How many callers wait or are being served. */
  size(): number;
  /** Waits for what was added; nothing may be added after it. */
  close(): Promise<void>;
};

export type BatcherOptions<Input, Output> = {
  /** Returns one result an input, in the same order. */
  flush(inputs: Input[]): Promise<Output[]>;
  /** Inputs of one flush, at most. */
  maxBatch: number;
  /** Callers in memory, at most; beyond it `add` rejects with BatcherFullError. */
  maxWaiting: number;
  /** Inputs with the same key never share a flush: the second waits for the next one. */
  keyOf?(input: Input): string | undefined;
};

export class BatcherFullError extends Error {
  constructor() {
    super('Too many callers wait for the same store');
    this.name = 'BatcherFullError';
  }
}

export type Told<Output> = {
  resolve(output: Output): void;
  reject(error: unknown): void;
};

type Caller<Input, Output> = { input: Input; told: Told<Output> };

/** Group commit: the next flush begins when the last one is done, with all that came meanwhile. */
export function createBatcher<Input, Output>(
  options: BatcherOptions<Input, Output>,
): Batcher<Input, Output> {
  const { flush, maxWaiting } = options;
  let waiting: Caller<Input, Output>[] = [];
  let inFlight = 0;
  let isScheduled = false;
  let isClosed = false;
  const onIdle: (() => void)[] = [];

  // One turn of the loop later, so that callers of the same turn share a flush.
  function schedule(): void {
    if (isScheduled || inFlight > 0 || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      void run();
    });
  }

  async function run(): Promise<void> {
    const { taken: callers, left } = takeBatch(waiting, options);
    waiting = left;
    inFlight = callers.length;
    await settle(callers);
    inFlight = 0;
    if (waiting.length > 0) schedule();
    else for (const resolve of onIdle.splice(0)) resolve();
  }

  async function settle(callers: Caller<Input, Output>[]): Promise<void> {
    let outputs: Output[];
    try {
      outputs = await flush(callers.map((caller) => caller.input));
      if (outputs.length !== callers.length) {
        throw new Error(`A flush of ${callers.length} gave ${outputs.length} results`);
      }
    } catch (error) {
      for (const { told } of callers) told.reject(error);
      return;
    }
    // The lengths are equal, so each caller has its output.
    for (let at = 0; at < callers.length; at += 1) {
      callers[at]?.told.resolve(outputs[at] as Output);
    }
  }

  function addFor(input: Input, told: Told<Output>): void {
    if (isClosed || waiting.length + inFlight >= maxWaiting) {
      told.reject(new BatcherFullError());
      return;
    }
    waiting.push({ input, told });
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

type Split<Input, Output> = { taken: Caller<Input, Output>[]; left: Caller<Input, Output>[] };

function takeBatch<Input, Output>(
  waiting: Caller<Input, Output>[],
  { maxBatch, keyOf }: Pick<BatcherOptions<Input, Output>, 'maxBatch' | 'keyOf'>,
): Split<Input, Output> {
  if (waiting.length <= maxBatch && (!keyOf || waiting.length === 1)) {
    return { taken: waiting, left: [] };
  }
  const taken: Caller<Input, Output>[] = [];
  const left: Caller<Input, Output>[] = [];
  const seen = new Set<string>();
  for (const caller of waiting) {
    const key = keyOf?.(caller.input);
    const mustWait = taken.length >= maxBatch || (key !== undefined && seen.has(key));
    if (mustWait) left.push(caller);
    else taken.push(caller);
    if (key !== undefined) seen.add(key);
  }
  return { taken, left };
}
