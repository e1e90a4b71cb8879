import { createRedis, type Logger } from '@belfry/runtime';
import type { Redis } from 'ioredis';

/** A relay stays awake for longer than this. */
const wakeEveryMs = 1_000;

/** Announces work to resting relays, at most once a second. Best effort: a resting relay also polls. */
export function createWakeRelay({ redis, prefix }: { redis: Redis; prefix: string }): () => void {
  let nextAtMs = Number.NEGATIVE_INFINITY;
  return function wakeRelay() {
    if (performance.now() < nextAtMs) return;
    nextAtMs = performance.now() + wakeEveryMs;
    redis.publish(buildChannel(prefix), '').catch(() => undefined);
  };
}

type ListenerDeps = { url: string; prefix: string; log: Logger };

/** Listens on a connection of its own, because a subscribed connection takes no other commands. */
export function listenToRelayWakes(
  { url, prefix, log }: ListenerDeps,
  onWake: () => void,
): { close(): void } {
  const redis = createRedis({ url, log });
  redis.on('message', onWake);
  redis.on('ready', () => {
    redis.subscribe(buildChannel(prefix)).catch(() => undefined);
  });
  return { close: () => redis.disconnect() };
}

function buildChannel(prefix: string): string {
  return `${prefix}:relay:wake`;
}
