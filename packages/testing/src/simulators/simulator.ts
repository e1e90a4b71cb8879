import { setTimeout as wait } from 'node:timers/promises';

/** A provider's stand-in on loopback: keeps what it accepted, and fails on demand. */
export type Simulator<Send, Fault> = {
  url: string;
  port: number;
  /** What was accepted, in order; also what was accepted and never answered. */
  sends: Send[];
  /** Told of each send when it was answered, or was not. */
  onAccepted(listener: (acceptedSend: AcceptedSend<Send>) => void): void;
  /** Faults for the next calls, one each, in order. */
  fail(...faults: Fault[]): void;
  /** Answers to what was accepted wait that long; beside the faults, and until told otherwise. */
  delayEach(getDelayMs: (send: Send) => number): void;
  close(): Promise<void>;
};

/** What was accepted, when, and when the answer left; times by `performance.now()`. */
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

/** How late the answers to what was accepted are. */
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
