import { type Logger, withinTime } from '@belfry/runtime';

export type HeartbeatDeps = {
  write(row: { isFirst: boolean }): Promise<void>;
  remove(): Promise<void>;
  log: Logger;
};

export type Heartbeat = {
  start(): void;
  close(): Promise<void>;
};

const heartbeatEveryMs = 5_000;
const removeTimeoutMs = 500;

/** Records in PostgreSQL that this process is alive and which roles it has. Best effort. */
export function createHeartbeat({ write, remove, log }: HeartbeatDeps): Heartbeat {
  let isFirst = true;
  let isMissing = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let lastHeartbeat: Promise<void> = Promise.resolve();

  async function sendHeartbeat(): Promise<void> {
    try {
      await write({ isFirst });
      isFirst = false;
      isMissing = false;
    } catch (error) {
      // One line for each outage, not one for each heartbeat.
      if (!isMissing) log.warn('heartbeat.missed', { error });
      isMissing = true;
    }
  }

  function start(): void {
    lastHeartbeat = sendHeartbeat().finally(() => {
      if (!isClosed) timer = setTimeout(start, heartbeatEveryMs);
    });
  }

  return {
    start,
    async close() {
      isClosed = true;
      clearTimeout(timer);
      // A heartbeat in progress would write the row again.
      await withinTime(
        lastHeartbeat.then(() => remove()),
        removeTimeoutMs,
      );
    },
  };
}
