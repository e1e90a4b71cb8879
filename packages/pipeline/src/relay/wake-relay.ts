import { type Logger, listenToChannel, type RedisConnection } from '@belfry/runtime';

/** A relay stays awake for longer than this. */
const wakeEveryMs = 1_000;

/** Announces work to resting relays, at most once a second. Best effort: a resting relay also polls. */
export function createWakeRelay({
  redis,
  prefix,
}: {
  redis: RedisConnection;
  prefix: string;
}): () => void {
  let nextAtMs = Number.NEGATIVE_INFINITY;
  return function wakeRelay() {
    if (performance.now() < nextAtMs) return;
    nextAtMs = performance.now() + wakeEveryMs;
    redis.publish(buildChannel(prefix), '').catch(() => undefined);
  };
}

type ListenerDeps = { url: string; prefix: string; log: Logger };

export function listenToRelayWakes(
  { url, prefix, log }: ListenerDeps,
  onWake: () => void,
): { close(): void } {
  return listenToChannel({ url, log, channel: buildChannel(prefix), onMessage: onWake });
}

function buildChannel(prefix: string): string {
  return `${prefix}:relay:wake`;
}
