/** Messages that a worker may have in flight, shared out among lanes. */
export type Slots = {
  /** Resolves with the function that gives the slot back; with undefined once the slots are closed. */
  acquire(lane: string): Promise<(() => void) | undefined>;
  /** Nobody who waits gets a slot any more. */
  close(): void;
};

type Waiter = (release: (() => void) | undefined) => void;

/**
 * One lane holds at most half of the slots, so that a provider that hangs leaves the other half. Lanes that wait are
 * served in turn, however many of each wait.
 */
export function createSlots(total: number): Slots {
  const perLane = Math.max(1, Math.floor(total / 2));
  const used = new Map<string, number>();
  const waiting = new Map<string, Waiter[]>();
  let free = total;
  let isClosed = false;

  function mayTake(lane: string): boolean {
    return free > 0 && (used.get(lane) ?? 0) < perLane;
  }

  function take(lane: string): () => void {
    free -= 1;
    used.set(lane, (used.get(lane) ?? 0) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      giveBack(lane);
      serveNext();
    };
  }

  function giveBack(lane: string): void {
    free += 1;
    const left = (used.get(lane) ?? 0) - 1;
    if (left > 0) used.set(lane, left);
    else used.delete(lane);
  }

  function serveNext(): void {
    for (const [lane, waiters] of waiting) {
      if (!mayTake(lane)) continue;
      const next = waiters.shift();
      // Behind the others, for its next turn.
      waiting.delete(lane);
      if (waiters.length > 0) waiting.set(lane, waiters);
      next?.(take(lane));
      return;
    }
  }

  return {
    acquire(lane) {
      if (isClosed) return Promise.resolve(undefined);
      if (mayTake(lane)) return Promise.resolve(take(lane));
      return new Promise((resolve) => {
        const waiters = waiting.get(lane) ?? [];
        waiters.push(resolve);
        waiting.set(lane, waiters);
      });
    },
    close() {
      isClosed = true;
      const left = [...waiting.values()].flat();
      waiting.clear();
      for (const waiter of left) waiter(undefined);
    },
  };
}
