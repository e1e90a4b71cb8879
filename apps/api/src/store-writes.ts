import { refuseFailedWrite, unavailable } from '@belfry/pipeline/accept';
import { createSemaphore } from '@belfry/runtime';

export type StoreWrite = <T>(write: () => Promise<T>) => Promise<T>;

export type StoreWritesOptions = {
  /** Writes at once: fewer than there are connections, so that others find one. */
  slots: number;
  maxWaiting: number;
  maxWaitMs: number;
  now: () => number;
};

/**
 * Runs writes a few at once, in the order they came, and refuses with 503 what waits too long or
 * what the store could not do now.
 */
export function createStoreWrite(options: StoreWritesOptions): StoreWrite {
  const { slots, maxWaiting, maxWaitMs, now } = options;
  const semaphore = createSemaphore(slots);
  let pendingWrites = 0;

  return async function storeWrite(write) {
    if (pendingWrites >= slots + maxWaiting) throw unavailable('1');
    pendingWrites += 1;
    const queuedAtMs = now();
    const release = await semaphore.acquire();
    try {
      if (now() - queuedAtMs > maxWaitMs) throw unavailable('1');
      return await refuseFailedWrite(write());
    } finally {
      release();
      pendingWrites -= 1;
    }
  };
}
