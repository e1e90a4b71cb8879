import { setTimeout as wait } from 'node:timers/promises';

/** A simulated provider on loopback: it records accepted sends, and fails on demand. */
export type Simulator<Send, Fault> = {
  url: string;
  port: number;
  /** Accepted sends in order, including those that were never answered. */
  sends: Send[];
  /** Calls the listener for each send, after its answer or its failure to answer. */
  onAccepted(listener: (acceptedSend: AcceptedSend<Send>) => void): void;
  /** Faults for the next calls, one each, in order. */
  fail(...faults: Fault[]): void;
  /** Delays answers to accepted sends, in addition to the faults, until changed. */
  delayEach(getDelayMs: (send: Send) => number): void;
  close(): Promise<void>;
};

/** An accepted send, its time, and when its answer left; times by `performance.now()`. */
export type AcceptedSend<Send> = {
  send: Send;
  atMs: number;
  answeredMs: number;
  isAnswered: boolean;
};

/** The listeners of one simulator. */
export function createAcceptedListeners<Send>() {
  const listeners: ((acceptedSend: AcceptedSend<Send>) => void)[] = [];
  return {
    add(listener: (acceptedSend: AcceptedSend<Send>) => void): void {
      listeners.push(listener);
    },
    notify(acceptedSend: Omit<AcceptedSend<Send>, 'answeredMs'>): void {
      for (const listener of listeners)
        listener({ ...acceptedSend, answeredMs: performance.now() });
    },
  };
}

/** Delay of answers to accepted sends. */
export function createDelays<Send>() {
  let getDelayMs = (_send: Send) => 0;
  return {
    set(override: (send: Send) => number): void {
      getDelayMs = override;
    },
    async pass(send: Send): Promise<void> {
      const delayMs = getDelayMs(send);
      if (delayMs > 0) await wait(delayMs);
    },
  };
}

export type FaultQueue<Fault> = {
  add(faults: readonly Fault[]): void;
  /** Takes the next fault, if it is meant for this call. */
  take(isMeant: (fault: Fault) => boolean): Fault | undefined;
};

/** Far above the needs of a test: faults that are never met are a mistake in the test. */
const maxFaults = 10_000;

export function createFaultQueue<Fault>(): FaultQueue<Fault> {
  const faults: Fault[] = [];
  return {
    add(more) {
      if (faults.length + more.length > maxFaults)
        throw new Error('Too many faults are queued: the test does not meet them');
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
