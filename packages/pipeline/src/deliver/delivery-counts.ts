import { createLoop, type Logger, type Loop, type Metrics, withinTime } from '@belfry/runtime';
import type { DeliverDeps } from './deliver';
import type { DeliveryCount } from './delivery-counts.sql';

export type TallyDeps = {
  write(counts: DeliveryCount[]): Promise<void>;
  log: Logger;
};

export type Tally = Loop & {
  /** Counts a message that a provider accepted. */
  recordAccepted(message: { appId: string; channel: string }): void;
  /** Writes the counts since the last flush; `start` repeats it. */
  flush(): Promise<void>;
};

const flushEveryMs = 5_000;
/** Maximum pairs of app and channel to keep while PostgreSQL is unavailable; more are not counted. */
const maxRemembered = 10_000;
const closeTimeoutMs = 500;

/** Counts the deliveries of this process for the rates on the dashboard. Best effort: nothing else depends on it. */
export function createTally({ write, log }: TallyDeps): Tally {
  let counts = new Map<string, DeliveryCount>();
  let isMissing = false;
  const loop = createLoop(flush, () => flushEveryMs);

  function recordAccepted({ appId, channel }: { appId: string; channel: string }): void {
    add({ appId, channel, accepted: 1 });
  }

  function add({ appId, channel, accepted }: DeliveryCount): void {
    const key = `${appId} ${channel}`;
    const existing = counts.get(key);
    if (existing) existing.accepted += accepted;
    else if (counts.size < maxRemembered) counts.set(key, { appId, channel, accepted });
  }

  async function flush(): Promise<void> {
    if (counts.size === 0) return;
    const flushedCounts = [...counts.values()];
    counts = new Map();
    try {
      await write(flushedCounts);
      isMissing = false;
    } catch (error) {
      for (const count of flushedCounts) add(count);
      // Log an outage once, not on every flush.
      if (!isMissing) log.warn('delivery_counts.not_written', { error });
      isMissing = true;
    }
  }

  return {
    recordAccepted,
    flush,
    start: loop.start,
    async close() {
      await loop.close();
      await withinTime(flush(), closeTimeoutMs);
    },
  };
}

type CountMessageDeps = {
  metrics: Pick<Metrics, 'countMessage'>;
  tally: Pick<Tally, 'recordAccepted'>;
};

export function createCountMessage({
  metrics,
  tally,
}: CountMessageDeps): DeliverDeps['countMessage'] {
  return function countMessage({ appId, ...message }) {
    metrics.countMessage(message);
    if (message.outcome === 'accepted') tally.recordAccepted({ appId, channel: message.channel });
  };
}
