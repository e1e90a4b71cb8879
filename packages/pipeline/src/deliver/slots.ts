/** Messages that a worker may have in flight, shared out among lanes. */
export type Slots = {
  /** Resolves with the function that gives the slot back; with undefined once the slots are closed. */
  acquire(group: Group): Promise<Release | undefined>;
  /** The same `times` times, without a promise for each of those that wait: `serve` is called for each and must not throw. */
  acquireEach(group: Group, times: number, serve: (release: Release | undefined) => void): void;
  /** Nobody who waits gets a slot any more. */
  close(): void;
};

/** `max` bounds it below the half of all slots, as by its connections. */
export type Group = { name: string; max?: number | undefined };

export type Release = () => void;

type SlotRequest = {
  group: Group;
  times: number;
  serve(release: Release | undefined): void;
};

/**
 * One lane holds at most half of the slots, so that a provider that hangs leaves the other half. Lanes that wait are
 * served in turn, however many of each wait.
 */
export function createSlots(total: number): Slots {
  const shares = createShares(total, serveWaiting);
  const waiting = new Map<string, SlotRequest[]>();
  let isClosed = false;
  let isServing = false;

  /** Who is served may give its slot back at once: then it is for this loop, and not for one within it. */
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
    // Behind the others, for its next turn.
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

/** Which lane holds how many. */
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
