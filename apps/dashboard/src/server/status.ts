import { withinTime } from '@belfry/runtime';
import type { StoreStatus } from '../api/queues';

export type StatusDeps = {
  pingPostgres(): Promise<unknown>;
  pingRedis(): Promise<unknown>;
  pingGateway(): Promise<unknown>;
  gatewayUrl: string;
  now: () => number;
};

const pingTimeoutMs = 1_500;
/** However many pages ask, each part is asked this often at most. */
const cacheMs = 1_000;

/** Which parts answer, and what that means for what waits. */
export function createReadStatus(deps: StatusDeps): () => Promise<StoreStatus> {
  let cache: { atMs: number; status: Promise<StoreStatus> } | undefined;

  async function read(): Promise<StoreStatus> {
    const [postgres, redis, gateway] = await Promise.all(
      [deps.pingPostgres, deps.pingRedis, deps.pingGateway].map(measure),
    );
    const status = {
      postgres: postgres ?? downStatus,
      redis: redis ?? downStatus,
      gateway: { ...(gateway ?? downStatus), url: deps.gatewayUrl },
    };
    return { ...status, sentence: describeStatus(status) };
  }

  return function readStatus() {
    if (!cache || deps.now() - cache.atMs > cacheMs) cache = { atMs: deps.now(), status: read() };
    return cache.status;
  };
}

const downStatus = { isUp: false, ms: null };

async function measure(
  ping: () => Promise<unknown>,
): Promise<{ isUp: boolean; ms: number | null }> {
  const startedAt = performance.now();
  const isUp =
    (await withinTime(
      ping().then(() => true),
      pingTimeoutMs,
    )) === true;
  return isUp ? { isUp, ms: Math.round((performance.now() - startedAt) * 10) / 10 } : downStatus;
}

function describeStatus({
  postgres,
  redis,
  gateway,
}: Omit<StoreStatus, 'sentence'>): string | null {
  if (!postgres.isUp) {
    return 'What was accepted is safe. PostgreSQL does not answer, so nothing is accepted, shown or changed until it is back.';
  }
  if (!redis.isUp) {
    return 'Nothing is lost: every message waits in PostgreSQL. Redis does not answer, so sending stops until it is back; calls are accepted all the same.';
  }
  if (!gateway.isUp) {
    return 'What was accepted is being sent. The gateway does not answer, so no new call is accepted; everything here can be looked at and changed.';
  }
  return null;
}
