import { describePause, type PauseReason } from '@belfry/database';
import { withinTime } from '@belfry/runtime';
import type { StoreStatus } from '../api/queues';

export type StatusDeps = {
  pingPostgres(): Promise<unknown>;
  pingRedis(): Promise<unknown>;
  pingGateway(): Promise<unknown>;
  /** Why the whole installation is paused; undefined if it is not. */
  readPause(): Promise<PauseReason | undefined>;
  gatewayUrl: string;
  now: () => number;
};

const pingTimeoutMs = 1_500;
/** Each part is pinged at most once per this time, for any number of pages. */
const cacheMs = 1_000;

/** Reports which parts are up, and the effect on waiting messages. */
export function createReadStatus(deps: StatusDeps): () => Promise<StoreStatus> {
  let cache: { atMs: number; status: Promise<StoreStatus> } | undefined;

  async function read(): Promise<StoreStatus> {
    const [postgres, redis, gateway] = await Promise.all(
      [deps.pingPostgres, deps.pingRedis, deps.pingGateway].map(measure),
    );
    const pause = postgres?.isUp && (await withinTime(deps.readPause(), pingTimeoutMs));
    const status = {
      postgres: postgres ?? downStatus,
      redis: redis ?? downStatus,
      gateway: { ...(gateway ?? downStatus), url: deps.gatewayUrl },
    };
    return { ...status, sentence: describeStatus(status) ?? (pause ? describePause(pause) : null) };
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
    return 'PostgreSQL does not answer. Accepted messages are safe. Until it is back, no calls are accepted, and nothing can be shown or changed.';
  }
  if (!redis.isUp) {
    return 'Redis does not answer, so sending is stopped until it is back. Calls are still accepted, and every message waits in PostgreSQL. Nothing is lost.';
  }
  if (!gateway.isUp) {
    return 'The gateway does not answer, so no new calls are accepted. Accepted messages are still sent, and the dashboard works as usual.';
  }
  return null;
}
