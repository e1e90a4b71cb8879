/** Keeps messages from an integration that does not answer. */
export type Breaker = {
  /** How long a message of the lane must wait; undefined where it may be sent now. */
  waitMs(fairnessKey: string): number | undefined;
  /** How an attempt by the lane's integration ended. */
  recordOutcome(fairnessKey: string, end: { isTimeout: boolean }): void;
};

const timeoutsInRow = 5;
const circuitOpenMs = 30_000;
/** While one message tries, the others look again soon: it may be answered at once. */
const probeMs = 2_000;
const maxCircuits = 10_000;

type CircuitState = { timeouts: number; openUntilMs: number; isProbing: boolean };

/** Five timeouts in a row shut a lane for 30 s; then one message tries it, and the others wait for what comes of it. */
export function createBreaker({ now }: { now(): number }): Breaker {
  const circuits = new Map<string, CircuitState>();

  return {
    waitMs(fairnessKey) {
      const circuit = circuits.get(fairnessKey);
      if (!circuit || circuit.timeouts < timeoutsInRow) return undefined;
      const leftMs = circuit.openUntilMs - now();
      if (leftMs > 0) return circuit.isProbing ? Math.min(leftMs, probeMs) : leftMs;
      // Of a try that is never heard of again, another one follows.
      circuit.openUntilMs = now() + circuitOpenMs;
      circuit.isProbing = true;
      return undefined;
    },
    recordOutcome(fairnessKey, { isTimeout }) {
      const timeouts = (circuits.get(fairnessKey)?.timeouts ?? 0) + 1;
      circuits.delete(fairnessKey);
      if (!isTimeout) return;
      circuits.set(fairnessKey, { timeouts, openUntilMs: now() + circuitOpenMs, isProbing: false });
      if (circuits.size > maxCircuits) forgetOldest(circuits);
    },
  };
}

function forgetOldest(circuits: Map<string, CircuitState>): void {
  for (const fairnessKey of circuits.keys()) {
    circuits.delete(fairnessKey);
    return;
  }
}
