import { createLoop, type Logger, type Loop, withinTime } from '@belfry/runtime';
import type { DeliveryCount } from './delivery-counts.sql';

export type TallyDeps = {
  write(counts: DeliveryCount[]): Promise<void>;
  log: Logger;
};

export type Tally = Loop & {
  /** A provider took a message. */
  recordAccepted(message: { appId: string; channel: string }): void;
  /** Tells what was noted since; what `start` repeats. */
  flush(): Promise<void>;
};

const flushEveryMs = 5_000;
/** Apps and channels that are remembered while PostgreSQL is away: more are not counted. */
const maxRemembered = 10_000;
const closeTimeoutMs = 500;

/** Counts what this process delivered, for the rates of the dashboard. Best effort: nothing else rests on it. */
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
      // An outage is one line, not one a turn.
      if (!isMissing) log.warn('tally.not_told', { error });
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
