/** A worker's limit on messages in flight, shared fairly between fairness keys. */
export type Slots = {
  /** Resolves with a function that frees the slot, or with undefined once the slots are closed. */
  acquire(group: Group): Promise<Release | undefined>;
  /** Acquires `times` slots and calls `serve` for each. It needs no promise for each waiting message. `serve` must not throw. */
  acquireEach(group: Group, times: number, serve: (release: Release | undefined) => void): void;
  /** Refuses all waiting and future requests. */
  close(): void;
};

/** `max` lowers the group's limit, for example to its number of connections. */
export type Group = { name: string; max?: number | undefined };

export type Release = () => void;

type SlotRequest = {
  group: Group;
  times: number;
  serve(release: Release | undefined): void;
};

/**
 * One fairness key gets at most half of the slots, so that a provider that hangs leaves the other half. Keys with waiting
 * messages take turns, however many messages each has.
 */
export function createSlots(total: number): Slots {
  const shares = createShares(total, serveWaiting);
  const waiting = new Map<string, SlotRequest[]>();
  let isClosed = false;
  let isServing = false;

  /** `serve` may free its slot at once, which calls this again: the running loop handles it. */
  function serveWaiting(): void {
    if (isServing) return;
    isServing = true;
    for (let fairnessKey = findNextKey(); fairnessKey !== undefined; fairnessKey = findNextKey())
      serveOne(fairnessKey);
    isServing = false;
  }

  function findNextKey(): string | undefined {
    for (const [name, [first]] of waiting) if (first && shares.mayTake(first.group)) return name;
    return undefined;
  }

  function serveOne(fairnessKey: string): void {
    const requests = waiting.get(fairnessKey) ?? [];
    const [next] = requests;
    // Removed and added again, so that the key moves behind the others.
    waiting.delete(fairnessKey);
    if (!next) return;
    next.times -= 1;
    if (next.times === 0) requests.shift();
    if (requests.length > 0) waiting.set(fairnessKey, requests);
    next.serve(shares.take(fairnessKey));
  }

  function acquireEach(group: Group, times: number, serve: SlotRequest['serve']): void {
    if (times === 0) return;
    const request = { group, times, serve };
    if (isClosed) {
      refuse(request);
      return;
    }
    const requests = waiting.get(group.name);
    if (requests) requests.push(request);
    else waiting.set(group.name, [request]);
    serveWaiting();
  }

  return {
    acquire: (group) => new Promise((resolve) => acquireEach(group, 1, resolve)),
    acquireEach,
    close() {
      isClosed = true;
      const pendingRequests = [...waiting.values()].flat();
      waiting.clear();
      for (const request of pendingRequests) refuse(request);
    },
  };
}

/** Counts the slots that each fairness key holds. */
function createShares(total: number, onRelease: () => void) {
  const maxPerKey = Math.max(1, Math.floor(total / 2));
  const used = new Map<string, number>();
  let free = total;

  function returnSlot(fairnessKey: string): void {
    free += 1;
    const remaining = (used.get(fairnessKey) ?? 0) - 1;
    if (remaining > 0) used.set(fairnessKey, remaining);
    else used.delete(fairnessKey);
  }

  return {
    mayTake: ({ name, max = maxPerKey }: Group) =>
      free > 0 && (used.get(name) ?? 0) < Math.min(max, maxPerKey),

    take(fairnessKey: string): Release {
      free -= 1;
      used.set(fairnessKey, (used.get(fairnessKey) ?? 0) + 1);
      let isReleased = false;
      return () => {
        if (isReleased) return;
        isReleased = true;
        returnSlot(fairnessKey);
        onRelease();
      };
    },
  };
}

function refuse({ times, serve }: SlotRequest): void {
  for (let count = 0; count < times; count += 1) serve(undefined);
}
