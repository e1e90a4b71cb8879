type ErrorEntry = {
  status: number;
  when: string;
  /** What the sentence for people says, or says most often. */
  text: string;
  /** What goes with it where whoever refuses says nothing else. */
  headers?: Record<string, string>;
};

/** Every error that a caller can meet: its slug, its HTTP status and when it is answered. The API reference is made from this list. */
export const errorCatalogue = {
  bad_request: {
    status: 400,
    when: 'The call cannot be read as HTTP, its Host header is missing, malformed or repeated, its URL is not percent-encoded UTF-8 or holds U+0000, or its body ended early.',
    text: 'the call cannot be read as HTTP',
  },
  malformed_json: { status: 400, when: 'The body is not JSON.', text: 'Unable to process JSON' },
  invalid_type: {
    status: 400,
    when: 'A field has the wrong JSON type.',
    text: 'body must be an object',
  },
  hostile_json: {
    status: 400,
    when: 'The JSON is too deep, too large in keys, or holds what cannot be stored: U+0000, a lone surrogate, a number that is not finite, or the key __proto__.',
    text: 'The JSON is refused: nested deeper than 32 levels',
  },
  idempotency_key_invalid: {
    status: 400,
    when: 'The Idempotency-Key is empty, longer than 255 characters (bytes), or sent twice.',
    text: 'the Idempotency-Key must be sent once, with 1 to 255 characters (bytes)',
  },
  event_not_live: {
    status: 400,
    when: 'The event is a draft: publish it first.',
    text: 'event is a draft: publish it first',
  },
  unauthenticated: {
    status: 401,
    when: 'The Authorization header is missing, wrong or repeated; on the routes of front ends, X-Raven-User-Signature is.',
    text: 'the Authorization header is missing: it must be "AuthKey <API key>"',
    headers: { 'WWW-Authenticate': 'AuthKey' },
  },
  https_required: {
    status: 403,
    when: 'The call came over plain HTTP.',
    text: 'calls over plain HTTP are refused: use HTTPS',
  },
  signature_invalid: {
    status: 403,
    when: 'A receipt is not signed by the provider of its integration, or not for PUBLIC_URL.',
    text: 'the receipt is not signed by the provider of this integration, or PUBLIC_URL is not the address that it was given',
  },
  app_not_found: {
    status: 404,
    when: 'The account has no such app.',
    text: 'app not found',
  },
  event_not_found: {
    status: 404,
    when: 'The app has no such event.',
    text: 'event not found',
  },
  user_not_found: {
    status: 404,
    when: 'The app has no such user.',
    text: 'user not found',
  },
  device_not_found: {
    status: 404,
    when: 'The user has no such device.',
    text: 'device not found',
  },
  request_not_found: {
    status: 404,
    when: 'The app has no such request, or it was removed after the retention.',
    text: 'request not found',
  },
  message_not_found: {
    status: 404,
    when: 'The inbox of the user has no such message.',
    text: 'message not found',
  },
  not_found: {
    status: 404,
    when: 'There is no such route.',
    text: 'route not found',
  },
  request_timeout: {
    status: 408,
    when: 'The call did not arrive in time: its headers within 10 s, its body within 30 s, and in each 5 s 80 KB of the body or its end.',
    text: 'the call did not arrive in time',
  },
  idempotency_conflict: {
    status: 409,
    when: 'A call with the same Idempotency-Key is being answered right now.',
    text: 'a call with this Idempotency-Key is being answered right now',
    headers: { 'Retry-After': '1' },
  },
  body_too_large: {
    status: 413,
    when: 'The body is over the limit.',
    text: 'the body must be at most 10000000 bytes',
  },
  unsupported_media_type: {
    status: 415,
    when: 'The content type is not application/json.',
    text: 'the content type must be application/json',
  },
  validation_failed: {
    status: 422,
    when: 'A value is missing or breaks a rule.',
    text: 'event must not be blank',
  },
  too_complex: {
    status: 422,
    when: 'A dry run: rendering a message takes more work than a message may.',
    text: 'email: text: The templates of this message take too much work for this data. Use fewer loops, shorter lists or shorter texts.',
  },
  idempotency_mismatch: {
    status: 422,
    when: 'The Idempotency-Key was used before with other parameters.',
    text: 'this Idempotency-Key was used before with other parameters',
  },
  rate_limited: {
    status: 429,
    when: 'The account is over its rate limit, or holds as much memory or as many waiting calls as one account may; or the caller’s network (an IPv4 address, or the /64 of an IPv6 one) named too many API keys or apps that do not exist, 20 at once and then one a second.',
    text: 'the account is over its rate limit',
    headers: { 'Retry-After': '1' },
  },
  storage_limit: {
    status: 429,
    when: 'The account stores as much as it may. Delete data, wait for the retention, or ask the operator for a higher quota.',
    text: 'the account is over its storage limit: nothing was stored. Delete data, wait for the retention, or ask the operator for a higher quota',
    headers: { 'Retry-After': '60' },
  },
  headers_too_large: {
    status: 431,
    when: 'The headers are over 16 KB.',
    text: 'the headers are over 16 KB',
  },
  internal: {
    status: 500,
    when: 'A fault of ours; it is logged under the same request_id.',
    text: 'internal error',
  },
  unsupported_transfer_encoding: {
    status: 501,
    when: 'The Transfer-Encoding is not chunked.',
    text: 'the only Transfer-Encoding supported is chunked, sent once',
  },
  unavailable: {
    status: 503,
    when: 'The call could not be stored now, or the store did not say whether it was. Try again after Retry-After, with the same Idempotency-Key.',
    text: 'the store does not answer; nothing was accepted: try again',
    headers: { 'Retry-After': '1' },
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

export function errorEntry(code: ErrorCode): ErrorEntry {
  return errorCatalogue[code];
}

/** What is wrong with one value: `user.mobile`, `must be a string`. */
export type FieldProblem = { path: string; problem: string };

/** No more are looked for in one body. */
export const maxProblems = 10_000;
const listedProblems = 20;

/** The first 20 problems, and one that counts the others. */
export function limitProblems(problems: readonly FieldProblem[]): FieldProblem[] {
  const rest = problems.length - listedProblems;
  const listed = problems.slice(0, listedProblems);
  if (rest <= 0) return listed;
  const count = problems.length < maxProblems ? rest : `at least ${rest}`;
  return [...listed, { path: 'and', problem: `${count} more problem${rest === 1 ? '' : 's'}` }];
}

export type AppErrorOptions = {
  /** For validation: each problem that was found, in the order of the body. */
  problems?: readonly FieldProblem[];
  /** In place of those of the catalogue. */
  headers?: Record<string, string>;
  cause?: unknown;
};

/** A failure that the caller is told about; its message is for the caller and never holds a secret, a query or a stack. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly problems: readonly FieldProblem[];
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message: string = errorEntry(code).text,
    options: AppErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.problems = options.problems ?? [];
    this.headers = options.headers ?? errorEntry(code).headers ?? {};
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }
}
