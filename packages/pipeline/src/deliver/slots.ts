import type { AnyChannel, Provider, Sender } from '@belfry/channels';
import type { IntegrationRow } from '@belfry/database';
import { LRUCache } from 'lru-cache';

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

type DeliverOne = (id: string, release: Release | undefined) => Promise<void>;

/**
 * Resolves when all messages of the job are done, even if one fails, because shutdown waits for jobs. Many messages may
 * wait for a long time, so a message that waits for a slot takes no memory except its id.
 */
export function withSlots(
  slots: Slots,
  ids: readonly string[],
  group: Group,
  deliverOne: DeliverOne,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let nextIndex = 0;
    let open = ids.length;
    let end: () => void = resolve;
    function endOne(): void {
      open -= 1;
      if (open === 0) end();
    }
    function failOne(error: unknown): void {
      end = () => reject(error);
      endOne();
    }
    if (open === 0) resolve();
    slots.acquireEach(group, open, (release) => {
      const id = ids[nextIndex] ?? '';
      nextIndex += 1;
      void deliverOne(id, release).then(endOne, failOne);
    });
  });
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

/** A circuit breaker for each integration. */
export type Breaker = {
  /** How long a message with this fairness key must wait; undefined if it may be sent now. */
  waitMs(fairnessKey: string): number | undefined;
  /** Records how an attempt by the integration ended. Returns how long the circuit is open, if it is. */
  recordOutcome(fairnessKey: string, end: { isTimeout: boolean }): number | undefined;
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
      if (!isTimeout) return undefined;
      circuits.set(fairnessKey, { timeouts, openUntilMs: now() + circuitOpenMs, isProbing: false });
      if (circuits.size > maxCircuits) forgetOldest(circuits);
      return timeouts < timeoutsInRow ? undefined : circuitOpenMs;
    },
  };
}

function forgetOldest(circuits: Map<string, CircuitState>): void {
  for (const fairnessKey of circuits.keys()) {
    circuits.delete(fairnessKey);
    return;
  }
}

/** The connections of an integration, for providers that limit them. */
export type ProviderConnections = {
  /** How many messages this process may send at once by this fairness key; undefined if only the slots limit them. */
  getMax(fairnessKey: string): Promise<number | undefined>;
  /** Reserves a connection before a message is claimed; undefined if none became free before the signal fired. */
  reserve(call: ReserveCall): Promise<Reservation | undefined>;
};

export type ReserveCall = { fairnessKey: string; messageId: string; signal: AbortSignal };
export type Reservation = { release(): void };

export type ProviderConnectionsDeps = {
  channel: AnyChannel;
  findIntegration(id: string): Promise<IntegrationRow | undefined>;
  getSender(provider: string): Sender<unknown>;
  openCredentials(integration: IntegrationRow): Record<string, unknown>;
};

const maxFairnessKeys = 10_000;
const emptyReservation: Reservation = { release: () => undefined };

export function createProviderConnections(deps: ProviderConnectionsDeps): ProviderConnections {
  const providers: Record<string, Provider<unknown>> = deps.channel.providers;
  const isBounded = Object.values(providers).some(({ getMaxConnections }) => getMaxConnections);
  /** Fairness keys of apps: they have no integration and never get one. */
  const withoutIntegration = new LRUCache<string, true>({ max: maxFairnessKeys });

  async function findBounded(fairnessKey: string): Promise<IntegrationRow | undefined> {
    if (!isBounded || withoutIntegration.has(fairnessKey)) return undefined;
    const integration = await deps.findIntegration(fairnessKey);
    if (!integration) withoutIntegration.set(fairnessKey, true);
    const isSupported = integration && Object.hasOwn(providers, integration.provider);
    return isSupported ? integration : undefined;
  }

  return {
    async getMax(fairnessKey) {
      const integration = await findBounded(fairnessKey);
      return (
        integration && providers[integration.provider]?.getMaxConnections?.(integration.settings)
      );
    },
    async reserve({ fairnessKey, messageId, signal }) {
      const integration = await findBounded(fairnessKey);
      if (!integration) return emptyReservation;
      const sender = deps.getSender(integration.provider);
      if (!sender.reserve) return emptyReservation;
      const { id: integrationId, settings, updatedAt } = integration;
      const credentials = deps.openCredentials(integration);
      const integrationVersion = String(updatedAt.getTime());
      const call = { integrationId, integrationVersion, settings, credentials, messageId };
      return sender.reserve(call, signal);
    },
  };
}
