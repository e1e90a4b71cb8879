import { type Logger, withinTime } from '@belfry/runtime';

export type HeartbeatDeps = {
  /** `hasProgress`: a job ended since the last beat. */
  write(beat: { isFirst: boolean; hasProgress: boolean }): Promise<void>;
  remove(): Promise<void>;
  log: Logger;
};

export type Heartbeat = {
  start(): void;
  /** A job ended. */
  noteProgress(): void;
  close(): Promise<void>;
};

const beatEveryMs = 5_000;
const removeTimeoutMs = 500;

/** Tells in PostgreSQL that this process lives and what it does; best effort. */
export function createHeartbeat({ write, remove, log }: HeartbeatDeps): Heartbeat {
  let hasProgress = false;
  let isFirst = true;
  let isMissing = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let beating: Promise<void> = Promise.resolve();

  async function beat(): Promise<void> {
    const told = { isFirst, hasProgress };
    hasProgress = false;
    try {
      await write(told);
      isFirst = false;
      isMissing = false;
    } catch (error) {
      hasProgress ||= told.hasProgress;
      // An outage is one line, not one a beat.
      if (!isMissing) log.warn('heartbeat.missed', { error });
      isMissing = true;
    }
  }

  function start(): void {
    beating = beat().finally(() => {
      if (!isClosed) timer = setTimeout(start, beatEveryMs);
    });
  }

  return {
    start,
    noteProgress() {
      hasProgress = true;
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      // A beat that is on its way would write the row again.
      await withinTime(
        beating.then(() => remove()),
        removeTimeoutMs,
      );
    },
  };
}
