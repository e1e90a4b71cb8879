/** A provider's stand-in on loopback: keeps what it accepted, and fails on demand. */
export type Simulator<Send, Fault> = {
  url: string;
  port: number;
  /** What was accepted, in order; also what was accepted and never answered. */
  sends: Send[];
  /** Faults for the next calls, one each, in order. */
  fail(...faults: Fault[]): void;
  close(): Promise<void>;
};

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
