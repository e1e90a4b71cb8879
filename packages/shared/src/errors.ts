/** Every error that a caller can meet: its slug, its HTTP status and when it is answered. The API reference is made from this list. */
export const errorCatalogue = {
  bad_request: { status: 400, when: 'The call cannot be read as HTTP, or its body ended early.' },
  malformed_json: { status: 400, when: 'The body is not JSON.' },
  invalid_type: { status: 400, when: 'A field has the wrong JSON type.' },
  hostile_json: {
    status: 400,
    when: 'The JSON is too deep, too large in keys, or holds what cannot be stored: U+0000, a lone surrogate, a number that is not finite, or the keys __proto__, constructor, prototype.',
  },
  idempotency_key_invalid: {
    status: 400,
    when: 'The Idempotency-Key is empty, longer than 255 characters, not printable ASCII, or sent twice.',
  },
  event_not_live: { status: 400, when: 'The event is a draft: publish it first.' },
  unauthenticated: { status: 401, when: 'The Authorization header is missing, wrong or repeated.' },
  https_required: { status: 403, when: 'The call came over plain HTTP.' },
  signature_invalid: {
    status: 403,
    when: 'A receipt is not signed by the provider of its integration, or not for PUBLIC_URL.',
  },
  app_not_found: { status: 404, when: 'The account has no such app.' },
  event_not_found: { status: 404, when: 'The app has no such event.' },
  user_not_found: { status: 404, when: 'The app has no such user.' },
  device_not_found: { status: 404, when: 'The user has no such device.' },
  not_found: { status: 404, when: 'There is no such route.' },
  request_timeout: { status: 408, when: 'The call did not arrive in time.' },
  idempotency_conflict: {
    status: 409,
    when: 'A call with the same Idempotency-Key is being answered right now.',
  },
  body_too_large: { status: 413, when: 'The body is over the limit.' },
  unsupported_media_type: { status: 415, when: 'The content type is not application/json.' },
  validation_failed: { status: 422, when: 'A value is missing or breaks a rule.' },
  idempotency_mismatch: {
    status: 422,
    when: 'The Idempotency-Key was used before with other parameters.',
  },
  rate_limited: { status: 429, when: 'The account is over its rate limit.' },
  headers_too_large: { status: 431, when: 'The headers are over 16 KB.' },
  internal: { status: 500, when: 'A fault of ours; it is logged under the same request_id.' },
  unavailable: {
    status: 503,
    when: 'The call could not be stored now, or the store did not say whether it was. Try again after Retry-After, with the same Idempotency-Key.',
  },
} as const satisfies Record<string, { status: number; when: string }>;

export type ErrorCode = keyof typeof errorCatalogue;

export type AppErrorOptions = {
  /** For validation: the first problem, as "<path> <problem>". */
  errors?: string[];
  headers?: Record<string, string>;
  cause?: unknown;
};

/** A failure that the caller is told about; its message is for the caller and never holds a secret, a query or a stack. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly errors: string[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }
}
