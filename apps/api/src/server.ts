import http, { IncomingMessage, type Server, ServerResponse } from 'node:http';
import https from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from '@belfry/runtime';
import { AppError, type ErrorCode } from '@belfry/shared';
import type { Express, Request, Response } from 'express';
import { lingerMs } from './answer';
import type { Api } from './app';
import { errorBody } from './error-body';

export type ServerOptions = {
  /** PEM; without it the server speaks plain HTTP. */
  tls?: { cert: Buffer; key: Buffer };
  newId: () => string;
  log: Logger;
};

const headersTimeoutMs = 10_000;
/** Above the body's own timeout, which answers better. */
const requestTimeoutMs = 45_000;
/** Above the idle time of common load balancers, so that they close first. */
const keepAliveTimeoutMs = 65_000;
const timeoutCheckMs = 5_000;
const maxConnections = 10_000;

/** The server of the gateway: bounded in time and connections, and answering in JSON what Node refuses itself. */
export function createApiServer(api: Api, { tls, newId, log }: ServerOptions): Server {
  const options = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    // Without it Node answers a missing Host itself, without a body; nothing here reads Host.
    requireHostHeader: false,
    ...shapesOf(api),
  };
  const server = tls ? https.createServer({ ...options, ...tls }) : http.createServer(options);
  server.maxConnections = maxConnections;
  const lastAnswers = new WeakMap<Duplex, ServerResponse>();
  const refused = new WeakSet<Duplex>();
  function take(req: IncomingMessage, res: ServerResponse): void {
    // Its caller was told that the call did not arrive.
    if (refused.has(req.socket)) return;
    lastAnswers.set(req.socket, res);
    req.url = originFormOf(req.url);
    // With their classes they are Express's own.
    if (api.directRoute(req as Request, res as Response)) return;
    api(req, res);
  }
  server.on('request', take);
  // The body is asked for when the headers have passed; see readBody.
  server.on('checkContinue', take);
  server.on('checkExpectation', take);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const last = lastAnswers.get(socket);
    const isAnswering = last?.headersSent === true && !last.writableFinished;
    if (isAnswering || !mayBeAnswered(error, socket)) {
      socket.destroy();
      return;
    }
    // The call before it is whole: what cannot be read comes behind it, and must not take its answer's place.
    if (last?.req.complete && !last.writableFinished) {
      last.once('close', () => socket.destroy());
      return;
    }
    refused.add(socket);
    const callId = newId();
    log.info('call.unreadable', { call_id: callId, reason: error.code });
    answerAtOnce(clientErrors[error.code ?? ''] ?? otherError, socket, callId);
  });
  // Without it Node closes the connection and says nothing.
  server.on('connect', (_req, socket) => answerAtOnce(noRoute, socket, newId()));
  return server;
}

function mayBeAnswered({ code }: NodeJS.ErrnoException, socket: Duplex): boolean {
  if (!socket.writable || code === 'ECONNRESET') return false;
  // Of a call on its way nothing may have been read yet: it must not find an answer that is not its own.
  return code !== requestTimeout || !(socket instanceof Socket) || socket.bytesRead > 0;
}

/** Of a target in absolute form its path; of one that cannot be read a path that no route takes. */
function originFormOf(target = '/'): string {
  if (target.startsWith('/')) return target;
  if (!URL.canParse(target)) return '/';
  const { pathname, search } = new URL(target);
  return pathname.startsWith('/') ? pathname + search : '/';
}

/** Resolves when the server listens, or with what the system said against it. */
export function listen(
  server: Server,
  place: { host: string; port: number },
): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    server.once('error', resolve);
    server.listen(place, () => {
      server.off('error', resolve);
      resolve(undefined);
    });
  });
}

const idleCheckMs = 50;

/** Takes no more calls, and resolves when those in flight have their answers, or were cut off after `timeoutMs`. */
export function closeServer(server: Server, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const limit = setTimeout(() => server.closeAllConnections(), Math.max(timeoutMs, 0));
    // A connection that is kept alive becomes idle only when its last answer is out.
    const timer = setInterval(() => server.closeIdleConnections(), idleCheckMs);
    server.close(() => {
      clearInterval(timer);
      clearTimeout(limit);
      resolve();
    });
  });
}

/**
 * Classes of requests and responses that have Express's prototypes from the start. Express would change the prototype of
 * each one otherwise, which costs near half of the gateway's throughput. They extend Node's own: a function that only
 * calls those makes objects with too little room, which V8 then keeps as dictionaries, and every later access is slow.
 */
function shapesOf(api: Express): http.ServerOptions {
  class ApiRequest extends IncomingMessage {}
  class ApiResponse<Of extends IncomingMessage> extends ServerResponse<Of> {}
  api.request = Object.setPrototypeOf(ApiRequest.prototype, api.request);
  api.response = Object.setPrototypeOf(ApiResponse.prototype, api.response);
  return { IncomingMessage: ApiRequest, ServerResponse: ApiResponse };
}

type Refusal = { code: ErrorCode; status: string; text: string };

const requestTimeout = 'ERR_HTTP_REQUEST_TIMEOUT';

const clientErrors: Record<string, Refusal> = {
  HPE_HEADER_OVERFLOW: {
    code: 'headers_too_large',
    status: '431 Request Header Fields Too Large',
    text: 'the headers are over 16 KB',
  },
  [requestTimeout]: {
    code: 'request_timeout',
    status: '408 Request Timeout',
    text: 'the call did not arrive in time',
  },
};

const otherError = {
  code: 'bad_request',
  status: '400 Bad Request',
  text: 'the call cannot be read as HTTP',
} as const;

const noRoute = { code: 'not_found', status: '404 Not Found', text: 'route not found' } as const;

function answerAtOnce({ code, status, text }: Refusal, socket: Duplex, callId: string): void {
  const body = errorBody(new AppError(code, text), callId);
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      `X-Request-Id: ${callId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  // Not at once: that would reset the connection before the answer is read.
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}
