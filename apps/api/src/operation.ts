import { AppError, type ErrorCode, errorEntry } from '@belfry/shared';
import type { TSchema } from '@sinclair/typebox';
import { errorBody } from './error-body';

/** One operation of the interface, as the document shows it. */
export type Operation = {
  method: 'get' | 'post' | 'put' | 'delete';
  /** With parameters in braces; each has its line in openapi-parameters.ts. */
  path: string;
  id: string;
  summary: string;
  /** The rules of this operation; those of its method are added to them. */
  description: string;
  body?: TSchema;
  /** Bodies that are taken, by name. */
  bodyExamples?: Record<string, BodyExample>;
  answer: TSchema;
  answerExample: object;
  /** Errors of this operation, beside those of every call, and its own words for them where it has any. */
  errors: Partial<Record<ErrorCode, { text?: string }>>;
};

export type BodyExample = { summary: string; value: object };

export type ErrorExample = { code: ErrorCode; body: unknown };

/** Every error that an operation answers with, each as it may look. */
export function errorsOf({ method, body, errors }: Operation): ErrorExample[] {
  const codes = new Set<ErrorCode>([
    ...errorsOfEveryCall,
    ...(body ? errorsOfBodies : []),
    ...(method === 'post' ? errorsOfKeys : []),
    // The names of a literal that the compiler has checked.
    ...(Object.keys(errors) as ErrorCode[]),
  ]);
  return [...codes].map((code) => ({ code, body: bodyOf(code, errors[code]?.text) }));
}

const errorsOfEveryCall: ErrorCode[] = [
  'bad_request',
  'unauthenticated',
  'https_required',
  'app_not_found',
  'not_found',
  'request_timeout',
  'rate_limited',
  'headers_too_large',
  'internal',
  'unavailable',
];

const errorsOfBodies: ErrorCode[] = [
  'malformed_json',
  'invalid_type',
  'hostile_json',
  'body_too_large',
  'unsupported_media_type',
  'validation_failed',
];

const errorsOfKeys: ErrorCode[] = [
  'idempotency_key_invalid',
  'idempotency_conflict',
  'idempotency_mismatch',
];

const exampleCallId = '0199b1f4-8f2a-7c3e-9d51-3a1f0c6b7e42';

function bodyOf(code: ErrorCode, ownText: string | undefined): unknown {
  const text = ownText ?? errorEntry(code).text;
  const options = code === 'validation_failed' ? { errors: [text] } : {};
  return JSON.parse(errorBody(new AppError(code, text, options), exampleCallId));
}
