import { isAnsweredError, sqlStateOf } from '@belfry/database';
import { createSemaphore } from '@belfry/runtime';
import { AppError } from '@belfry/shared';

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
      return await write();
    } catch (error) {
      throw refusalOf(error);
    } finally {
      release();
      inside -= 1;
    }
  };
}

function refusalOf(error: unknown): unknown {
  if (error instanceof AppError) return error;
  if (!isAnsweredError(error)) return unavailable('2', error);
  return isPassing(error) ? unavailable('1', error) : error;
}

/** Serialization failure, deadlock, lock timeout, statement timeout; 53 is a lack of resources. */
const passingStates = new Set(['40001', '40P01', '55P03', '57014']);

function isPassing(error: unknown): boolean {
  const state = sqlStateOf(error) ?? '';
  return passingStates.has(state) || state.startsWith('53');
}

function unavailable(retryAfterSeconds: string, cause?: unknown): AppError {
  return new AppError('unavailable', 'the call could not be stored: try again', {
    headers: { 'Retry-After': retryAfterSeconds },
    cause,
  });
}
