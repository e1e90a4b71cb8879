import { type ErrorCode, errorEntry } from '@belfry/shared';
import { signatureHeader } from './middleware/authenticate-reader';
import { type Operation, takesApiKey, takesKey } from './operation';

/** Response headers by name. */
const answerHeaders: Record<string, { description: string; schema: object }> = {
  'X-Request-Id': {
    description: 'ID of the request, as in errors and logs.',
    schema: { type: 'string', format: 'uuid' },
  },
  'X-Belfry-Version': {
    description: 'Version of Belfry.',
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the stored response to an earlier request with the same key.',
    schema: { type: 'string', enum: ['true'] },
  },
  'RateLimit-Policy': {
    description: 'Rate limit of the account, if there is one: requests (`q`) per seconds (`w`).',
    schema: { type: 'string' },
  },
  RateLimit: {
    description: 'Requests left (`r`), and seconds until the limit resets (`t`).',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'string' } },
  'WWW-Authenticate': { description: 'Authentication scheme to use.', schema: { type: 'string' } },
};

type Header = Record<string, unknown>;
type Headers = Record<string, Header>;

export function buildSuccessHeaders(operation: Operation): Headers {
  return {
    ...always,
    ...(takesKey(operation) ? maybeReplayed : {}),
    ...maybeLimited,
  };
}

export function buildErrorHeaders(operation: Operation, codes: readonly ErrorCode[]): Headers {
  const own = codes.flatMap((code) => Object.entries(getErrorHeaders(operation, code)));
  return {
    ...always,
    ...(takesKey(operation) && codes.includes('internal') ? maybeReplayed : {}),
    ...(codes.includes('rate_limited') ? maybeLimited : {}),
    ...Object.fromEntries(own.map(([name]) => [name, header(name, exampleFor(name, own))])),
  };
}

/** No example if the errors of a status have different values. */
function exampleFor(name: string, own: [string, string][]): { example?: string } {
  const values = new Set(
    own.filter(([headerName]) => headerName === name).map(([, value]) => value),
  );
  const [example, ...others] = values;
  return example === undefined || others.length > 0 ? {} : { example };
}

function getErrorHeaders(operation: Operation, code: ErrorCode): Record<string, string> {
  if (code === 'unauthenticated' && !takesApiKey(operation))
    return { 'WWW-Authenticate': signatureHeader };
  return errorEntry(code).headers ?? {};
}

function header(name: string, more: { example?: string; required?: false } = {}): Header {
  return { ...answerHeaders[name], required: true, ...more };
}

const optional = { required: false } as const;

const always = {
  'X-Request-Id': header('X-Request-Id'),
  'X-Belfry-Version': header('X-Belfry-Version'),
};

const maybeReplayed = { 'Idempotent-Replayed': header('Idempotent-Replayed', optional) };

const maybeLimited = {
  'RateLimit-Policy': header('RateLimit-Policy', optional),
  RateLimit: header('RateLimit', optional),
};
