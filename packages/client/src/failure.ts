import type { Outcome } from './attempt';
import { BelfryError, type BelfryErrorCode } from './errors';
import type { CallerSignal } from './options';
import { isRetryable } from './retry';

/** A failed attempt. */
export type AttemptFailure = {
  status: number | undefined;
  code: BelfryErrorCode;
  /** The error message; never contains a header, a path or a body of the request. */
  sentence: string;
  requestId: string | undefined;
  details: readonly string[];
  isReplay: boolean;
  retryAfterMs: number | undefined;
  cause?: unknown;
};

export type SentCall = { name: string; idempotencyKey: string | undefined; attempts: number };

export function toFailure(outcome: Outcome): AttemptFailure {
  if (outcome.outcome === 'unanswered') return createUnansweredFailure(outcome.code, outcome.cause);
  const { status, body, requestId, isReplay, retryAfterMs } = outcome.answer;
  const { code, error, errors, request_id: bodyId }: Members = isMembers(body) ? body : {};
  const isOurs = status > 299 && typeof code === 'string';
  return {
    status,
    code: isOurs ? code : 'unexpected_answer',
    sentence: isOurs && typeof error === 'string' ? error : 'the answer is not from the gateway',
    requestId: typeof bodyId === 'string' ? bodyId : requestId,
    details: Array.isArray(errors) ? errors.filter((each) => typeof each === 'string') : [],
    isReplay,
    retryAfterMs,
  };
}

export function createAbortedFailure(signal: CallerSignal | undefined): AttemptFailure {
  return createUnansweredFailure('aborted', signal?.reason);
}

export function createError(failure: AttemptFailure, { name, ...sent }: SentCall): BelfryError {
  const { status, code, sentence, requestId, details, retryAfterMs, cause } = failure;
  const label = status === undefined ? code : `${status} ${code}`;
  const facts = { status, code, requestId, details, retryAfterMs, ...sent };
  return new BelfryError(
    `${name}: ${sentence} (${label})`,
    { ...facts, isRetryable: isRetryable(failure) },
    cause,
  );
}

type Members = { readonly [name: string]: unknown };

function isMembers(body: unknown): body is Members {
  return typeof body === 'object' && body !== null;
}

const sentences = {
  network_error: 'no answer',
  timeout: 'timed out',
  aborted: 'aborted by the caller',
} as const;

function createUnansweredFailure(code: keyof typeof sentences, cause: unknown): AttemptFailure {
  const reason = code === 'network_error' ? getReason(cause) : undefined;
  const sentence = reason === undefined ? sentences[code] : `${sentences[code]}: ${reason}`;
  const emptyFields = { status: undefined, requestId: undefined, retryAfterMs: undefined };
  return { ...emptyFields, code, sentence, details: [], isReplay: false, cause };
}

/** The system's error code, such as ECONNREFUSED. Messages of other libraries may contain the request. */
function getReason(error: unknown): string | undefined {
  const inner = error instanceof Error ? (error.cause ?? error) : undefined;
  const code = isMembers(inner) ? inner['code'] : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : undefined;
}
