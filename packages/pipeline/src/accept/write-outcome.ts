import { BatcherFullError } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import { classifyWriteFailure } from './write-failure';

/** Nobody knows whether PostgreSQL committed: the call's key must stay locked until that has become clear. */
export class UnclearWriteError extends Error {
  /** Of its cause, for the log. */
  readonly code: unknown;

  constructor(cause: unknown) {
    super('PostgreSQL did not answer whether it committed', { cause });
    this.name = 'UnclearWriteError';
    this.code = (cause as { code?: unknown } | undefined)?.code;
  }
}

/**
 * Awaits a unit of work and says of its failure what the caller must know: 503 where it was not written, and where that is
 * unclear. A refusal, and a fault of ours, are thrown as they are.
 */
export async function refuseFailedWrite<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw toRefusal(error);
  }
}

/** What a caller must know of a failure; see orRefuseWrite. */
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
    'a call with this Idempotency-Key is being answered right now',
    { cause },
  );
}

function unclear(cause: UnclearWriteError): AppError {
  return new AppError(
    'unavailable',
    'the store did not answer, so whether the call was accepted is not known: repeat it with the same Idempotency-Key',
    { headers: { 'Retry-After': '2' }, cause },
  );
}

export function unavailable(retryAfterSeconds: string, cause?: unknown): AppError {
  return new AppError(
    'unavailable',
    'the call could not be stored; nothing was accepted: try again',
    { headers: { 'Retry-After': retryAfterSeconds }, cause },
  );
}
