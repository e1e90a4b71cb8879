import http, { type Server } from 'node:http';
import type { Express } from 'express';

const headersTimeoutMs = 10_000;
const requestTimeoutMs = 45_000;
/** Above the idle time of common load balancers, so that they close first. */
const keepAliveTimeoutMs = 65_000;
const maxConnections = 1_000;
const idleCheckMs = 50;

/** Plain HTTP, bounded in time and connections; TLS is a proxy's. */
export function createDashboardServer(dashboard: Express): Server {
  const options = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
  };
  const server = http.createServer(options, dashboard);
  server.maxConnections = maxConnections;
  return server;
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

/** Takes no more calls, and resolves when those in flight have their answers. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => server.closeIdleConnections(), idleCheckMs);
    server.close(() => {
      clearInterval(timer);
      resolve();
    });
  });
}
