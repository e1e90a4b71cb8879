import { orRefuseWrite, unavailable } from '@belfry/accepting';
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
  let inside = 0;

  return async function storeWrite(write) {
    if (inside >= slots + maxWaiting) throw unavailable('1');
    inside += 1;
    const cameAtMs = now();
    const release = await semaphore.acquire();
    try {
      if (now() - cameAtMs > maxWaitMs) throw unavailable('1');
      return await orRefuseWrite(write());
    } finally {
      release();
      inside -= 1;
    }
  };
}
