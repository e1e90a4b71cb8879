import type { GatewayErrorCode } from './generated/wire';

/**
 * A code of the gateway, including codes of later versions, or a code of the client: no answer (`network_error`,
 * `timeout`), aborted by the caller (`aborted`), or an answer that is not the gateway's (`unexpected_answer`).
 */
export type BelfryErrorCode =
  | GatewayErrorCode
  | 'network_error'
  | 'timeout'
  | 'aborted'
  | 'unexpected_answer'
  | (string & Record<never, never>);

export type BelfryErrorFacts = {
  /** Undefined if there was no answer. */
  status: number | undefined;
  code: BelfryErrorCode;
  /** Id of the request in the gateway's log. */
  requestId: string | undefined;
  /** With `validation_failed`: each problem as "<path> <problem>"; after 20, the last one counts the rest. */
  details: readonly string[];
  /** Whether the same call with the same idempotency key can still succeed. */
  isRetryable: boolean;
  /** The wait that the gateway asked for. */
  retryAfterMs: number | undefined;
  /** Pass it to a later call with the same body, so that the request is stored at most once. */
  idempotencyKey: string | undefined;
  /** Number of attempts. */
  attempts: number;
};

/** Whether an earlier attempt of this call deleted the thing, and its answer was lost. */
export function wasDeletedBefore(error: unknown, notFound: GatewayErrorCode): boolean {
  return error instanceof BelfryError && error.code === notFound && error.attempts > 1;
}

/** A failed call. It never contains the API key or a body. */
export class BelfryError extends Error implements BelfryErrorFacts {
  override readonly name = 'BelfryError';
  readonly status: number | undefined;
  readonly code: BelfryErrorCode;
  readonly requestId: string | undefined;
  readonly details: readonly string[];
  readonly isRetryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly idempotencyKey: string | undefined;
  readonly attempts: number;

  constructor(message: string, facts: BelfryErrorFacts, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = facts.status;
    this.code = facts.code;
    this.requestId = facts.requestId;
    this.details = facts.details;
    this.isRetryable = facts.isRetryable;
    this.retryAfterMs = facts.retryAfterMs;
    this.idempotencyKey = facts.idempotencyKey;
    this.attempts = facts.attempts;
  }
}
