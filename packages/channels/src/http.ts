import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { codeOf, type NetworkFailure, type Unanswered } from './network-failure';

export type HttpCall = {
  method: 'GET' | 'POST';
  url: string;
  headers?: Record<string, string>;
  body?: string;
  /** Ends the call, whatever it waits for. */
  signal: AbortSignal;
  maxResponseBytes?: number;
};

export type HttpAnswer = { status: number; headers: IncomingHttpHeaders; body: Buffer };

/** Calls that are made once, follow no redirect, and never throw for what a network does. */
export type Http = {
  request(call: HttpCall): Promise<HttpAnswer | NetworkFailure>;
  close(): void;
};

export type HttpOptions = {
  /** How host names become addresses; the system's way unless given. */
  lookup?: LookupFunction;
};

export function createHttp({ lookup }: HttpOptions = {}): Http {
  const options = { keepAlive: true, maxSockets, maxFreeSockets, timeout: idleSocketMs };
  const plain = new http.Agent(options);
  const secure = new https.Agent(options);

  return {
    request(call) {
      const url = new URL(call.url);
      const isSecure = url.protocol === 'https:';
      return exchange(call, (onAnswer) =>
        (isSecure ? https : http).request(
          url,
          {
            method: call.method,
            agent: isSecure ? secure : plain,
            headers: headersOf(call),
            ...(lookup ? { lookup } : {}),
          },
          onAnswer,
        ),
      );
    },
    close() {
      plain.destroy();
      secure.destroy();
    },
  };
}

/** What a status outside of 2xx means where a provider's own table says nothing. */
export function sortStatus(status: number, headers: IncomingHttpHeaders): Unanswered {
  const reason = `http_${status}`;
  const detail = `The provider answered with HTTP status ${status}.`;
  if (status === 429) {
    return { outcome: 'retry', reason, detail, slows: 'integration', ...afterOf(headers) };
  }
  if (status === 503) return { outcome: 'retry', reason, detail, ...afterOf(headers) };
  if (status === 408 || status === 425 || status < 400) return { outcome: 'retry', reason, detail };
  if (status >= 500) return { outcome: 'unknown', reason, detail };
  const scope = status === 401 || status === 403 || status === 407 ? 'integration' : 'content';
  return { outcome: 'rejected', scope, reason, detail };
}

/** How long a provider asked to wait, from its Retry-After in seconds or as a date. */
export function retryAfterMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const given = headers['retry-after']?.trim();
  if (!given) return undefined;
  const waitMs = /^\d+(\.\d+)?$/.test(given) ? Number(given) * 1000 : Date.parse(given) - nowMs;
  return Number.isNaN(waitMs) ? undefined : Math.max(Math.ceil(waitMs), minRetryAfterMs);
}

/** More calls than MESSAGES_IN_FLIGHT may be, so that none waits here while its deadline runs. */
const maxSockets = 1024;
/** All that were in use: answers come together, and a connection costs more than a call. Idle ones end by themselves. */
const maxFreeSockets = maxSockets;
/** Below what servers wait before they close an idle connection: a request on a closing one is lost. */
const idleSocketMs = 4_000;
const defaultMaxResponseBytes = 1024 * 1024;
const minRetryAfterMs = 1_000;

function afterOf(headers: IncomingHttpHeaders): { afterMs?: number } {
  const afterMs = retryAfterMs(headers, Date.now());
  return afterMs === undefined ? {} : { afterMs };
}

function headersOf({ headers, body }: HttpCall): Record<string, string> {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return { ...headers, ...length };
}

function exchange(
  { signal, body, maxResponseBytes = defaultMaxResponseBytes }: HttpCall,
  open: (onAnswer: (response: IncomingMessage) => void) => http.ClientRequest,
): Promise<HttpAnswer | NetworkFailure> {
  return new Promise((resolve) => {
    let isWritten = false;
    const end = (ended: HttpAnswer | NetworkFailure) => {
      signal.removeEventListener('abort', cut);
      resolve(ended);
    };
    const fail = (error: unknown) => end({ code: codeOf(error), isWritten });
    const request = open((response) => {
      const { statusCode: status = 0, headers } = response;
      collect(response, maxResponseBytes, (read) =>
        read instanceof Buffer ? end({ status, headers, body: read }) : fail(read),
      );
    });
    // First, since a connection that we close looks like one that was lost.
    const cut = () => {
      fail(aborted());
      request.destroy();
    };
    // The event comes when the last byte was handed to the operating system, and never before.
    request.once('finish', () => {
      isWritten = true;
    });
    request.on('error', fail);
    if (signal.aborted) return cut();
    signal.addEventListener('abort', cut);
    request.end(body);
  });
}

/** As Node names it where it is given the signal itself, at a price: it watches both ends of each stream for its end. */
function aborted(): Error {
  return Object.assign(new Error('The operation was aborted'), { code: 'ABORT_ERR' });
}

/** Hands over the whole body, or why there is none; once. */
function collect(
  response: IncomingMessage,
  maxBytes: number,
  done: (read: Buffer | Error) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else response.destroy(tooLarge());
  });
  response.on('end', () => done(Buffer.concat(chunks)));
  response.on('error', done);
}

function tooLarge(): Error {
  return Object.assign(new Error('The response is too large'), { code: 'ERESPONSETOOLARGE' });
}
