import { AppError, type ErrorCode, errorEntry } from '@belfry/shared';
import type { TSchema } from '@sinclair/typebox';
import { errorBody } from './error-body';

/** One operation of the API, as documented in OpenAPI. */
export type Operation = {
  method: 'get' | 'post' | 'put' | 'delete';
  /** With parameters in braces, which openapi-parameters.ts describes. */
  path: string;
  id: string;
  summary: string;
  /** The rules of this operation. The document adds those of its method. */
  description: string;
  /**
   * The authentication. Default: the API key of the account. `open`: none, and `key_or_open`: the API key or none, if the
   * caller is a browser.
   */
  access?: 'reader' | 'reader_or_open' | 'reader_or_ticket' | 'open' | 'key_or_open';
  /** A POST that also works when the storage of the account is full. */
  storesNothing?: true;
  /** Query parameters by name. */
  query?: Readonly<Record<string, QueryParameter>>;
  body?: TSchema;
  /** Valid bodies by name. */
  bodyExamples?: Record<string, BodyExample>;
  answer: TSchema;
  answerExample: object | string;
  /** The type of the success response. Default: JSON. */
  mediaType?: 'text/event-stream';
  /** The response to `?dry_run=true`, if the operation supports it. */
  dryRun?: { answer: TSchema; answerExample: object };
  /** Errors of this operation besides those of every call. `text` replaces the catalogue's example. */
  errors: Partial<Record<ErrorCode, { text?: string }>>;
};

export type QueryParameter = {
  description: string;
  isRequired?: true;
  /** The value in the documented call. Without one the call omits the parameter. */
  example?: string;
  schema: TSchema;
};

/** Whether the operation honors an Idempotency-Key. */
export function takesKey(operation: Operation): boolean {
  return operation.method === 'post' && takesApiKey(operation);
}

export function takesApiKey({ access }: Operation): boolean {
  return access === undefined || access === 'key_or_open';
}

/** Whether the operation stores data for the account. */
function isStored(operation: Operation): boolean {
  const { method, storesNothing } = operation;
  return (method === 'post' || method === 'put') && takesApiKey(operation) && !storesNothing;
}

export type BodyExample = { summary: string; value: object };

export type ErrorExample = { code: ErrorCode; body: unknown };

/** Every error of an operation, each with an example body. */
export function listErrors(operation: Operation): ErrorExample[] {
  const { access, body, errors } = operation;
  const codes = new Set<ErrorCode>([
    ...commonErrors,
    ...(access === 'open' ? [] : authenticationErrors),
    // Front ends must not learn whether an app exists.
    ...(takesApiKey(operation) ? accountErrors : []),
    ...(body ? bodyErrors : []),
    ...(takesKey(operation) ? idempotencyErrors : []),
    ...(isStored(operation) ? storageErrors : []),
    // `Operation` restricts the keys to error codes.
    ...(Object.keys(errors) as ErrorCode[]),
  ]);
  return [...codes].map((code) => ({ code, body: buildExampleBody(code, errors[code]?.text) }));
}

const commonErrors: ErrorCode[] = [
  'bad_request',
  'https_required',
  'not_found',
  'request_timeout',
  'rate_limited',
  'headers_too_large',
  'unsupported_transfer_encoding',
  'internal',
  'unavailable',
];

const authenticationErrors: ErrorCode[] = ['unauthenticated'];

const accountErrors: ErrorCode[] = ['app_not_found'];

const bodyErrors: ErrorCode[] = [
  'malformed_json',
  'invalid_type',
  'hostile_json',
  'body_too_large',
  'unsupported_media_type',
  'validation_failed',
];

const idempotencyErrors: ErrorCode[] = [
  'idempotency_key_invalid',
  'idempotency_conflict',
  'idempotency_mismatch',
];

const storageErrors: ErrorCode[] = ['storage_limit'];

const exampleCallId = '0199b1f4-8f2a-7c3e-9d51-3a1f0c6b7e42';

function buildExampleBody(code: ErrorCode, ownText: string | undefined): unknown {
  const text = ownText ?? errorEntry(code).text;
  const [path = '', ...words] = text.split(' ');
  const error = new AppError(code, text, { problems: [{ path, problem: words.join(' ') }] });
  return JSON.parse(errorBody(error, exampleCallId));
}
