import type { GatewayErrorCode } from './generated/wire';

/**
 * A code of the gateway, one that a later version adds, or one of the client: no answer came (`network_error`,
 * `timeout`), the caller ended the call (`aborted`), or the answer is not the gateway's (`unexpected_answer`).
 */
export type BelfryErrorCode =
  | GatewayErrorCode
  | 'network_error'
  | 'timeout'
  | 'aborted'
  | 'unexpected_answer'
  | (string & Record<never, never>);

export type BelfryErrorFacts = {
  /** Undefined when no answer came. */
  status: number | undefined;
  code: BelfryErrorCode;
  /** The id under which the gateway logged the call. */
  requestId: string | undefined;
  /** With `validation_failed`: each problem as "<path> <problem>"; after 20 a last one counts the others. */
  details: readonly string[];
  /** Whether the same call with the same idempotency key may yet succeed. */
  isRetryable: boolean;
  /** What the gateway asked to wait. */
  retryAfterMs: number | undefined;
  /** Give it to a later call with the same body, and the request is stored once at most. */
  idempotencyKey: string | undefined;
  /** How often the call was sent. */
  attempts: number;
};

/** A call that did not succeed. Nothing in it holds the API key or a body. */
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
