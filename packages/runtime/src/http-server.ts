import http, {
  IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import https from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { type IsTrustedProxy, isHttps } from './client-network';
import {
  findHttpRefusal,
  type HttpRefusal,
  isRequestTimeout,
  noTunnel,
  toHttpRefusal,
} from './request-head';
import { version } from './version';

export type HttpServerOptions = {
  /** PEM; without it the server speaks plain HTTP. */
  tls?: { cert: Buffer; key: Buffer };
  isTrustedProxy: IsTrustedProxy;
  maxConnections: number;
  /** Called for each valid HTTP request. */
  handle(req: IncomingMessage, res: ServerResponse): void;
  /** An Express application that `handle` calls: see `createClasses`. */
  express?: { request: object; response: object };
  /** Builds headers and JSON of the response to a refused request; `error` is set if the parser refused it. */
  refuse(refusal: HttpRefusal, error?: NodeJS.ErrnoException): Refused;
};

type Refused = { headers: Record<string, string>; body: string };

const headersTimeoutMs = 10_000;
/** Above the timeout of a body, which has a better error. */
const requestTimeoutMs = 45_000;
/** Above the idle time of common load balancers, so that they close first. */
const keepAliveTimeoutMs = 65_000;
const timeoutCheckMs = 5_000;
/** How long a connection stays open so that the client can read the response. */
const lingerMs = 1_000;
const lingerBytes = 256 * 1024;

/**
 * The HTTP server of every process. It limits time and connections, checks framing strictly, and adds security headers
 * and the version to every response. An invalid request gets one JSON error, and its connection is closed.
 */
export function createHttpServer(options: HttpServerOptions): Server {
  const { handle, refuse } = options;
  const server = createNodeServer(options);
  const lastResponses = new WeakMap<Duplex, ServerResponse>();
  /** Connections that are refused, with the error response if Node created one. */
  const refusedSockets = new WeakMap<Duplex, ServerResponse | undefined>();
  const closeQueued = createCloseQueued();

  function take(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    // After a refused request, the rest of the connection cannot be trusted.
    if (refusedSockets.has(socket)) return;
    const previous = lastResponses.get(socket);
    if (previous && !previous.writableFinished) closeQueued(socket, res);
    lastResponses.set(socket, res);
    const refusal = findHttpRefusal(req);
    if (!refusal) {
      handle(req, res);
      return;
    }
    refusedSockets.set(socket, res);
    answerAndClose(req, res, { status: refusal.status, ...refuse(refusal) });
  }

  server.on('request', take);
  // For `Expect: 100-continue`: the body is requested after the headers passed.
  server.on('checkContinue', take);
  server.on('checkExpectation', take);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (refusedSockets.has(socket)) {
      refusedSockets.get(socket)?.end();
      return;
    }
    const last = lastResponses.get(socket);
    const isAnswering = last?.headersSent === true && !last.writableFinished;
    if (isAnswering || !canBeAnswered(error, socket)) {
      socket.destroy();
      return;
    }
    // The previous request is complete: its response must be sent before the error of the next one.
    if (last?.req.complete && !last.writableFinished) {
      last.once('close', () => socket.destroy());
      return;
    }
    refusedSockets.set(socket, undefined);
    const refusal = toHttpRefusal(error);
    answerSocket(socket, refusal, refuse(refusal, error));
  });
  // Without a listener, Node closes the connection without a response.
  server.on('connect', (_req, socket) => {
    const last = lastResponses.get(socket);
    if (last && !last.writableFinished) socket.destroy();
    else answerSocket(socket, noTunnel, refuse(noTunnel));
  });
  return server;
}

function createNodeServer(options: HttpServerOptions): Server {
  const { tls, maxConnections } = options;
  const nodeOptions = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    // Node's own response has no body, so findHttpRefusal checks Host.
    requireHostHeader: false,
    ...createClasses(options),
  };
  const server = tls
    ? https.createServer({ ...nodeOptions, ...tls })
    : http.createServer(nodeOptions);
  server.maxConnections = maxConnections;
  // Node hides headers beyond a count from us, but its parser obeys them. Their size is limited to 16 KB anyway.
  server.maxHeadersCount = 0;
  return server;
}

