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
import {
  findHttpRefusal,
  type HttpRefusal,
  isRequestTimeout,
  noTunnel,
  toHttpRefusal,
} from './http-refusal';
import { type IsTrustedProxy, isHttps } from './trusted-proxies';
import { version } from './version';

export type HttpServerOptions = {
  /** PEM; without it the server speaks plain HTTP. */
  tls?: { cert: Buffer; key: Buffer };
  isTrustedProxy: IsTrustedProxy;
  maxConnections: number;
  /** Called for each request that is proper HTTP. */
  handle(req: IncomingMessage, res: ServerResponse): void;
  /** An Express application that `handle` calls: see `createClasses`. */
  express?: { request: object; response: object };
  /** Headers and JSON of the answer to a request that `handle` never sees; `error` is set when the parser refused it. */
  refuse(refusal: HttpRefusal, error?: NodeJS.ErrnoException): Refused;
};

type Refused = { headers: Record<string, string>; body: string };

const headersTimeoutMs = 10_000;
/** Above the timeout of a body, which has a better answer. */
const requestTimeoutMs = 45_000;
/** Above the idle time of common load balancers, so that they close first. */
const keepAliveTimeoutMs = 65_000;
const timeoutCheckMs = 5_000;
/** How long a connection stays open for its answer to be read. */
const lingerMs = 1_000;
const lingerBytes = 256 * 1024;

/**
 * The HTTP server of every process: bounded in time and connections, strict about framing, with the security headers and
 * the version on each answer. What is no proper HTTP is answered in JSON, once, and its connection is closed.
 */
export function createHttpServer(options: HttpServerOptions): Server {
  const { handle, refuse } = options;
  const server = createNodeServer(options);
  const lastResponses = new WeakMap<Duplex, ServerResponse>();
  /** Connections of which nothing more is handled, and the response that says so where Node made one. */
  const refusedSockets = new WeakMap<Duplex, ServerResponse | undefined>();
  const closeQueued = createCloseQueued();

  function take(req: IncomingMessage, res: ServerResponse): void {
    const { socket } = req;
    // Behind a request that was refused, nothing can be trusted to be one.
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
  // The body is asked for when the headers have passed.
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
    // The request before it is whole: what cannot be read comes behind it, and must not take its answer's place.
    if (last?.req.complete && !last.writableFinished) {
      last.once('close', () => socket.destroy());
      return;
    }
    refusedSockets.set(socket, undefined);
    const refusal = toHttpRefusal(error);
    answerSocket(socket, refusal, refuse(refusal, error));
  });
  // Without it Node closes the connection and says nothing.
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
    // Node's own answer has no body: findHttpRefusal checks Host.
    requireHostHeader: false,
    ...createClasses(options),
  };
  const server = tls
    ? https.createServer({ ...nodeOptions, ...tls })
    : http.createServer(nodeOptions);
  server.maxConnections = maxConnections;
  // Node hides headers beyond a number from us while its parser obeys them. Their size has a limit anyway, of 16 KB.
  server.maxHeadersCount = 0;
  return server;
}

function canBeAnswered(error: NodeJS.ErrnoException, socket: Duplex): boolean {
  if (!socket.writable || error.code === 'ECONNRESET') return false;
  // Of a request on its way nothing may have been read yet: it must not find an answer that is not its own.
  return !isRequestTimeout(error) || !(socket instanceof Socket) || socket.bytesRead > 0;
}

/**
 * Node 20 emits `close` on the response that is being written, and not on those that wait behind it on the same connection.
 * What their listeners free would be lost for good. Node 24 emits it on all of them, in the tick after the connection's.
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
/** A year, and not for other names below this one: nobody here knows them. */
const strictTransport = ['Strict-Transport-Security', 'max-age=31536000'] as const;

/**
 * Responses that add the security headers to whatever is written, so that no route can forget them. For Express, requests
 * and responses have its prototypes from the start: it would change the prototype of each one otherwise, which costs near
 * half of the throughput. They extend Node's own: a function that only calls those makes objects with too little room,
 * which V8 then keeps as dictionaries, and every later access is slow.
 */
function createClasses({ express, isTrustedProxy }: HttpServerOptions): http.ServerOptions {
  class SafeRequest extends IncomingMessage {}
  class SafeResponse<Req extends IncomingMessage> extends ServerResponse<Req> {
    override writeHead(status: number, reason?: unknown, headers?: unknown): this {
      const list = headers ?? reason;
      const isSecure = isHttps(this.req, isTrustedProxy);
      // Names and values in turn, which Node writes with the least work.
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
 * Answers a request whose body was not read, and closes the connection. Closing at once would reset it under a caller that
 * still writes, who would then never see the answer; so a little of the body is thrown away and the caller has a moment
 * to read.
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

/** The same where Node has made no response. Whether a proxy was asked by HTTPS stands in headers that cannot be read. */
function answerSocket(socket: Duplex, { status }: HttpRefusal, { headers, body }: Refused): void {
  const all = Object.entries({ ...headers, Connection: 'close' });
  all.push([...noSniff], [...ownVersion]);
  if (socket instanceof TLSSocket) all.push([...strictTransport]);
  const headerLines = all.map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...headerLines, '', body].join('\r\n'));
  // Not at once: that would reset the connection before the answer is read.
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}
