import { classifyWriteFailure } from '@belfry/database';
import { BatcherFullError } from '@belfry/runtime';
import { AppError } from '@belfry/shared';

/** Unknown whether PostgreSQL committed. The request's key must stay locked until the outcome is certain. */
export class UnclearWriteError extends Error {
  /** The cause's code, for the log. */
  readonly code: unknown;

  constructor(cause: unknown) {
    super('Unknown whether PostgreSQL committed: it did not answer', { cause });
    this.name = 'UnclearWriteError';
    this.code = (cause as { code?: unknown } | undefined)?.code;
  }
}

/**
 * Awaits a write and turns its failure into the error for the caller: 503 if nothing was written or the outcome is
 * unknown. Rethrows a refusal or an internal error unchanged.
 */
export async function refuseFailedWrite<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw toRefusal(error);
  }
}

/** Maps a failed write to the error for the caller; see refuseFailedWrite. */
export function toRefusal(error: unknown): unknown {
  if (error instanceof AppError) return error;
  if (error instanceof BatcherFullError) return unavailable('1', error);
  switch (classifyWriteFailure(error)) {
    case 'not_written':
    case 'locked':
      return unavailable('1', error);
    case 'unclear':
      return unclear(new UnclearWriteError(error));
    case 'faulty':
      return error;
  }
}

export function conflict(cause?: unknown): AppError {
  return new AppError(
    'idempotency_conflict',
    'another request with this Idempotency-Key is still running',
    { cause },
  );
}

function unclear(cause: UnclearWriteError): AppError {
  return new AppError(
    'unavailable',
    'the database did not confirm whether the request was accepted: retry it with the same Idempotency-Key',
    { headers: { 'Retry-After': '2' }, cause },
  );
}

export function unavailable(retryAfterSeconds: string, cause?: unknown): AppError {
  return new AppError(
    'unavailable',
    'the request could not be stored: nothing was accepted, retry later',
    { headers: { 'Retry-After': retryAfterSeconds }, cause },
  );
}