function canBeAnswered(error: NodeJS.ErrnoException, socket: Duplex): boolean {
  if (!socket.writable || error.code === 'ECONNRESET') return false;
  // If no bytes were read, a request may be on its way: it must not get this response.
  return !isRequestTimeout(error) || !(socket instanceof Socket) || socket.bytesRead > 0;
}

/**
 * Node 20 emits `close` on the response being written, but not on those queued behind it on the same connection, so their
 * listeners would never release resources. Node 24 emits it on all of them, in the tick after the connection's.
 */
function createCloseQueued(): (socket: Duplex, res: ServerResponse) => void {
  const queued = new WeakMap<Duplex, Set<ServerResponse>>();
  return function closeQueued(socket, res) {
    const responses = queued.get(socket) ?? new Set();
    if (!queued.has(socket)) {
      queued.set(socket, responses);
      socket.once('close', () =>
        process.nextTick(() => {
          for (const response of responses) response.emit('close');
        }),
      );
    }
    responses.add(res);
    res.once('close', () => responses.delete(res));
  };
}

const noSniff = ['X-Content-Type-Options', 'nosniff'] as const;
const ownVersion = ['X-Belfry-Version', version] as const;
/** One year, without subdomains: Belfry does not know them. */
const strictTransport = ['Strict-Transport-Security', 'max-age=31536000'] as const;

/**
 * Response classes that add the security headers to every response, so that no route can forget them. Requests and
 * responses have Express's prototypes from the start. Otherwise Express changes the prototype of each one, which costs
 * processor time (docs/explanation/hot-path.md). They extend Node's own classes: a function that only calls those creates
 * objects with too few slots, which V8 then keeps as slow dictionaries.
 */
function createClasses({ express, isTrustedProxy }: HttpServerOptions): http.ServerOptions {
  class SafeRequest extends IncomingMessage {}
  class SafeResponse<Req extends IncomingMessage> extends ServerResponse<Req> {
    override writeHead(status: number, reason?: unknown, headers?: unknown): this {
      const list = headers ?? reason;
      const isSecure = isHttps(this.req, isTrustedProxy);
      // Alternating names and values, which Node writes fastest.
      if (Array.isArray(list)) {
        list.push(...noSniff, ...ownVersion);
        if (isSecure) list.push(...strictTransport);
      } else {
        this.setHeader(...noSniff);
        this.setHeader(...ownVersion);
        if (isSecure) this.setHeader(...strictTransport);
      }
      return super.writeHead(status, reason as string, headers as OutgoingHttpHeaders);
    }
  }
  if (express) {
    express.request = Object.setPrototypeOf(SafeRequest.prototype, express.request);
    express.response = Object.setPrototypeOf(SafeResponse.prototype, express.response);
  }
  return { IncomingMessage: SafeRequest, ServerResponse: SafeResponse };
}

/**
 * Answers a request whose body was not read, and closes the connection. Closing at once would reset it while the client
 * still writes, so the client would never see the response. So part of the body is discarded and the client has 1 s to
 * read.
 */
export function answerAndClose(
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers, body }: Refused & { status: number },
): void {
  res.writeHead(status, { ...headers, Connection: 'close' });
  res.write(body);
  const timer = setTimeout(close, lingerMs);
  let leftBytes = lingerBytes;
  req.on('data', (chunk: Buffer) => {
    leftBytes -= chunk.length;
    if (leftBytes <= 0) req.pause();
  });
  req.once('end', close);
  req.once('close', close);
  req.resume();

  function close(): void {
    clearTimeout(timer);
    res.end();
  }
}

/** Does the same if Node created no response. Whether a proxy received HTTPS is unknown, because headers were not parsed. */
function answerSocket(socket: Duplex, { status }: HttpRefusal, { headers, body }: Refused): void {
  const all = Object.entries({ ...headers, Connection: 'close' });
  all.push([...noSniff], [...ownVersion]);
  if (socket instanceof TLSSocket) all.push([...strictTransport]);
  const headerLines = all.map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...headerLines, '', body].join('\r\n'));
  // Delayed: closing at once would reset the connection before the response is read.
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}
