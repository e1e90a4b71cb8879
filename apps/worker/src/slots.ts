/** Messages that a worker may have in flight, shared out among lanes. */
export type Slots = {
  /** Resolves with the function that gives the slot back; with undefined once the slots are closed. */
  acquire(lane: Lane): Promise<Release | undefined>;
  /** The same `times` times, without a promise for each of those that wait: `serve` is called for each and must not throw. */
  acquireEach(lane: Lane, times: number, serve: (release: Release | undefined) => void): void;
  /** Nobody who waits gets a slot any more. */
  close(): void;
};

/** `max` bounds it below the half of all slots, as by its connections. */
export type Lane = { name: string; max?: number | undefined };

export type Release = () => void;

type Waiter = { lane: Lane; times: number; serve(release: Release | undefined): void };

/**
 * One lane holds at most half of the slots, so that a provider that hangs leaves the other half. Lanes that wait are
 * served in turn, however many of each wait.
 */
export function createSlots(total: number): Slots {
  const shares = createShares(total, serveWaiting);
  const waiting = new Map<string, Waiter[]>();
  let isClosed = false;
  let isServing = false;

  /** Who is served may give its slot back at once: then it is for this loop, and not for one within it. */
  function serveWaiting(): void {
    if (isServing) return;
    isServing = true;
    for (let lane = nextLane(); lane !== undefined; lane = nextLane()) serveOne(lane);
    isServing = false;
  }

  function nextLane(): string | undefined {
    for (const [name, [first]] of waiting) if (first && shares.mayTake(first.lane)) return name;
    return undefined;
  }

  function serveOne(lane: string): void {
    const waiters = waiting.get(lane) ?? [];
    const [next] = waiters;
    // Behind the others, for its next turn.
    waiting.delete(lane);
    if (!next) return;
    next.times -= 1;
    if (next.times === 0) waiters.shift();
    if (waiters.length > 0) waiting.set(lane, waiters);
    next.serve(shares.take(lane));
  }

  function acquireEach(lane: Lane, times: number, serve: Waiter['serve']): void {
    if (times === 0) return;
    const waiter = { lane, times, serve };
    if (isClosed) {
      refuse(waiter);
      return;
    }
    const waiters = waiting.get(lane.name);
    if (waiters) waiters.push(waiter);
    else waiting.set(lane.name, [waiter]);
    serveWaiting();
  }

  return {
    acquire: (lane) => new Promise((resolve) => acquireEach(lane, 1, resolve)),
    acquireEach,
    close() {
      isClosed = true;
      const left = [...waiting.values()].flat();
      waiting.clear();
      for (const waiter of left) refuse(waiter);
    },
  };
}

/** Which lane holds how many. */
function createShares(total: number, onRelease: () => void) {
  const perLane = Math.max(1, Math.floor(total / 2));
  const used = new Map<string, number>();
  let free = total;

  function giveBack(lane: string): void {
    free += 1;
    const left = (used.get(lane) ?? 0) - 1;
    if (left > 0) used.set(lane, left);
    else used.delete(lane);
  }

  return {
    mayTake: ({ name, max = perLane }: Lane) =>
      free > 0 && (used.get(name) ?? 0) < Math.min(max, perLane),

    take(lane: string): Release {
      free -= 1;
      used.set(lane, (used.get(lane) ?? 0) + 1);
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        giveBack(lane);
        onRelease();
      };
    },
  };
}

function refuse({ times, serve }: Waiter): void {
  for (let count = 0; count < times; count += 1) serve(undefined);
}
