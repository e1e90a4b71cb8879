import type { IncomingHttpHeaders } from 'node:http';
import type { LookupFunction, Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { type ConnectionPool, createConnectionPool } from './http-connections';
import {
  type FailedOutcome,
  getEndpoint,
  getErrorCode,
  type NetworkFailure,
} from './network-failure';

export type HttpCall = {
  method: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Ends the call at any stage. */
  signal: AbortSignal;
  maxResponseBytes?: number;
  /** Ends the response at `maxResponseBytes`, and drops the rest. Otherwise a longer one is a failure. */
  isTruncated?: boolean;
};

export type HttpResponse = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** HTTP calls that run once, follow no redirect, and never throw for network errors. */
export type Http = {
  request(call: HttpCall): Promise<HttpResponse | NetworkFailure>;
  close(): void;
};

export type HttpOptions = {
  /** Resolves host names; the system resolver by default. */
  lookup?: LookupFunction;
};

export function createHttp({ lookup }: HttpOptions = {}): Http {
  const connections = createConnectionPool({ lookup });
  return {
    request: (call) => exchange(connections, call),
    close: connections.close,
  };
}

/** Classifies a status outside of 2xx when the provider's own table has no entry. */
export function classifyStatus(status: number, headers: IncomingHttpHeaders): FailedOutcome {
  const reason = `http_${status}`;
  const detail = `The provider answered with HTTP status ${status}.`;
  if (status === 429) {
    return { outcome: 'retry', reason, detail, slows: 'integration', ...getRetryAfter(headers) };
  }
  if (status === 503) return { outcome: 'retry', reason, detail, ...getRetryAfter(headers) };
  if (status === 408 || status === 425 || status < 400) return { outcome: 'retry', reason, detail };
  if (status >= 500) return { outcome: 'unknown', reason, detail };
  const scope = status === 401 || status === 403 || status === 407 ? 'integration' : 'content';
  return { outcome: 'rejected', scope, reason, detail };
}

/** Adds a provider's default wait to a 429 without another wait, whether its code is listed or not. */
export function withDefaultWait(
  outcome: FailedOutcome,
  { status, waitMs }: { status: number; waitMs: number },
): FailedOutcome {
  const hasWait = outcome.outcome !== 'retry' || outcome.afterMs !== undefined;
  return hasWait || status !== 429 ? outcome : { ...outcome, afterMs: waitMs };
}

/** The wait that a provider requests in Retry-After, in seconds or as a date. */
export function retryAfterMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const header = headers['retry-after']?.trim();
  if (!header) return undefined;
  const waitMs = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.max(Math.ceil(waitMs), minRetryAfterMs);
}

const defaultMaxResponseBytes = 1024 * 1024;
const minRetryAfterMs = 1_000;

function getRetryAfter(headers: IncomingHttpHeaders): { afterMs?: number } {
  const afterMs = retryAfterMs(headers, Date.now());
  return afterMs === undefined ? {} : { afterMs };
}

function exchange(
  connections: ConnectionPool,
  call: HttpCall,
): Promise<HttpResponse | NetworkFailure> {
  const { signal } = call;
  const url = new URL(call.url);
  const startedAtMs = performance.now();
  const buildFailure = (code: string | undefined, isWritten: boolean): NetworkFailure => {
    const elapsedMs = performance.now() - startedAtMs;
    return { code, isWritten, endpoint: getEndpoint(url), elapsedMs };
  };
  if (signal.aborted) return Promise.resolve(buildFailure(abortCode, false));
  const connection = connections.take(url.origin);
  return new Promise((resolve, reject) => {
    let isWritten = false;
    const collector = createResponseCollector(call.maxResponseBytes);
    const cut = () => fail({ code: abortCode });
    signal.addEventListener('abort', cut);
    const handlers: Handlers = {
      ...ignored,
      onRequestSent: () =>
        onceWritten(connection.socket, () => {
          isWritten = true;
        }),
      onHeaders: collector.begin,
      onData(chunk) {
        const isWithin = collector.take(chunk);
        if (!isWithin && call.isTruncated) stop(collector.toResponse());
        else if (!isWithin) fail({ code: tooLargeCode });
        return isWithin;
      },
      onComplete() {
        signal.removeEventListener('abort', cut);
        connections.release(connection);
        resolve(collector.toResponse());
      },
      onError: fail,
    };
    connection.client.dispatch(buildRequestOptions(call, url), handlers);

    /** Ends the call early. The first end counts: a connection that we close looks like a lost one. */
    function stop(answer: HttpResponse | NetworkFailure): void {
      signal.removeEventListener('abort', cut);
      resolve(answer);
      connections.drop(connection);
    }

    function fail(error: unknown): void {
      const code = getErrorCode(error);
      // The call cannot be written at all: a bug, not a network error.
      if (code === 'UND_ERR_INVALID_ARG') reject(error);
      stop(buildFailure(code, isWritten));
    }
  });
}

function buildRequestOptions(
  { method, headers, body }: HttpCall,
  url: URL,
): Dispatcher.DispatchOptions {
  return {
    path: url.pathname + url.search,
    method,
    ...(headers ? { headers } : {}),
    ...(body === undefined ? {} : { body }),
  };
}

/** Node's error code for an abort signal. */
const abortCode = 'ABORT_ERR';
const tooLargeCode = 'ERESPONSETOOLARGE';

/** Undici calls it when all bytes were passed to the socket; its types omit it. */
type Handlers = Dispatcher.DispatchHandlers & { onRequestSent(): void };

const ignored = { onConnect: () => undefined, onUpgrade: () => undefined };

/** Runs the callback when the last byte was handed to the operating system, and never before. */
function onceWritten(socket: Socket | undefined, callback: () => void): void {
  // If in doubt, the request counts as written.
  if (!socket || socket.writableLength === 0) callback();
  else socket.write('', (error) => !error && callback());
}

/** Collects a response of at most `maxBytes` bytes. */
function createResponseCollector(maxBytes = defaultMaxResponseBytes) {
  const chunks: Buffer[] = [];
  let status = 0;
  let headers: IncomingHttpHeaders = {};
  let bytes = 0;
  return {
    begin(code: number, raw: Buffer[]): boolean {
      // Informational responses below 200 come before the final one.
      if (code >= 200) [status, headers] = [code, parseHeaders(raw)];
      return true;
    },
    take(chunk: Buffer): boolean {
      bytes += chunk.length;
      chunks.push(chunk);
      return bytes <= maxBytes;
    },
    toResponse(): HttpResponse {
      return { status, headers, body: Buffer.concat(chunks).subarray(0, maxBytes) };
    },
  };
}

/** Names and values alternate. The first value of a repeated name counts. */
function parseHeaders(raw: Buffer[]): IncomingHttpHeaders {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = String(raw[at]).toLowerCase();
    headers[name] ??= raw[at + 1]?.toString('latin1') ?? '';
  }
  return headers;
}
