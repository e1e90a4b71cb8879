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
const keptMs = 1_000;

/** Which parts answer, and what that means for what waits. */
export function createReadStatus(deps: StatusDeps): () => Promise<StoreStatus> {
  let kept: { atMs: number; status: Promise<StoreStatus> } | undefined;

  async function read(): Promise<StoreStatus> {
    const [postgres, redis, gateway] = await Promise.all(
      [deps.pingPostgres, deps.pingRedis, deps.pingGateway].map(measure),
    );
    const status = {
      postgres: postgres ?? away,
      redis: redis ?? away,
      gateway: { ...(gateway ?? away), url: deps.gatewayUrl },
    };
    return { ...status, sentence: sentenceOf(status) };
  }

  return function readStatus() {
    if (!kept || deps.now() - kept.atMs > keptMs) kept = { atMs: deps.now(), status: read() };
    return kept.status;
  };
}

const away = { isUp: false, ms: null };

async function measure(
  ping: () => Promise<unknown>,
): Promise<{ isUp: boolean; ms: number | null }> {
  const begunAt = performance.now();
  const isUp =
    (await withinTime(
      ping().then(() => true),
      pingTimeoutMs,
    )) === true;
  return isUp ? { isUp, ms: Math.round((performance.now() - begunAt) * 10) / 10 } : away;
}

function sentenceOf({ postgres, redis, gateway }: Omit<StoreStatus, 'sentence'>): string | null {
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
