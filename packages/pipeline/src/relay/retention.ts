import type { Queryable } from '@belfry/database';
import { createLoop, type Logger, type Loop, withinTime } from '@belfry/runtime';

/** A kind of row that is removed by age, in chunks. */
export type UpkeepTask = { name: string; removeChunk(database: Queryable): Promise<RemovedChunk> };

type RemovedChunk = { removed: number; mayBeMore: boolean };

export type UpkeepDeps = {
  /** Runs `work` while no other process does; returns false if another process holds the lock. */
  withLock(work: (database: Queryable) => Promise<void>): Promise<boolean>;
  /** The tasks of one run. */
  createTasks(): UpkeepTask[];
  everyMs: number;
  /** Milliseconds of a clock that only goes forward. */
  now(): number;
  /** Waits; ends early when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  log: Logger;
};

export type Upkeep = Loop & {
  /** One run; `start` repeats it. */
  runOnce(): Promise<void>;
};

/** The next run removes the rest. */
const maxChunksPerTask = 10_000;
/** After each chunk the removal rests for this many times as long as the chunk took, so it works for a fifth of the time. */
const restPerChunk = 4;
const longestRestMs = 10_000;
/** A chunk that is cut off removes nothing; the next process repeats it. */
const closeTimeoutMs = 1_000;

/** Removes old rows, in one process at a time. */
export function createUpkeep(deps: UpkeepDeps): Upkeep {
  const { withLock, createTasks, everyMs, now, sleep, log } = deps;
  const stopping = new AbortController();
  const loop = createLoop(runOnce, () => everyMs);

  async function runOnce(): Promise<void> {
    try {
      await withLock(async (database) => {
        for (const task of createTasks()) await runTask(task, database);
      });
    } catch (error) {
      log.warn('upkeep.failed', { error });
    }
  }

  /** A task that fails does not stop the other tasks. */
  async function runTask(task: UpkeepTask, database: Queryable): Promise<void> {
    let count = 0;
    try {
      for (let chunk = 0; chunk < maxChunksPerTask && !stopping.signal.aborted; chunk += 1) {
        const startedAtMs = now();
        const { removed, mayBeMore } = await task.removeChunk(database);
        count += removed;
        if (!mayBeMore) break;
        const restMs = Math.min((now() - startedAtMs) * restPerChunk, longestRestMs);
        await sleep(restMs, stopping.signal);
      }
    } catch (error) {
      log.warn('upkeep.task_failed', { name: task.name, error });
    }
    if (count > 0) log.info('upkeep.removed', { name: task.name, count });
  }

  return {
    runOnce,
    start: loop.start,
    async close() {
      stopping.abort();
      await withinTime(loop.close(), closeTimeoutMs);
    },
  };
}
