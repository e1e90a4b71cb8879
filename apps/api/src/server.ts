import type { Server } from 'node:http';
import { createHttpServer, type HttpServerOptions, type Logger } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from 'express';
import { basicHeaders } from './call';
import { errorBody } from './error-body';

/** Express with all routes, and the direct route that bypasses it. */
export type Api = Express & { directRoute: DirectRoute };

export type ServerOptions = Pick<HttpServerOptions, 'tls' | 'isTrustedProxy'> & {
  /** Connections of streams, besides those of calls. */
  maxStreams?: number;
  newId: () => string;
  log: Logger;
};

const maxCallConnections = 10_000;

/** Creates the HTTP server of the gateway. Sends bypass Express, and all errors have the common format. */
export function createApiServer(
  api: Api,
  { maxStreams = 0, newId, log, ...options }: ServerOptions,
): Server {
  return createHttpServer({
    ...options,
    maxConnections: maxCallConnections + maxStreams,
    express: api,
    handle(req, res) {
      req.url = toOriginForm(req.url);
      // `createHttpServer` creates them with the classes of Express.
      if (api.directRoute(req as Request, res as Response)) return;
      api(req, res);
    },
    refuse({ code, text }, error) {
      const callId = newId();
      log.info('call.unreadable', { request_id: callId, reason: error?.code ?? code });
      const body = errorBody(new AppError(code, text), callId);
      return { headers: basicHeaders(body, callId), body };
    },
  });
}

/** Converts an absolute URL to its path, and an unreadable one to a path without a route. */
function toOriginForm(target = '/'): string {
  if (target.startsWith('/')) return target;
  if (!URL.canParse(target)) return '/';
  const { pathname, search } = new URL(target);
  return pathname.startsWith('/') ? pathname + search : '/';
}

/**
 * Resolves when the server listens, or with the error of the operating system. Node takes one new connection per iteration
 * of its event loop; the others wait in the system. By default 511 can: when more clients reconnect at once, as streams
 * after a restart, the system drops the handshakes of the others, which try again after 1, 3, 7 ... seconds. It lowers the
 * backlog to its own limit (`net.core.somaxconn`, 4,096 on Linux).
 */
export function listen(
  server: Server,
  address: { host: string; port: number },
): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    server.once('error', resolve);
    server.listen({ ...address, backlog: server.maxConnections }, () => {
      server.off('error', resolve);
      resolve(undefined);
    });
  });
}

const idleCheckMs = 50;

/** Accepts no new calls, and resolves when calls in flight are answered or `timeoutMs` is over. */
export function closeServer(server: Server, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const limit = setTimeout(() => server.closeAllConnections(), Math.max(timeoutMs, 0));
    // A keep-alive connection becomes idle only after its last response.
    const timer = setInterval(() => server.closeIdleConnections(), idleCheckMs);
    server.close(() => {
      clearInterval(timer);
      clearTimeout(limit);
      resolve();
    });
  });
}

/** Handles a call recognized by its method and URL, or returns false to leave it to Express. */
export type DirectRoute = (req: Request, res: Response) => boolean;

export type DirectRouteOptions = {
  /** The route's path in Express and in the log. */
  path: string;
  /** The middleware before every route, in order. */
  steps: readonly RequestHandler[];
  handler: RequestHandler;
  handleErrors: ErrorRequestHandler;
};

/** Matches what Express matches, for URLs without a query or escapes. */
const sendTarget = /^\/v1\/apps\/([0-9a-fA-F-]{36})\/events\/send$/;

/**
 * Handles sends without Express, whose layers take a tenth of a send's time. Middleware, handler and error handler are the
 * ones that Express uses. A test compares both paths.
 */
export function createDirectRoute(options: DirectRouteOptions): DirectRoute {
  const { path, steps, handler, handleErrors } = options;
  const route = { path };

  return function directRoute(req, res) {
    const appId = req.method === 'POST' ? sendTarget.exec(req.url)?.[1] : undefined;
    if (appId === undefined) return false;
    res.locals = {};
    runStep(0);
    return true;

    function runStep(at: number): void {
      const step = steps[at];
      if (step) step(req, res, (error?: unknown) => (error ? fail(error) : runStep(at + 1)));
      else answer();
    }

    function answer(): void {
      req.route = route;
      req.params = { app_id: String(appId) };
      Promise.resolve(handler(req, res, fail)).catch(fail);
    }

    function fail(error: unknown): void {
      handleErrors(error, req, res, fail);
    }
  };
}
