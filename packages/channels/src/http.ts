import type { IncomingHttpHeaders } from 'node:http';
import type { LookupFunction, Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { type ConnectionPool, createConnectionPool } from './http-connections';
import { type FailedOutcome, getErrorCode, type NetworkFailure } from './network-failure';

export type HttpCall = {
  method: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  body?: string;
  /** Ends the call, whatever it waits for. */
  signal: AbortSignal;
  maxResponseBytes?: number;
};

export type HttpResponse = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** Calls that are made once, follow no redirect, and never throw for what a network does. */
export type Http = {
  request(call: HttpCall): Promise<HttpResponse | NetworkFailure>;
  close(): void;
};

export type HttpOptions = {
  /** How host names become addresses; the system's way unless given. */
  lookup?: LookupFunction;
};

export function createHttp({ lookup }: HttpOptions = {}): Http {
  const connections = createConnectionPool({ lookup });
  return {
    request: (call) => exchange(connections, call),
    close: connections.close,
  };
}

/** What a status outside of 2xx means where a provider's own table says nothing. */
export function sortStatus(status: number, headers: IncomingHttpHeaders): FailedOutcome {
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

/** How long a provider asked to wait, from its Retry-After in seconds or as a date. */
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
  if (signal.aborted) return Promise.resolve({ code: abortCode, isWritten: false });
  const url = new URL(call.url);
  const connection = connections.take(url.origin);
  return new Promise((resolve, reject) => {
    let isWritten = false;
    const collector = createResponseCollector(call.maxResponseBytes);
    const cut = () => fail({ code: abortCode });
    signal.addEventListener('abort', cut);
    const handlers: Handlers = {
      ...ignored,
      onRequestSent: () =>
        whenHandedOver(connection.socket, () => {
          isWritten = true;
        }),
      onHeaders: collector.begin,
      onData(chunk) {
        const isWithin = collector.take(chunk);
        if (!isWithin) fail({ code: tooLargeCode });
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

    /** The first one counts: a connection that we close looks like one that was lost. */
    function fail(error: unknown): void {
      signal.removeEventListener('abort', cut);
      const code = getErrorCode(error);
      // Such a call cannot be written: a bug, and none of the network's.
      if (code === 'UND_ERR_INVALID_ARG') reject(error);
      else resolve({ code, isWritten });
      connections.drop(connection);
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

/** As Node names what a signal ends. */
const abortCode = 'ABORT_ERR';
const tooLargeCode = 'ERESPONSETOOLARGE';

/** Undici calls it when all was given to the socket, and its types leave it out. */
type Handlers = Dispatcher.DispatchHandlers & { onRequestSent(): void };

const ignored = { onConnect: () => undefined, onUpgrade: () => undefined };

/** When the last byte was handed to the operating system, and never before. */
function whenHandedOver(socket: Socket | undefined, callback: () => void): void {
  // What is not known must count as written.
  if (!socket || socket.writableLength === 0) callback();
  else socket.write('', (error) => !error && callback());
}

/** Collects an answer of at most so many bytes. */
function createResponseCollector(maxBytes = defaultMaxResponseBytes) {
  const chunks: Buffer[] = [];
  let status = 0;
  let headers: IncomingHttpHeaders = {};
  let bytes = 0;
  return {
    begin(code: number, raw: Buffer[]): boolean {
      // Those below 200 are said before the answer.
      if (code >= 200) [status, headers] = [code, parseHeaders(raw)];
      return true;
    },
    take(chunk: Buffer): boolean {
      bytes += chunk.length;
      chunks.push(chunk);
      return bytes <= maxBytes;
    },
    toResponse: (): HttpResponse => ({ status, headers, body: Buffer.concat(chunks) }),
  };
}

/** Names and values by turns; of a name that comes twice the first value counts. */
function parseHeaders(raw: Buffer[]): IncomingHttpHeaders {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = String(raw[at]).toLowerCase();
    headers[name] ??= raw[at + 1]?.toString('latin1') ?? '';
  }
  return headers;
}
