import type { Server } from 'node:http';
import { createHttpServer, type HttpServerOptions, type Logger, newId } from '@belfry/runtime';
import type { Express } from 'express';

const maxConnections = 2_000;

/** Creates the HTTP server. Invalid HTTP is answered in the JSON error format of the dashboard. */
export function createDashboardServer(
  app: Express,
  options: Pick<HttpServerOptions, 'tls' | 'isTrustedProxy'> & { log: Logger },
): Server {
  const { log, ...rest } = options;
  return createHttpServer({
    ...rest,
    maxConnections,
    express: app,
    handle: (req, res) => app(req, res),
    refuse({ code, text }, error) {
      const requestId = newId();
      log.info('call.unreadable', { request_id: requestId, reason: error?.code ?? code });
      const body = JSON.stringify({ success: false, error: text, code, requestId });
      const headers = {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': String(Buffer.byteLength(body)),
        'Cache-Control': 'no-store',
      };
      return { headers, body };
    },
  });
}
