import { refuseFailedWrite, unavailable } from '@belfry/pipeline/accept';
import { createSemaphore } from '@belfry/runtime';

export type StoreWrite = <T>(write: () => Promise<T>) => Promise<T>;

export type StoreWritesOptions = {
  /** Concurrent writes: fewer than there are connections, so that other queries find one. */
  slots: number;
  maxWaiting: number;
  maxWaitMs: number;
  now: () => number;
};

/** Runs writes in FIFO order with limited concurrency. Refuses with 503 if one waits too long or the database fails. */
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
