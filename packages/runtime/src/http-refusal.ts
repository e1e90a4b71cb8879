import type { IncomingMessage } from 'node:http';
import { getHeaderValues } from './raw-headers';

/** Why a request is refused before a route sees it, whatever it asks for. */
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
 * Checks what Node's parser lets pass: a transfer coding that nobody here decodes, and a Host that is missing, malformed
 * or sent twice.
 */
export function findHttpRefusal(req: IncomingMessage): HttpRefusal | undefined {
  // Node joins repeated ones.
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
/** 253 characters are the longest DNS name. */
const hostShape = /^(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?$/;

const requestTimeout = 'ERR_HTTP_REQUEST_TIMEOUT';

/** What Node's parser or its timeouts refused. */
export function toHttpRefusal(error: NodeJS.ErrnoException & { reason?: string }): HttpRefusal {
  if (error.code === requestTimeout) {
    return { status: 408, code: 'request_timeout', text: 'the call did not arrive in time' };
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return { status: 431, code: 'headers_too_large', text: 'the headers are over 16 KB' };
  }
  if (error.code === 'HPE_INVALID_EOF_STATE') {
    return createBadRequest('the connection ended before the call was whole');
  }
  // The parser has this code also for a call that declares its length in two ways.
  const isCoding = error.code === 'HPE_INVALID_TRANSFER_ENCODING';
  if (isCoding && !error.reason?.includes('Content-Length')) return unsupportedTransferEncoding;
  return createBadRequest('the call cannot be read as HTTP');
}

export function isRequestTimeout(error: NodeJS.ErrnoException): boolean {
  return error.code === requestTimeout;
}

const unsupportedTransferEncoding: HttpRefusal = {
  status: 501,
  code: 'unsupported_transfer_encoding',
  text: 'the only Transfer-Encoding supported is chunked, sent once',
};

/** CONNECT asks for a tunnel. */
export const noTunnel: HttpRefusal = { status: 404, code: 'not_found', text: 'route not found' };

function createBadRequest(text: string): HttpRefusal {
  return { status: 400, code: 'bad_request', text };
}
