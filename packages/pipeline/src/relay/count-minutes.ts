import type { Queryable } from '@belfry/database';
import { createLoop, type Logger, type Loop } from '@belfry/runtime';
import {
  addMinutes,
  countEmptyMinutes,
  countEverySeconds,
  countMinute,
  listDueMinutes,
  markChangedMinutes,
  postponeMinute,
} from './count-minutes.sql';

export type MinuteCountDeps = {
  /** Runs `work` while no other process does; returns false if another process holds the lock. */
  withLock(work: (database: Queryable) => Promise<void>): Promise<boolean>;
  now: () => number;
  log: Logger;
};

export type MinuteCount = Loop & {
  /** One run; `start` repeats it. */
  runOnce(): Promise<void>;
};

/** A run starts no further minute after this time, so that counting uses about 5 % of a core. */
const runMs = 750;
const longSeconds = runMs / 1_000;
/** A minute that takes long is counted for a twentieth of the time. */
const restFactor = 20;
const failedWaitSeconds = 600;
/** A first start has 8 days of minutes. */
const maxMinutesPerRun = 12_000;

/** Counts due minutes for the overview, in one process at a time. A run that is cut off leaves its minutes due. */
export function createMinuteCount({ withLock, now, log }: MinuteCountDeps): MinuteCount {
  let isClosed = false;
  let isFailing = false;
  const loop = createLoop(runOnce, () => countEverySeconds * 1_000);

  async function runOnce(): Promise<void> {
    try {
      await withLock(countDue);
      isFailing = false;
    } catch (error) {
      // Log an outage once, not on every run.
      if (!isFailing) log.warn('minutes.not_counted', { error });
      isFailing = true;
    }
  }

  async function countDue(database: Queryable): Promise<void> {
    const startedAt = now();
    await addMinutes(database);
    await markChangedMinutes(database);
    await countEmptyMinutes(database);
    for (const minute of await listDueMinutes(database, maxMinutesPerRun)) {
      if (isClosed || now() - startedAt > runMs) return;
      await countOne(database, minute);
    }
  }

  /** A minute that took long is counted less often, and one that failed does not keep the others from being counted. */
  async function countOne(database: Queryable, minute: Date): Promise<void> {
    const startedAt = now();
    try {
      await countMinute(database, minute);
    } catch (error) {
      await postponeMinute(database, minute, failedWaitSeconds);
      throw error;
    }
    const tookSeconds = (now() - startedAt) / 1_000;
    if (tookSeconds > longSeconds) await postponeMinute(database, minute, tookSeconds * restFactor);
  }

  return {
    runOnce,
    start: loop.start,
    async close() {
      isClosed = true;
      await loop.close();
    },
  };
}
