import { setTimeout as wait } from 'node:timers/promises';
import type { SimulatedChannels } from '../simulated-channels';
import type { Random } from './random';
import type { Entry, Variant } from './recording';
import { buildBody, type PlannedKey, type Tenant } from './workload';

export type ClientDeps = {
  tenants: Tenant[];
  simulated: SimulatedChannels['channels'];
  /** Gateways that listen now. */
  gateways(): { name: string; url: string }[];
  record(entry: Entry): void;
  random: Random;
  /** When clients give up. */
  isOver(): boolean;
};

/** A caller who repeats each call until it has a final answer. */
export type Client = {
  /** Makes all calls of the key; false if an answer was not available in time. */
  use(planned: PlannedKey): Promise<boolean>;
};

/** Shorter than a real caller's timeout, so that a frozen gateway does not block a key for long. */
const callTimeoutMs = 6_000;
const firstWaitMs = 40;
const longestWaitMs = 1_000;
/** Far more than the longest outage of a run takes. */
const mostTries = 500;
const repeated = new Set([0, 408, 409, 503]);

export function createClient(deps: ClientDeps): Client {
  const { record, random, isOver } = deps;
  const callOnce = createCallOnce(deps);

  async function use(planned: PlannedKey): Promise<boolean> {
    const { key, policy, channels, numbers, copies } = planned;
    const { accountId, appId } = getTenant(deps, planned.tenant);
    record({ type: 'key', key, accountId, appId, policy, channels, items: numbers.length });
    const same = Array.from({ length: copies }, () => untilAnswered(planned, 'same'));
    const isAccepted = (await Promise.all(same)).every(Boolean);
    if (!isAccepted) return false;
    const more = variantsAfter(planned).map((variant) => untilAnswered(planned, variant));
    return (await Promise.all(more)).every(Boolean);
  }

  async function untilAnswered(planned: PlannedKey, variant: Variant): Promise<boolean> {
    let waitMs = firstWaitMs;
    for (let attempt = 0; attempt < mostTries && !isOver(); attempt += 1) {
      const gateways = deps.gateways();
      if (gateways.length > 0) {
        const status = await callOnce({ planned, variant, gateway: random.pick(gateways) });
        if (!repeated.has(status)) return true;
      }
      await wait(waitMs * (0.5 + random.next()));
      waitMs = Math.min(waitMs * 2, longestWaitMs);
    }
    return false;
  }

  return { use };
}

/** The calls after the key was accepted. */
function variantsAfter({ isReplayed, isMisused, isTrespassed }: PlannedKey): Variant[] {
  return [
    ...(isReplayed ? (['same'] as const) : []),
    ...(isMisused ? (['other'] as const) : []),
    ...(isTrespassed ? (['stranger'] as const) : []),
  ];
}

type Call = { planned: PlannedKey; variant: Variant; gateway: { name: string; url: string } };

/** Makes one call and records its answer; returns the status. */
function createCallOnce(deps: ClientDeps): (call: Call) => Promise<number> {
  const { simulated, record } = deps;
  let calls = 0;
  return async function callOnce({ planned, variant, gateway }) {
    calls += 1;
    const call = calls;
    const { key, tenant, isBulk } = planned;
    record({ type: 'call', call, atMs: performance.now(), key, variant, gateway: gateway.name });
    const { appId } = getTenant(deps, tenant);
    const path = `/v1/apps/${appId}/events/${isBulk ? 'bulk_send' : 'send'}`;
    const { apiKey } = getTenant(deps, variant === 'stranger' ? tenant + 1 : tenant);
    const value = variant === 'other' ? 'Eve' : 'Ana';
    const body = JSON.stringify(buildBody(planned, simulated, value));
    const answer = await post(new URL(path, gateway.url), { apiKey, key, body });
    record({ type: 'answer', call, atMs: performance.now(), ...answer });
    return answer.status;
  };
}

function getTenant({ tenants }: ClientDeps, index: number): Tenant {
  const tenant = tenants[index % tenants.length];
  if (!tenant) throw new Error('No tenant');
  return tenant;
}

type Answered = { status: number; body: string; isReplay: boolean; hasRetryAfter: boolean };

async function post(
  url: URL,
  { apiKey, key, body }: { apiKey: string; key: string; body: string },
): Promise<Answered> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        Authorization: `AuthKey ${apiKey}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
      },
      body,
      signal: AbortSignal.timeout(callTimeoutMs),
    });
    return {
      status: response.status,
      body: await response.text(),
      isReplay: response.headers.get('idempotent-replayed') === 'true',
      hasRetryAfter: response.headers.has('retry-after'),
    };
  } catch {
    return { status: 0, body: '', isReplay: false, hasRetryAfter: false };
  }
}
