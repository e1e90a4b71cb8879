type ErrorEntry = {
  status: number;
  when: string;
  /** The message, or the most common one. */
  text: string;
  /** Default headers. */
  headers?: Record<string, string>;
};

/** Every error that a caller can receive: its code, HTTP status and cause. The API reference is generated from this list. */
export const errorCatalogue = {
  bad_request: {
    status: 400,
    when: 'The request is not valid HTTP; its Host header is missing, malformed or repeated; its URL is not percent-encoded UTF-8 or contains U+0000; or its body ended early.',
    text: 'the request is not valid HTTP',
  },
  malformed_json: { status: 400, when: 'The body is not JSON.', text: 'Unable to process JSON' },
  invalid_type: {
    status: 400,
    when: 'A field has the wrong JSON type.',
    text: 'body must be an object',
  },
  hostile_json: {
    status: 400,
    when: 'The JSON is nested too deeply, has too many keys, or contains a value that cannot be stored: U+0000, a lone surrogate, a number that is not finite, or the key __proto__.',
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
    when: 'The Authorization header is missing, wrong or repeated. On front-end routes: the token, the X-Raven-User-Signature header or the ticket.',
    text: 'the Authorization header is missing: send "AuthKey <API key>"',
    headers: { 'WWW-Authenticate': 'AuthKey' },
  },
  https_required: {
    status: 403,
    when: 'The request used plain HTTP.',
    text: 'plain HTTP is not allowed: use HTTPS',
  },
  signature_invalid: {
    status: 403,
    when: 'A receipt is not signed by the provider of its integration, or is signed for a URL other than PUBLIC_URL, or there is no such webhook URL.',
    text: 'there is no such webhook URL, or the call is not signed by its provider: compare the URL, PUBLIC_URL and the signing secret with those at the provider',
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
    when: 'The app has no such request, or retention deleted it.',
    text: 'request not found',
  },
  message_not_found: {
    status: 404,
    when: 'The inbox of the user has no such message.',
    text: 'message not found',
  },
  push_not_configured: {
    status: 404,
    when: 'The app has no integration for this push route: `web_push` for the public key, `fcm` for topics.',
    text: 'the app has no web_push integration',
  },
  webhook_not_found: {
    status: 404,
    when: 'The app has no such webhook endpoint.',
    text: 'webhook endpoint not found',
  },
  webhook_delivery_not_found: {
    status: 404,
    when: 'The webhook endpoint has no such delivery, or it is older than 7 days.',
    text: 'webhook delivery not found',
  },
  not_found: {
    status: 404,
    when: 'There is no such route.',
    text: 'route not found',
  },
  request_timeout: {
    status: 408,
    when: 'The request did not arrive in time. Limits: headers within 10 s, the body within 30 s, and at least 80 KB of the body in each 5 s.',
    text: 'the request did not arrive in time',
  },
  idempotency_conflict: {
    status: 409,
    when: 'Another request with the same Idempotency-Key is still running.',
    text: 'another request with this Idempotency-Key is still running',
    headers: { 'Retry-After': '1' },
  },
  body_too_large: {
    status: 413,
    when: 'The body exceeds the limit.',
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
  too_many_webhooks: {
    status: 422,
    when: 'The app has 10 webhook endpoints, which is the limit.',
    text: 'an app can have at most 10 webhook endpoints: delete one first',
  },
  too_complex: {
    status: 422,
    when: 'A dry run: rendering a message exceeds the limit of work per message.',
    text: 'email: text: Rendering the templates with this data exceeds the limit of work per message. Use fewer loops, shorter lists or shorter texts.',
  },
  idempotency_mismatch: {
    status: 422,
    when: 'The Idempotency-Key was used before with other parameters.',
    text: 'this Idempotency-Key was used before with other parameters',
  },
  rate_limited: {
    status: 429,
    when: 'The account exceeds its rate limit, its memory limit or its limit of waiting requests. Or the client’s network (an IPv4 address, or the /64 of an IPv6 address) used too many unknown API keys or apps: 20 at once, then 1 per second.',
    text: 'the account exceeded its rate limit',
    headers: { 'Retry-After': '1' },
  },
  too_many_streams: {
    status: 429,
    when: 'The user has 10 streams of the inbox on this gateway, or the app has half of MAX_INBOX_STREAMS, or all apps have all.',
    text: 'the user has 10 streams on this gateway: close one, or poll',
    headers: { 'Retry-After': '30' },
  },
  storage_limit: {
    status: 429,
    when: 'The account reached its storage limit. Delete data, wait for retention, or ask the operator for a higher quota.',
    text: 'the account reached its storage limit: nothing was stored. Delete data, wait for retention, or ask the operator for a higher quota',
    headers: { 'Retry-After': '60' },
  },
  headers_too_large: {
    status: 431,
    when: 'The headers exceed 16 KB.',
    text: 'the headers exceed 16 KB',
  },
  internal: {
    status: 500,
    when: 'A bug in Belfry. It is logged with the same request_id.',
    text: 'internal error',
  },
  unsupported_transfer_encoding: {
    status: 501,
    when: 'The Transfer-Encoding is not chunked.',
    text: 'the only Transfer-Encoding supported is chunked, sent once',
  },
  unavailable: {
    status: 503,
    when: 'The request could not be stored, or the database did not confirm that it was. Retry after Retry-After with the same Idempotency-Key.',
    text: 'the database does not answer: nothing was accepted, retry later',
    headers: { 'Retry-After': '1' },
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

export function errorEntry(code: ErrorCode): ErrorEntry {
  return errorCatalogue[code];
}

/** A problem of one value: `user.mobile`, `must be a string`. */
export type FieldProblem = { path: string; problem: string };

/** Validation of one body stops after this many. */
export const maxProblems = 10_000;
const listedProblems = 20;

/** The first 20 problems, and an entry that counts the rest. */
export function limitProblems(problems: readonly FieldProblem[]): FieldProblem[] {
  const rest = problems.length - listedProblems;
  const listed = problems.slice(0, listedProblems);
  if (rest <= 0) return listed;
  const count = problems.length < maxProblems ? rest : `at least ${rest}`;
  return [...listed, { path: 'and', problem: `${count} more problem${rest === 1 ? '' : 's'}` }];
}

export type AppErrorOptions = {
  /** Validation problems in the order of the body. */
  problems?: readonly FieldProblem[];
  /** Replaces the headers of the catalogue. */
  headers?: Record<string, string>;
  cause?: unknown;
};

/** An error for the caller. The message is shown to them: it never contains a secret, a query or a stack trace. */
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
