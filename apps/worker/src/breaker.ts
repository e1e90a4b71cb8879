/** Keeps messages from an integration that does not answer. */
export type Breaker = {
  /** How long a message of the lane must wait; undefined where it may be sent now. */
  waitMs(lane: string): number | undefined;
  /** How an attempt by the lane's integration ended. */
  note(lane: string, end: { isTimeout: boolean }): void;
};

const timeoutsInRow = 5;
const shutMs = 30_000;
/** While one message tries, the others look again soon: it may be answered at once. */
const tryingMs = 2_000;
const maxLanes = 10_000;

type Seen = { timeouts: number; shutUntilMs: number; isTried: boolean };

/** Five timeouts in a row shut a lane for 30 s; then one message tries it, and the others wait for what comes of it. */
export function createBreaker({ now }: { now(): number }): Breaker {
  const lanes = new Map<string, Seen>();

  return {
    waitMs(lane) {
      const seen = lanes.get(lane);
      if (!seen || seen.timeouts < timeoutsInRow) return undefined;
      const leftMs = seen.shutUntilMs - now();
      if (leftMs > 0) return seen.isTried ? Math.min(leftMs, tryingMs) : leftMs;
      // Of a try that is never heard of again, another one follows.
      seen.shutUntilMs = now() + shutMs;
      seen.isTried = true;
      return undefined;
    },
    note(lane, { isTimeout }) {
      const timeouts = (lanes.get(lane)?.timeouts ?? 0) + 1;
      lanes.delete(lane);
      if (!isTimeout) return;
      lanes.set(lane, { timeouts, shutUntilMs: now() + shutMs, isTried: false });
      if (lanes.size > maxLanes) forgetOldest(lanes);
    },
  };
}

function forgetOldest(lanes: Map<string, Seen>): void {
  for (const lane of lanes.keys()) {
    lanes.delete(lane);
    return;
  }
}
