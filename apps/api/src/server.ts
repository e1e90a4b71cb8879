import type { Server } from 'node:http';
import { createHttpServer, type HttpServerOptions, type Logger } from '@belfry/runtime';
import { AppError } from '@belfry/shared';
import type { Request, Response } from 'express';
import { basicHeaders } from './answer';
import type { Api } from './app';
import { errorBody } from './error-body';

export type ServerOptions = Pick<HttpServerOptions, 'tls' | 'isTrustedProxy'> & {
  newId: () => string;
  log: Logger;
};

const maxConnections = 10_000;

/** The server of the gateway: a send is answered past Express, and every error is in the one shape. */
export function createApiServer(api: Api, { newId, log, ...options }: ServerOptions): Server {
  return createHttpServer({
    ...options,
    maxConnections,
    express: api,
    handle(req, res) {
      req.url = toOriginForm(req.url);
      // With their classes they are Express's own.
      if (api.directRoute(req as Request, res as Response)) return;
      api(req, res);
    },
    refuse({ code, text }, error) {
      const callId = newId();
      log.info('call.unreadable', { call_id: callId, reason: error?.code ?? code });
      const body = errorBody(new AppError(code, text), callId);
      return { headers: basicHeaders(body, callId), body };
    },
  });
}

/** Of a target in absolute form its path; of one that cannot be read a path that no route takes. */
function toOriginForm(target = '/'): string {
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
