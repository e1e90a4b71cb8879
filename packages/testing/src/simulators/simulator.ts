import { setTimeout as wait } from 'node:timers/promises';

/** A provider's stand-in on loopback: keeps what it accepted, and fails on demand. */
export type Simulator<Send, Fault> = {
  url: string;
  port: number;
  /** What was accepted, in order; also what was accepted and never answered. */
  sends: Send[];
  /** Told of each send when it was answered, or was not. */
  onTaken(listener: (taken: Taken<Send>) => void): void;
  /** Faults for the next calls, one each, in order. */
  fail(...faults: Fault[]): void;
  /** Answers to what was accepted wait that long; beside the faults, and until told otherwise. */
  delayEach(delayMsOf: (send: Send) => number): void;
  close(): Promise<void>;
};

/** What was accepted, when, and when the answer left; times by `performance.now()`. */
export type Taken<Send> = { send: Send; atMs: number; answeredMs: number; isAnswered: boolean };

/** The listeners of one simulator. */
export function createTakenListeners<Send>() {
  const listeners: ((taken: Taken<Send>) => void)[] = [];
  return {
    add(listener: (taken: Taken<Send>) => void): void {
      listeners.push(listener);
    },
    tell(taken: Omit<Taken<Send>, 'answeredMs'>): void {
      for (const listener of listeners) listener({ ...taken, answeredMs: performance.now() });
    },
  };
}

/** How late the answers to what was accepted are. */
export function createDelays<Send>() {
  let delayMsOf = (_send: Send) => 0;
  return {
    set(given: (send: Send) => number): void {
      delayMsOf = given;
    },
    async pass(send: Send): Promise<void> {
      const delayMs = delayMsOf(send);
      if (delayMs > 0) await wait(delayMs);
    },
  };
}

export type FaultQueue<Fault> = {
  add(faults: readonly Fault[]): void;
  /** The next fault, if it is meant for this call; then it is used up. */
  take(isMeant: (fault: Fault) => boolean): Fault | undefined;
};

/** Far above what a test asks for; a fault that is never met is a mistake in the test. */
const maxFaults = 10_000;

export function createFaultQueue<Fault>(): FaultQueue<Fault> {
  const faults: Fault[] = [];
  return {
    add(more) {
      if (faults.length + more.length > maxFaults) throw new Error('Too many faults are waiting');
      faults.push(...more);
    },
    take(isMeant) {
      const [next] = faults;
      if (next === undefined || !isMeant(next)) return undefined;
      faults.shift();
      return next;
    },
  };
}
