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
  /** Who may call it; the account by its key, unless it says otherwise. */
  access?: 'signature' | 'signature_or_open';
  /** Parameters of the query, by name. */
  query?: Readonly<Record<string, QueryParameter>>;
  body?: TSchema;
  /** Bodies that are taken, by name. */
  bodyExamples?: Record<string, BodyExample>;
  answer: TSchema;
  answerExample: object;
  /** What `?dry_run=true` answers, where an operation can be tried. */
  dryRun?: { answer: TSchema; answerExample: object };
  /** Errors of this operation, beside those of every call, and its own words for them where it has any. */
  errors: Partial<Record<ErrorCode, { text?: string }>>;
};

export type QueryParameter = {
  description: string;
  isRequired?: true;
  /** What the documented call has there; without one it goes without. */
  example?: string;
  schema: TSchema;
};

/** Whether the operation is done once for an Idempotency-Key. */
export function takesKey({ method, access }: Operation): boolean {
  return method === 'post' && access === undefined;
}

/** Whether a call of the account leaves something behind. */
function isStored({ method, access }: Operation): boolean {
  return (method === 'post' || method === 'put') && access === undefined;
}

export type BodyExample = { summary: string; value: object };

export type ErrorExample = { code: ErrorCode; body: unknown };

/** Every error that an operation answers with, each as it may look. */
export function listErrors(operation: Operation): ErrorExample[] {
  const { access, body, errors } = operation;
  const codes = new Set<ErrorCode>([
    ...errorsOfEveryCall,
    // A front end is not told whether an app exists.
    ...(access ? [] : errorsOfAccounts),
    ...(body ? errorsOfBodies : []),
    ...(takesKey(operation) ? errorsOfKeys : []),
    ...(isStored(operation) ? errorsOfStorage : []),
    // The names of a literal that the compiler has checked.
    ...(Object.keys(errors) as ErrorCode[]),
  ]);
  return [...codes].map((code) => ({ code, body: buildExampleBody(code, errors[code]?.text) }));
}

const errorsOfEveryCall: ErrorCode[] = [
  'bad_request',
  'unauthenticated',
  'https_required',
  'not_found',
  'request_timeout',
  'rate_limited',
  'headers_too_large',
  'unsupported_transfer_encoding',
  'internal',
  'unavailable',
];

const errorsOfAccounts: ErrorCode[] = ['app_not_found'];

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

const errorsOfStorage: ErrorCode[] = ['storage_limit'];

const exampleCallId = '0199b1f4-8f2a-7c3e-9d51-3a1f0c6b7e42';

function buildExampleBody(code: ErrorCode, ownText: string | undefined): unknown {
  const text = ownText ?? errorEntry(code).text;
  const [path = '', ...words] = text.split(' ');
  const error = new AppError(code, text, { problems: [{ path, problem: words.join(' ') }] });
  return JSON.parse(errorBody(error, exampleCallId));
}
