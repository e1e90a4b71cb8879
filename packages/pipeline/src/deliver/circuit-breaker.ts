/** A circuit breaker for each integration. */
export type Breaker = {
  /** How long a message with this fairness key must wait; undefined if it may be sent now. */
  waitMs(fairnessKey: string): number | undefined;
  /** Records how an attempt by the integration ended. */
  recordOutcome(fairnessKey: string, end: { isTimeout: boolean }): void;
};

const timeoutsInRow = 5;
const circuitOpenMs = 30_000;
/** During a probe, other messages check again this soon, because the probe may succeed quickly. */
const probeMs = 2_000;
const maxCircuits = 10_000;

type CircuitState = { timeouts: number; openUntilMs: number; isProbing: boolean };

/** Five timeouts in a row open the circuit for 30 s. Then one message probes the integration while the others wait. */
export function createBreaker({ now }: { now(): number }): Breaker {
  const circuits = new Map<string, CircuitState>();

  return {
    waitMs(fairnessKey) {
      const circuit = circuits.get(fairnessKey);
      if (!circuit || circuit.timeouts < timeoutsInRow) return undefined;
      const leftMs = circuit.openUntilMs - now();
      if (leftMs > 0) return circuit.isProbing ? Math.min(leftMs, probeMs) : leftMs;
      // If the probe never reports, another one follows after this time.
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
