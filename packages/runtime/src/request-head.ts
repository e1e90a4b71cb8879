import type { IncomingMessage } from 'node:http';

/** All values of a header: Node keeps only the first of some headers and joins others. `name` is in lower case. */
export function getHeaderValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [headerName, value] = [rawHeaders[at], rawHeaders[at + 1]];
    if (headerName?.length !== name.length || value === undefined) continue;
    if (headerName.toLowerCase() === name) values.push(value);
  }
  return values;
}

/**
 * Checks the path and query of a request; undefined if all parts decode to text that PostgreSQL can store. Express
 * decodes a path, but reads a query that is not UTF-8 as other text.
 */
export function findTargetProblem(target: string): string | undefined {
  if (!mayBeEncoded.test(target)) return undefined;
  const text = decode(target);
  if (text === undefined || notAscii.test(target)) return 'must be percent-encoded UTF-8';
  return text.includes('\0') ? 'must not contain U+0000 (%00)' : undefined;
}

const mayBeEncoded = /[^\x21-\x24\x26-\x7e]/;
const notAscii = /[^\x21-\x7e]/;

function decode(target: string): string | undefined {
  try {
    return decodeURIComponent(target);
  } catch {
    return undefined;
  }
}

/** A request that is refused before a route sees it. */
export type HttpRefusal = {
  status: 400 | 404 | 408 | 431 | 501;
  code:
    | 'bad_request'
    | 'not_found'
    | 'request_timeout'
    | 'headers_too_large'
    | 'unsupported_transfer_encoding';
  text: string;
};

/**
 * Checks what Node's parser does not reject: an unsupported transfer coding, and a Host header that is missing,
 * malformed or repeated.
 */
export function findHttpRefusal(req: IncomingMessage): HttpRefusal | undefined {
  // Node joins repeated headers.
  const coding = req.headers['transfer-encoding'];
  if (coding !== undefined) {
    if (coding.toLowerCase() !== 'chunked') return unsupportedTransferEncoding;
    if (req.httpVersion !== '1.1') return createBadRequest('only HTTP/1.1 has a Transfer-Encoding');
  }
  const [host, ...more] = getHeaderValues(req, 'host');
  if (more.length > 0) return createBadRequest('the Host header was sent more than once');
  if (host === undefined) {
    return req.httpVersion === '1.1' ? createBadRequest('the Host header is missing') : undefined;
  }
  return hostShape.test(host) ? undefined : createBadRequest(malformedHost);
}

const malformedHost =
  'the Host header must be a host name or an IP address, with or without a port';
/** A DNS name has at most 253 characters. */
const hostShape = /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?$/;

const requestTimeout = 'ERR_HTTP_REQUEST_TIMEOUT';

/** Refusals by Node's parser or its timeouts. */
export function toHttpRefusal(error: NodeJS.ErrnoException & { reason?: string }): HttpRefusal {
  if (error.code === requestTimeout) {
    return { status: 408, code: 'request_timeout', text: 'the request did not arrive in time' };
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return { status: 431, code: 'headers_too_large', text: 'the headers exceed 16 KB' };
  }
  if (error.code === 'HPE_INVALID_EOF_STATE') {
    return createBadRequest('the connection ended before the request was complete');
  }
  // The parser also has this code for a request with both Content-Length and Transfer-Encoding.
  const isCoding = error.code === 'HPE_INVALID_TRANSFER_ENCODING';
  if (isCoding && !error.reason?.includes('Content-Length')) return unsupportedTransferEncoding;
  return createBadRequest('the request is not valid HTTP');
}

export function isRequestTimeout(error: NodeJS.ErrnoException): boolean {
  return error.code === requestTimeout;
}

const unsupportedTransferEncoding: HttpRefusal = {
  status: 501,
  code: 'unsupported_transfer_encoding',
  text: 'the only Transfer-Encoding supported is chunked, sent once',
};

/** For CONNECT, which asks for a tunnel. */
export const noTunnel: HttpRefusal = { status: 404, code: 'not_found', text: 'route not found' };

function createBadRequest(text: string): HttpRefusal {
  return { status: 400, code: 'bad_request', text };
}
